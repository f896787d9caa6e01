// What wgsl_reflect 1.6 parses wrongly or not at all is rewritten before it sees the source. Line numbers stay.
//  - hexadecimal floats become 0                       -> written in decimal
//  - a `const` replaces every later use of its name, shadowing parameters included, and a `const` in a
//    function is refused                               -> `override` in the module, `let` in functions
//  - array counts that name a constant                 -> a number that stands for the name
//  - directives with lists, and const_assert in a body -> left out, noted

import { WgslError } from './error.ts';

export interface Source {
  readonly text: string;
  /// Names declared `const`: their uses are const-expressions.
  readonly constants: ReadonlySet<string>;
  /// Array count `countBase + i` stands for the constant `countNames[i]`.
  readonly countNames: readonly string[];
  /// Everything named by `enable` and `requires`.
  readonly extensions: ReadonlySet<string>;
}

export const countBase = 0x50000000;

const hexFloat = String.raw`0[xX](?:[0-9a-fA-F]*\.[0-9a-fA-F]+|[0-9a-fA-F]+\.|[0-9a-fA-F]+(?=[pP]))(?:[pP][+-]?\d+[fh]?)?`;
const tokenPattern = new RegExp(
  String.raw`(${hexFloat})|0[xX][0-9a-fA-F]+[iu]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[iufh]?|[\p{L}_][\p{L}\p{N}_]*|\s+|.`,
  'gsu',
);

interface Token {
  text: string;
  readonly hexFloat: boolean;
  readonly line: number;
}

export function preprocess(code: string): Source {
  const tokens = tokenize(blankComments(code));
  const constants = new Set<string>();
  const countNames: string[] = [];
  const extensions = new Set<string>();
  const next = (from: number): number => {
    let i = from;
    while (i < tokens.length && /^\s/.test(tokens[i]?.text ?? '')) i++;
    return i;
  };
  let depth = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    if (token.text === '{') depth++;
    else if (token.text === '}') depth--;
    else if (token.hexFloat) token.text = decimal(token.text);
    else if (/^\d/.test(token.text)) checkInteger(token);
    else if (token.text === 'const') {
      constants.add(tokens[next(i + 1)]?.text ?? '');
      token.text = depth === 0 ? 'override' : 'let';
    } else if (token.text === 'const_assert' || (depth === 0 && isDirective(tokens, i))) {
      const names = blankStatement(tokens, i);
      if (token.text !== 'const_assert') for (const name of names) extensions.add(name);
      token.text = '';
    } else if (token.text === 'array' && tokens[next(i + 1)]?.text === '<') {
      nameCount(tokens, next(i + 1), countNames);
    }
  }
  return { text: tokens.map((token) => token.text).join(''), constants, countNames, extensions };
}

function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const match of code.matchAll(tokenPattern)) {
    tokens.push({ text: match[0], hexFloat: match[1] !== undefined, line });
    for (const char of match[0]) if (char === '\n') line++;
  }
  return tokens;
}

function blankComments(code: string): string {
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

function isDirective(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text;
  if (text === 'enable' || text === 'requires') return true;
  return text === 'diagnostic' && tokens[at - 1]?.text !== '@';
}

/// Blanks the tokens after `at` up to the semicolon; returns the identifiers among them.
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

/// The parser keeps only the low 32 bits.
function checkInteger({ text, line }: Token): void {
  const match = /^(0[xX][0-9a-fA-F]+|\d+)[iu]?$/.exec(text);
  if (match !== null && Number(match[1]) > 0xffffffff) throw new WgslError(line, `${text} is too large`);
}

/// A hexadecimal float in decimal; `Math.fround` because nothing wider exists here.
function decimal(text: string): string {
  const match = /^0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([+-]?\d+))?([fh]?)$/.exec(text);
  if (match === null) throw new WgslError(0, `malformed number ${text}`);
  const [, whole = '', fraction = '', exponent = '0', suffix = ''] = match;
  const value = Math.fround(Number(BigInt(`0x0${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length));
  const digits = String(value);
  return (/[.e]/.test(digits) ? digits : `${digits}.0`) + suffix;
}
