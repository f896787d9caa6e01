// Detects the dialect of a text.
import type { TokenList } from './tokens.ts';

/**
 * The dialect of a text: a PTX module, a fragment of PTX instructions, or a fragment of SASS
 * instructions.
 */
export type Dialect = 'module' | 'fragment' | 'sass';

const moduleDirectives = new Set([
  '.version',
  '.target',
  '.address_size',
  '.entry',
  '.func',
  '.visible',
  '.extern',
  '.weak',
]);

/** Whether a word is a SASS opcode, which consists of capitals and digits. */
function isSassOpcode(word: string): boolean {
  return /^[A-Z][A-Z0-9]{1,}$/.test(word) && word !== 'WARP_SZ';
}

/** Returns the first word that is not part of a label or a guard, after opening braces. */
function firstOpcode(tokens: TokenList): string | undefined {
  let at = 0;
  for (;;) {
    const text = tokens.textOf(at);
    if (text === '{' || text === '}') at++;
    else if (tokens.kindOf(at) === 'word' && tokens.textOf(at + 1) === ':') at += 2;
    else break;
  }
  if (tokens.textOf(at) === '@') at += tokens.textOf(at + 1) === '!' ? 3 : 2;
  return tokens.kindOf(at) === 'word' ? tokens.textOf(at) : undefined;
}

/** Whether a line starts with a directive of a module. */
function isModule(tokens: TokenList): boolean {
  for (let at = 0; at < tokens.length; at++) {
    if (tokens.kindOf(at) !== 'dot' || !moduleDirectives.has(tokens.textOf(at))) continue;
    if (at === 0 || tokens.lineOf(at - 1) !== tokens.lineOf(at)) return true;
  }
  return false;
}

/**
 * Returns `module` if a line starts with a module directive, `sass` if the first opcode is in
 * capitals, and `fragment` otherwise.
 */
export function detectDialect(tokens: TokenList): Dialect {
  if (isModule(tokens)) return 'module';
  const opcode = firstOpcode(tokens);
  return opcode !== undefined && isSassOpcode(opcode) ? 'sass' : 'fragment';
}
