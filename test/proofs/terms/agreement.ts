// Simplifies equations of the largest and the smallest of some values. They hold if there is a
// value, and all values are equal to the first one.
import { at } from '../../../src/base/invariants.ts';
import { contributionsOf } from './contributions.ts';
import { orderOf, replace } from './rewrite.ts';
import { and, equal, implies, ite, or, type Term } from './term.ts';

/** Replaces such equations in a term by equations of the values. */
export function withoutExtremes(term: Term): Term {
  const known = new Map<Term, Term>();
  for (const each of orderOf(term)) {
    const agreement = agreementOf(each);
    if (agreement !== undefined) known.set(each, agreement);
  }
  return known.size === 0 ? term : replace(term, known);
}

function agreementOf({ kind, args }: Term): Term | undefined {
  const [a, b] = args;
  if (kind !== '=' || a === undefined || b === undefined) return undefined;
  const kinds = [a.kind, b.kind].sort().join();
  if (kinds !== 'umax,umin' && kinds !== 'smax,smin') return undefined;
  const [first, second] = [contributionsOf(a), contributionsOf(b)];
  if (first.size !== second.size) return undefined;
  for (const [value, condition] of first) if (second.get(value) !== condition) return undefined;
  const values = [...first];
  // If no value contributes, the extremes are the identities, which differ. So the choice may have
  // any value then.
  const [last] = at(values, values.length - 1, 'a value');
  const leader = values.reduceRight((rest, [value, condition]) => ite(condition, value, rest), last);
  return and(
    or(...values.map(([, condition]) => condition)),
    ...values.map(([value, condition]) => implies(condition, equal(value, leader))),
  );
}
