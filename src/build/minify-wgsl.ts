// Shortens WGSL: removes comments and unnecessary spaces, and shortens the names that it declares.
// The result is a list of declarations, because the shaders of a module share many of them.

import { countOf, getOrInsert } from '../base/maps.ts';
import { predeclared, reservedWords } from '../wgsl/tree/reserved-words.ts';

const tokens =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<space>\s+)|(?<word>[A-Za-z_]\w*)|(?<number>0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?[fhiu]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fhiu]?)|(?<sign>[\s\S])/gu;

interface Token {
  readonly kind: 'word' | 'number' | 'sign';
  readonly text: string;
  /** Whether a space or a comment precedes the token. */
  readonly isApart: boolean;
}

function tokensOf(code: string): Token[] {
  const list: Token[] = [];
  let isApart = false;
  for (const { groups = {}, 0: text } of code.matchAll(tokens)) {
    const kind = groups.word !== undefined ? 'word' : groups.number !== undefined ? 'number' : 'sign';
    const isGap = groups.comment !== undefined || groups.space !== undefined;
    if (!isGap) list.push({ kind, text, isApart });
    isApart = isGap;
  }
  return list;
}

/**
 * Splits a shader into its declarations and directives. The attributes of a function are a separate
 * part.
 */
function partsOf(list: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  let part: Token[] = [];
  let depth = 0;
  const end = () => {
    if (part.length > 0) parts.push(part);
    part = [];
  };
  for (const token of list) {
    if (depth === 0 && token.text === 'fn') end();
    part.push(token);
    if ('{(['.includes(token.text)) depth++;
    if ('})]'.includes(token.text)) depth--;
    if (depth === 0 && (token.text === ';' || token.text === '}')) end();
  }
  end();
  return parts;
}

/** Generates unused short names that begin with one of `letters`. */
function* shortNames(letters: string): Generator<string, never> {
  for (let count = 0; ; count++) {
    const rest = Math.floor(count / letters.length);
    const text = `${letters[count % letters.length]}${rest === 0 ? '' : (rest - 1).toString(36)}`;
    if (!reservedWords.has(text) && !predeclared.has(text)) yield text;
  }
}

const lower = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Shortens the shaders of one module. A name has the same short name in all of these shaders, so
 * that their declarations and statements are equal where possible.
 */
export class WgslMinifier {
  readonly #names = new Map<string, string>();
  readonly #fresh = shortNames(lower.toUpperCase());
  readonly #locals = new Map<string, string>();
  readonly #freshLocals = shortNames(lower);

  /**
   * Returns the declarations of a shader, whose concatenation is the shader. The name `entryPoint`
   * is not changed.
   */
  minify(code: string, entryPoint: string): readonly string[] {
    const parts = partsOf(tokensOf(code));
    const declared = new Map<string, string>();
    for (const part of parts) {
      const name = declaredBy(part);
      if (name === undefined || name === entryPoint) continue;
      declared.set(
        name,
        getOrInsert(this.#names, name, () => this.#fresh.next().value),
      );
    }
    return parts.map((part) => print(part, declared, this.#localsOf(part)));
  }

  /**
   * Returns short names for the parameters and variables of a function. Names in WGSL end in
   * numbers, which differ among similar shaders. So the short name of a `let` depends on its value,
   * without these numbers.
   */
  #localsOf(part: readonly Token[]): ReadonlyMap<string, string> {
    const locals = new Map<string, string>();
    const counts = new Map<string, number>();
    if (part[0]?.text !== 'fn') return locals;
    for (const { name, value } of localsOf(part)) {
      if (locals.has(name)) continue;
      const key = value === undefined ? name : [name, ...value].map(withoutNumber).join(' ');
      const count = countOf(counts, key);
      counts.set(key, count + 1);
      locals.set(
        name,
        getOrInsert(this.#locals, `${key} ${count}`, () => this.#freshLocals.next().value),
      );
    }
    return locals;
  }
}

/** Returns the name that a declaration of the module declares. */
function declaredBy(part: readonly Token[]): string | undefined {
  const at = part.findIndex(({ text }) => ['fn', 'struct', 'const', 'override', 'alias', 'var'].includes(text));
  if (at === -1) return undefined;
  return part[afterTemplate(part, at + 1)]?.text;
}

/** Returns the index after a list between `<` and `>`, if there is one at `at`. */
function afterTemplate(part: readonly Token[], at: number): number {
  if (part[at]?.text !== '<') return at;
  return part.findIndex(({ text }, index) => index > at && text === '>') + 1;
}

const directives: ReadonlySet<string> = new Set(['enable', 'requires', 'diagnostic']);

function print(
  part: readonly Token[],
  declared: ReadonlyMap<string, string>,
  locals: ReadonlyMap<string, string>,
): string {
  const [{ text: keyword } = { text: '' }] = part;
  if (directives.has(keyword)) return join(part);
  const renamed = part.map((token, at): Token => {
    if (token.kind !== 'word' || isPlain(part, at, keyword === 'struct')) return token;
    return { ...token, text: locals.get(token.text) ?? declared.get(token.text) ?? token.text };
  });
  return join(renamed);
}

/**
 * Whether the word must not be renamed, because it is a member, an attribute or an argument of an
 * attribute.
 */
function isPlain(part: readonly Token[], at: number, isStruct: boolean): boolean {
  const before = part[at - 1]?.text;
  if (before === '.' || before === '@') return true;
  if (before === '(' && part[at - 2]?.text === 'builtin' && part[at - 3]?.text === '@') return true;
  // A colon follows the name of a struct's member; a brace follows the name of the struct.
  return isStruct && part[at + 1]?.text === ':';
}

const withoutNumber = (word: string): string => word.replace(/_\d+$/, '');

interface Local {
  readonly name: string;
  /** The value of a `let`. */
  readonly value: readonly string[] | undefined;
}

/** Returns the parameters and variables of a function. */
function localsOf(part: readonly Token[]): readonly Local[] {
  const body = part.findIndex(({ text }) => text === '{');
  return part.flatMap(({ kind, text }, at): readonly Local[] => {
    if (at < body) return kind === 'word' && part[at + 1]?.text === ':' ? [{ name: text, value: undefined }] : [];
    if (!['let', 'var', 'const'].includes(text)) return [];
    const name = part[afterTemplate(part, at + 1)]?.text;
    if (name === undefined) return [];
    const end = part.findIndex((token, index) => index > at && token.text === ';');
    return [{ name, value: text === 'let' ? part.slice(at + 2, end).map((token) => token.text) : undefined }];
  });
}

const isWordLike = ({ kind }: Token): boolean => kind !== 'sign';
const operators = '+-*/%&|^<>=!~';

/** Joins tokens. Inserts a space between two tokens that would otherwise be read as one. */
function join(part: readonly Token[]): string {
  let text = '';
  part.forEach((token, at) => {
    const before = part[at - 1];
    const areWords = before !== undefined && isWordLike(before) && isWordLike(token);
    const areOperators = before !== undefined && operators.includes(before.text) && operators.includes(token.text);
    text += areWords || (areOperators && token.isApart) ? ` ${token.text}` : token.text;
  });
  return text;
}

/** Splits a minified declaration into its statements. Their concatenation is the declaration. */
export const statementsOf = (declaration: string): readonly string[] =>
  declaration.match(/[^;{}]*[;{}]+|[^;{}]+/g) ?? [];
