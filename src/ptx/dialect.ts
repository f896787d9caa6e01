// Which kind of text this is.
import type { Token } from './tokens.ts';

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

/// A SASS opcode: capitals and digits, perhaps with modifiers in capitals.
function isSassOpcode(token: Token): boolean {
  return /^[A-Z][A-Z0-9]{1,}$/.test(token.text) && token.text !== 'WARP_SZ';
}

/// The first word after braces, labels and a guard.
function firstOpcode(tokens: readonly Token[]): Token | undefined {
  let at = 0;
  for (;;) {
    const { kind, text } = tokens[at] ?? { kind: 'end', text: '' };
    if (text === '{' || text === '}') at++;
    else if (kind === 'word' && tokens[at + 1]?.text === ':') at += 2;
    else break;
  }
  if (tokens[at]?.text === '@') at += tokens[at + 1]?.text === '!' ? 3 : 2;
  const token = tokens[at];
  return token?.kind === 'word' ? token : undefined;
}

/// A module has directives of one at the start of a line; a fragment has none, and is SASS if its first opcode is in capitals.
export function detectDialect(tokens: readonly Token[]): Dialect {
  const isModule = tokens.some(
    (token, index) =>
      token.kind === 'dot' && moduleDirectives.has(token.text) && tokens[index - 1]?.line !== token.line,
  );
  if (isModule) return 'module';
  const opcode = firstOpcode(tokens);
  return opcode !== undefined && isSassOpcode(opcode) ? 'sass' : 'fragment';
}
