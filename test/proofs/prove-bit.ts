// Decides claims about single bits of a result with decision diagrams.
import { getOrInsert } from '../../src/base/maps.ts';
import { type Claim, termOf } from './claim.ts';
import { decide } from './terms/bits.ts';
import { digestOfEquation } from './terms/digest.ts';
import { OtherLanes } from './terms/free-others.ts';
import { generalize } from './terms/generalize.ts';
import { localize } from './terms/localize.ts';
import { replace } from './terms/rewrite.ts';
import type { Verdict } from './terms/solver.ts';
import { and, isTrue, partsOf, type Term, yes } from './terms/term.ts';
import { wordsIn } from './terms/words-in.ts';
import { at } from './wgsl/place.ts';

/** Returns the verdict on a claim about a bit; undefined if its diagrams are too large. */
export type DecideBit = (bit: Claim) => Verdict | undefined;

/** Decides a claim about one bit, and first a stronger one about the lanes of the expected bit. */
export function decideBit(bit: Claim): Verdict | undefined {
  const conjuncts = conjunctsOf(bit);
  if (conjuncts.length > 0 && conjuncts.every(isProvedOnce)) return { kind: 'proved', by: 'diagrams' };
  return decideWhole(bit);
}

/** Returns a function that decides claims about the bits of results that depend on all lanes. */
export function bitsOfLanes(): DecideBit {
  const others = new OtherLanes();
  return (bit) => {
    const claim = termOf(bit);
    const verdict = decide(others.free(claim, bit.expected.lanes | bit.condition.lanes));
    return verdict?.kind === 'proved' ? verdict : decide(claim);
  };
}

/**
 * Returns claims about the parts of two conjunctions, from which it follows that both are equal.
 * Parts that both have in common need no claim, and those that are variables are assumed. If the
 * numbers of the other parts differ, each part of the result belongs to the expected part with which
 * it shares a word. Returns nothing if a part belongs to none or to several.
 */
function conjunctsOf({ found, expected }: Claim): readonly Claim[] {
  const [left, right] = [partsOf('and', found), partsOf('and', expected)];
  const own = left.filter((part) => !right.includes(part));
  const others = right.filter((part) => !left.includes(part));
  const shared = left.filter((part) => right.includes(part));
  const claimOf = (parts: readonly Term[], other: Term): Claim => ({
    ...assume({ condition: and(...shared), found: and(...parts), expected: other }),
    condition: yes(),
  });
  if (isTrue(expected)) return left.map((part) => claimOf([part], expected));
  if (own.length === others.length) return own.map((part, index) => claimOf([part], at(others, index)));
  const groups = others.map((other) => own.filter((part) => (wordsIn(part) & wordsIn(other)) !== 0n));
  const owners = own.map((part) => groups.filter((group) => group.includes(part)).length);
  return owners.every((count) => count === 1) ? groups.map((group, index) => claimOf(group, at(others, index))) : [];
}

/** Whether claims about single bits are proved, by their digests. Instructions share such claims. */
const knownBits = new Map<string, boolean>();

const isProvedOnce = (bit: Claim): boolean =>
  getOrInsert(
    knownBits,
    digestOfEquation(bit.found, bit.expected),
    () => isAboutFewLanes(bit) && decideWhole(bit)?.kind === 'proved',
  );

function decideWhole(bit: Claim): Verdict | undefined {
  const claim = termOf(bit);
  const local = localize(claim, bit.expected.lanes | bit.condition.lanes);
  for (const each of local === claim ? [] : [generalize(local), local]) {
    const verdict = decide(each);
    if (verdict?.kind === 'proved') return verdict;
  }
  return decide(claim);
}

/** Replaces the variables that are conditions of a claim by their values. */
export function assume({ condition, found, expected }: Claim): Claim {
  const parts = partsOf('and', condition).filter(({ kind }) => kind === 'variable');
  const known = new Map(parts.map((part) => [part, yes()]));
  return { condition, found: replace(found, known), expected: replace(expected, known) };
}

/** Whether the expected bit depends on at most two lanes, and the result depends on more. */
export function isAboutFewLanes({ found, expected }: Claim): boolean {
  let lanes = expected.lanes;
  if ((found.lanes & ~lanes) === 0) return expected.value !== undefined;
  for (let count = 0; count < 2; count++) lanes &= lanes - 1;
  return lanes === 0;
}
