// Generalizes claims about functions of values, such as the bucket of a hash table. If two values
// are equal, one replaces the other, so that the functions of both are one term. Then a free word
// replaces each function whose masked result is compared with constants.
import { getOrInsert } from '../../../src/base/maps.ts';
import { orderOf, replace } from './rewrite.ts';
import { and, anything, constant, equal, not, or, partsOf, type Term } from './term.ts';

/** Returns a claim without such functions, from which the given claim follows. */
export function generalize(claim: Term): Term {
  const joined = and(...partsOf('and', claim).map((part) => or(...withEqualWords(partsOf('or', part)))));
  const words = new Map<Term, Term>();
  const known = new Map<Term, Term>();
  for (const comparison of orderOf(joined)) {
    const [word, other] = comparison.args;
    const isComparison = comparison.kind === '=' && word?.kind === 'bvand' && other?.value !== undefined;
    const mask = isComparison ? word.args.find(({ value }) => value !== undefined)?.value : undefined;
    if (!isComparison || mask === undefined) continue;
    // A comparison with a number that has other bits is false.
    const free = getOrInsert(words, word, () => anything(mask.toString(2).length));
    known.set(comparison, equal(free, constant(other.value, free.width)));
  }
  return replace(joined, known);
}

/** Replaces a word by the other one, in a disjunction that holds if the two words differ. */
function withEqualWords(parts: readonly Term[]): readonly Term[] {
  for (const part of parts) {
    const { kind, args } = not(part);
    const [a, b] = args;
    if (kind !== '=' || a?.kind !== 'variable' || b?.kind !== 'variable' || a.width === 0) continue;
    return parts.map((each) => (each === part ? part : replace(each, new Map([[b, a]]))));
  }
  return parts;
}
