// The words that a term contains: its variables of more than one bit.
import { getOrInsert } from '../../../src/base/maps.ts';
import type { Term } from './term.ts';

const bits = new Map<string, bigint>();
const known = new WeakMap<Term, bigint>();

/** Returns a set of words, with one bit for each name of a word. */
export const wordsIn = (term: Term): bigint =>
  getOrInsert(known, term, () => {
    const { kind, width, name, args } = term;
    if (kind === 'variable') return width > 1 ? getOrInsert(bits, name, () => 1n << BigInt(bits.size)) : 0n;
    return args.reduce((all, arg) => all | wordsIn(arg), 0n);
  });
