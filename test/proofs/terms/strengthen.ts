// Replaces claims by claims about conditions and lane numbers, from which they follow.
import { compareContributions } from './contributions.ts';
import { compareSources } from './moved-values.ts';
import { withOneBit } from './one-bit.ts';
import { and, or, type Term } from './term.ts';

/** Returns a claim that is easier to decide, and from which the given claim follows. */
export function strengthen(claim: Term): Term {
  const { kind, args } = claim;
  if (kind === 'and') return and(...args.map(strengthen));
  if (kind === 'or') {
    // Words of one bit are the same variables in all parts, so only one part may have them.
    const parts = args.filter((arg) => arg.kind === '=' || arg.kind === 'and');
    return or(...args.map((arg) => (parts.length === 1 ? strengthen(arg) : strengthenEquation(arg, false))));
  }
  return strengthenEquation(claim, true);
}

function strengthenEquation(claim: Term, mayNarrow: boolean): Term {
  const [a, b] = claim.args;
  if (claim.kind !== '=' || a === undefined || b === undefined) return claim;
  if (a.width === 0) return (mayNarrow ? withOneBit(a, b) : undefined) ?? claim;
  return compareContributions(a, b) ?? compareSources(a, b) ?? claim;
}
