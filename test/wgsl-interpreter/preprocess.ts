// Rewrites WGSL that wgsl_reflect 1.6 rejects or parses wrongly. Line numbers do not change.
// - The parser reads hexadecimal floats as 0: they are written in decimal.
// - A `const` replaces every later use of its name, even shadowing parameters, and the parser
//   rejects a `const` in a function: it becomes `override` in the module and `let` in functions.
// - An array count that names a constant becomes a number that represents the name.
// - The parser rejects `if (a) < b {`: conditions are put in parentheses.
// - The parser splits `>>` and `>=` after `vec2<u32>(a`, because it looks back five tokens: `((a))`
//   prevents this.
// - `(a.b).c` loses its first member: the parentheses are removed.
// - A switch clause keeps only two statements: its body becomes a block in the block.
// - The parser rejects `valueOf` and other names of Object.prototype: they get a suffix.
// - `block` and texel formats are keywords of the parser: they get a suffix.
// - An address space cannot be a name: it gets a suffix, unless `<` precedes it.
// - The parser does not support subgroup matrices: template parameters become parts of names.
// - Directives with lists, and const_assert in a body, are removed and recorded.

import { reservedWords } from '../../src/wgsl/tree/reserved-words.ts';
import type { Census } from './audit.ts';
import { raise, WgslError } from './error.ts';

export interface Source {
  readonly text: string;
  /** The counts that the parser must find. */
  readonly census: Census;
  /** Names declared `const`. Their uses are const-expressions. */
  readonly constants: ReadonlySet<string>;
  /**
   * The names of constants that are array counts. The count `countBase + i` represents the constant
   * `countNames[i]`.
   */
  readonly countNames: readonly string[];
  /** All names after `enable` and `requires`. */
  readonly extensions: ReadonlySet<string>;
}

export const countBase = 0x50000000;

const hexFloat = String.raw`0[xX](?:[0-9a-fA-F]*\.[0-9a-fA-F]+|[0-9a-fA-F]+\.|[0-9a-fA-F]+(?=[pP]))(?:[pP][+-]?\d+[fh]?)?`;
const tokenPattern = new RegExp(
  String.raw`(${hexFloat})|0[xX][0-9a-fA-F]+[iu]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[iufh]?|[\p{L}_][\p{L}\p{N}_]*|\s+|.`,
  'gsu',
);

/** The names of address spaces, which are not keywords of WGSL, so variables may have them. */
const addressSpaces: ReadonlySet<string> = new Set(['workgroup', 'storage', 'uniform', 'private']);
/** Words that are keywords only for the parser: `block` and texel formats. */
const parserKeywords = /^(?:block|(?:bgra|rgba?|rg|r)(?:8|10a2|11b10|16|32)(?:unorm|snorm|uint|sint|float)(?:_srgb)?)$/;

interface Token {
  text: string;
  /** Text to print before and after the token. */
  before: string;
  after: string;
  readonly hexFloat: boolean;
  readonly line: number;
}

/** Throws for reserved words as names, which browsers reject and the parser accepts. */
function refuseReservedNames(tokens: readonly Token[]): void {
  const words = tokens.filter(({ text }) => !/^\s/.test(text));
  words.forEach(({ text, line }, at) => {
    if (!reservedWords.has(text)) return;
    const declares = /^(let|const|fn|var|struct|alias|>)$/.test(words[at - 1]?.text ?? '');
    const isTyped = words[at + 1]?.text === ':' && words[at - 1]?.text !== 'default';
    const isClause = text === 'default' || words[at - 1]?.text === 'case';
    if ((declares || isTyped) && !isClause) raise({ line }, `the word ${text} is reserved`);
  });
}

