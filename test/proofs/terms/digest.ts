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

/** A digest without the name of the row of words, such as a register of all lanes. */
interface RowDigest {
  readonly text: string;
  /** Absent: no words. */
  readonly row: string | undefined;
  readonly areSeveral: boolean;
}

const rowDigests = new WeakMap<Term, RowDigest>();

const rowDigestOf = (term: Term): RowDigest =>
  getOrInsert(rowDigests, term, () => {
    const { kind, width, value, name, low, args } = term;
    const [, row, lane] = (width > 1 ? /^([a-z_]+)(\d+)$/.exec(name) : undefined) ?? [];
    if (row !== undefined) return { text: digest('word', width, lane ?? ''), row, areSeveral: /^any/.test(row) };
    const parts = args.map(rowDigestOf);
    const rows = new Set(parts.flatMap((part) => part.row ?? []));
    const text = digest(kind, width, value === undefined ? name : `#${value}`, low, ...parts.map((part) => part.text));
    return { text, row: [...rows][0], areSeveral: rows.size > 1 || parts.some((part) => part.areSeveral) };
  });

/**
 * Returns a digest of an equation. Two equations have one digest if they differ only in the name of
 * the only row of words that they contain.
 */
export function digestOfEquation(found: Term, expected: Term): string {
  const [a, b] = [rowDigestOf(found), rowDigestOf(expected)];
  const hasOneRow = !a.areSeveral && !b.areSeveral && (a.row === b.row || b.row === undefined);
  return hasOneRow ? `row ${a.text} ${b.text}` : `${digestOf(found)} ${digestOf(expected)}`;
}

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
