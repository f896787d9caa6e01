// Which kind of text this is.
import type { TokenList } from './tokens.ts';

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

/** A SASS opcode: capitals and digits, perhaps with modifiers in capitals. */
function isSassOpcode(word: string): boolean {
  return /^[A-Z][A-Z0-9]{1,}$/.test(word) && word !== 'WARP_SZ';
}

/** The first word after braces, labels and a guard. */
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

/** Whether there is a directive of a module at the start of a line. */
function isModule(tokens: TokenList): boolean {
  for (let at = 0; at < tokens.length; at++) {
    if (tokens.kindOf(at) !== 'dot' || !moduleDirectives.has(tokens.textOf(at))) continue;
    if (at === 0 || tokens.lineOf(at - 1) !== tokens.lineOf(at)) return true;
  }
  return false;
}

/** A module has directives of one at the start of a line; a fragment has none, and is SASS if its first opcode is in capitals. */
export function detectDialect(tokens: TokenList): Dialect {
  if (isModule(tokens)) return 'module';
  const opcode = firstOpcode(tokens);
  return opcode !== undefined && isSassOpcode(opcode) ? 'sass' : 'fragment';
}