export function preprocess(code: string): Source {
  const tokens = tokenize(nameTemplates(blankComments(code)));
  refuseReservedNames(tokens);
  const constants = new Set<string>();
  const countNames: string[] = [];
  const extensions = new Set<string>();
  const next = (from: number): number => {
    let i = from;
    while (i < tokens.length && /^\s/.test(tokens[i]?.text ?? '')) i++;
    return i;
  };
  // For each open brace, whether it opens the body of a switch clause.
  const braces: boolean[] = [];
  let clause = -1;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    switch (token.text) {
      case '{':
        braces.push(i === clause);
        if (i === clause) token.after = '{';
        break;
      case '}':
        if (braces.pop() === true) token.before = '}';
        break;
      case 'if':
      case 'while':
      case 'switch':
        parenthesize(tokens, i);
        break;
      case 'case':
      case 'default':
        if (i > clause) clause = indexAfter(tokens, i, '{');
        break;
      case 'const':
        constants.add(tokens[next(i + 1)]?.text ?? '');
        token.text = braces.length === 0 ? 'override' : 'let';
        break;
      case 'const_assert':
        blankStatement(tokens, i);
        token.text = '';
        break;
      case 'array':
        if (tokens[next(i + 1)]?.text === '<') nameCount(tokens, next(i + 1), countNames);
        break;
      default:
        if (braces.length === 0 && isDirective(tokens, i)) {
          for (const name of blankStatement(tokens, i)) extensions.add(name);
          token.text = '';
        } else if (token.hexFloat) token.text = decimal(token.text);
        else checkInteger(token);
    }
  }
  const solid = tokens.filter(({ text }) => !/^\s*$/.test(text));
  stripParentheses(solid);
  shieldOperators(solid);
  const census = takeTokenCensus(tokens);
  const text = tokens.map((token) => token.before + token.text + token.after).join('');
  return { text, census, constants, countNames, extensions };
}

/**
 * Writes the template parameters of subgroup matrices as parts of names, which the parser accepts.
 */
function nameTemplates(code: string): string {
  return code
    .replace(/\b(subgroup_matrix_\w+)<\s*(\w+)\s*,\s*(\d+)\s*,\s*(\d+)\s*>/g, '$1_$2_$3_$4')
    .replace(/\b(subgroupMatrix\w+)<\s*(?:(\w+)\s*,\s*)?(row_major|col_major)\s*>/g, '$1_$2_$3');
}

function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const [found, hexFloat] of code.matchAll(tokenPattern)) {
    const text = isRenamed(found, tokens.at(-1)?.text) ? `${found}_as_name` : found;
    tokens.push({ text, before: '', after: '', hexFloat: hexFloat !== undefined, line });
    for (let at = found.indexOf('\n'); at >= 0; at = found.indexOf('\n', at + 1)) line++;
  }
  return tokens;
}

/**
 * Whether to rename a name: the parser finds names of Object.prototype in its tables, and it has
 * keywords that WGSL lacks.
 */
function isRenamed(found: string, before: string | undefined): boolean {
  if (found in Object.prototype || (addressSpaces.has(found) && before !== '<')) return true;
  return (found.startsWith('b') || found.startsWith('r')) && parserKeywords.test(found);
}

function blankComments(code: string): string {
  // The compiler writes only line comments, and its shaders are long, so this case is fast.
  if (!code.includes('/*')) return code.replace(/\/\/[^\n]*/g, (text) => ' '.repeat(text.length));
  let out = '';
  let block = 0;
  let lineComment = false;
  for (let i = 0; i < code.length; i++) {
    const char = code.charAt(i);
    const pair = code.slice(i, i + 2);
    if (char === '\n') lineComment = false;
    if (!lineComment && pair === '/*') block++;
    else if (block === 0 && pair === '//') lineComment = true;
    else if (block > 0 && pair === '*/') block--;
    else {
      out += char === '\n' || !(lineComment || block > 0) ? char : ' ';
      continue;
    }
    out += '  ';
    i++;
  }
  return out;
}

/** Returns the index of the first of these texts after a place; -1 for none. */
function indexAfter(tokens: readonly Token[], place: number, ...texts: readonly string[]): number {
  for (let at = place + 1; at < tokens.length; at++) if (texts.includes(tokens[at]?.text ?? '')) return at;
  return -1;
}

/** Adds parentheses from the keyword to the brace, or to the semicolon of a `break if`. */
function parenthesize(tokens: readonly Token[], at: number): void {
  const keyword = tokens[at];
  const end = tokens[indexAfter(tokens, at, '{', ';')];
  if (keyword === undefined || end === undefined) return;
  keyword.after = ' (';
  end.before = ') ';
}

/**
 * Removes parentheses, because the parser drops the `.b` of `(a.b).c`. Keeps the parentheses of a
 * call, of `(*p)`, and around operators.
 */
