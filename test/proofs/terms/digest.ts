// Digests of terms, which are equal for equal terms of different shaders.
import { createHash } from 'node:crypto';
import { at } from '../../../src/base/invariants.ts';
import { getOrInsert } from '../../../src/base/maps.ts';
import type { Term } from './term.ts';

const digest = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('base64');

const digests = new WeakMap<Term, string>();

export const digestOf = (term: Term): string =>
  getOrInsert(digests, term, () => {
    const { kind, width, value, name, low, args } = term;
    return digest(kind, width, value === undefined ? name : `#${value}`, low, ...args.map(digestOf));
  });

/**
 * Returns a function that makes digests of reductions. Reductions by different operators have one
 * digest if they combine the same values under the same conditions.
 */
export function reductionDigests(kind: Term['kind'], identity: bigint): (term: Term) => string {
  const known = new Map<Term, string>();
  const visit = (term: Term): string => getOrInsert(known, term, () => of(term));
  const of = (term: Term): string => {
    if (term.value === identity) return 'identity';
    if (term.kind === kind) return digest('reduction', ...term.args.map(visit));
    if (term.kind !== 'ite') return digestOf(term);
    return digest('choice', digestOf(at(term.args, 0, 'a condition')), ...term.args.slice(1).map(visit));
  };
  return visit;
}
