// Generalizes claims about functions of values, such as the bucket of a hash table. If two values
// are equal, one replaces the other, so that the functions of both are one term. Then a free word
// replaces each function whose masked result is compared with constants.
import { getOrInsert } from '../../../src/base/maps.ts';
import { orderOf, replace } from './rewrite.ts';
import { and, anything, constant, equal, not, or, partsOf, type Term } from './term.ts';

/** Returns a claim without such functions, from which the given claim follows. */
export function generalize(claim: Term): Term {
  const joined = and(...conjunctsOf(claim).map((parts) => or(...withEqualWords(parts))));
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

/**
 * Returns the disjunctions of which a claim is the conjunction. The claim may be under a condition,
 * which then is part of each disjunction.
 */
function conjunctsOf(claim: Term): readonly (readonly Term[])[] {
  const parts = partsOf('or', claim);
  const conjunction = parts.find((part) => partsOf('and', part).length > 1);
  if (conjunction === undefined) return [parts];
  const others = parts.filter((part) => part !== conjunction);
  return partsOf('and', conjunction).map((part) => [...partsOf('or', part), ...others]);
}

/** Replaces words by equal ones, in a disjunction that holds if two of the words differ. */
function withEqualWords(parts: readonly Term[]): readonly Term[] {
  const isUnequal = (part: Term): boolean => {
    const { kind, args } = not(part);
    return kind === '=' && args.every((arg) => arg.kind === 'variable' && arg.width > 0);
  };
  let found = parts;
  for (const part of parts.filter(isUnequal)) {
    const [a, b] = not(part).args;
    if (a === undefined || b === undefined) throw new Error('an equation has two operands');
    found = found.map((each) => (isUnequal(each) ? each : replace(each, new Map([[b, a]]))));
  }
  return found;
}