function stripParentheses(solid: readonly Token[]): void {
  const open: number[] = [];
  for (const [i, token] of solid.entries()) {
    if (token.text === '(') open.push(i);
    if (token.text !== ')') continue;
    const start = open.pop() ?? 0;
    const before = solid[start - 1]?.text ?? '';
    const isCall = (/^[\p{L}_]/u.test(before) && before !== 'return') || /^[>\])]$/.test(before);
    const first = solid[start];
    if (isCall || first === undefined || !/^[.[]$/.test(solid[i + 1]?.text ?? '')) continue;
    if (!isPostfixExpression(solid.slice(start + 1, i).map(({ text }) => text))) continue;
    first.text = '';
    token.text = '';
  }
}

function shieldOperators(solid: readonly Token[]): void {
  for (const [i, { text }] of solid.entries()) {
    const operand = solid[i - 1];
    if (text !== '>' || !/^[>=]$/.test(solid[i + 1]?.text ?? '') || solid[i - 2]?.text !== '(') continue;
    if (operand === undefined || !/^[\p{L}_\d]/u.test(operand.text)) continue;
    operand.before = '((';
    operand.after = '))';
  }
}

/**
 * Whether the text is a name, a literal or a call with members and indices, without an operator
 * outside brackets.
 */
function isPostfixExpression(texts: readonly string[]): boolean {
  let depth = 0;
  for (const text of texts) {
    if (/^[([]$/.test(text)) depth++;
    else if (/^[)\]]$/.test(text)) depth--;
    else if (depth === 0 && text !== '' && text !== '.' && !/^[\p{L}_]/u.test(text)) return false;
  }
  return true;
}

/** Counts statements, except empty statements and the header of a `for`. */
function takeTokenCensus(tokens: readonly Token[]): Census {
  const census: Census = { statements: 0, members: 0, indices: 0 };
  let braces = 0;
  let parentheses = 0;
  let previous = '';
  for (const { text } of tokens) {
    if (/^\s*$/.test(text)) continue;
    if (text === '{') braces++;
    else if (text === '}') braces--;
    else if (text === '(') parentheses++;
    else if (text === ')') parentheses--;
    else if (text === '.') census.members++;
    else if (text === '[') census.indices++;
    else if (text === ';' && braces > 0 && parentheses === 0 && !/^[;{}]$/.test(previous)) census.statements++;
    previous = text;
  }
  return census;
}

function isDirective(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text;
  if (text === 'enable' || text === 'requires') return true;
  return text === 'diagnostic' && tokens[at - 1]?.text !== '@';
}

/** Blanks the tokens after `at` up to the semicolon; returns the identifiers among them. */
function blankStatement(tokens: readonly Token[], at: number): string[] {
  const names: string[] = [];
  for (let i = at + 1; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    const text = token.text;
    if (/^\s/.test(text)) continue;
    token.text = '';
    if (text === ';') break;
    if (/^[\p{L}_]/u.test(text)) names.push(text);
  }
  return names;
}

function nameCount(tokens: readonly Token[], open: number, countNames: string[]): void {
  let depth = 0;
  let comma = -1;
  let close = open;
  for (; close < tokens.length; close++) {
    const text = tokens[close]?.text;
    if (text === '<' || text === '(') depth++;
    else if (text === '>' || text === ')') depth--;
    else if (text === ',' && depth === 1 && comma < 0) comma = close;
    if (depth === 0) break;
  }
  if (comma < 0) return;
  const count = tokens.slice(comma + 1, close).filter((token) => !/^[\s,]/.test(token.text));
  const [first] = count;
  if (first === undefined || !count.some((token) => /^[\p{L}_]/u.test(token.text))) return;
  if (count.length > 1) throw new WgslError(first.line, 'an array count must be a literal or the name of a constant');
  countNames.push(first.text);
  first.text = String(countBase + countNames.length - 1);
}

/** Rejects integers that do not fit: the parser keeps only the low 32 bits. */
function checkInteger({ text, line }: Token): void {
  const match = /^(0[xX][0-9a-fA-F]+|\d+)[iu]?$/.exec(text);
  if (match !== null && Number(match[1]) > 0xffffffff) throw new WgslError(line, `${text} is too large`);
}

/** Returns a hexadecimal float in decimal, rounded to f32, the widest type of the interpreter. */
function decimal(text: string): string {
  const match = /^0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([+-]?\d+))?([fh]?)$/.exec(text);
  if (match === null) throw new WgslError(0, `malformed number ${text}`);
  const [, whole = '', fraction = '', exponent = '0', suffix = ''] = match;
  const value = Math.fround(Number(BigInt(`0x0${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length));
  const digits = String(value);
  return (/[.e]/.test(digits) ? digits : `${digits}.0`) + suffix;
}
