// The shape of a term: its operators and constants, with variables numbered by their first
// occurrence. Claims about different lanes often have one shape, so one proof covers all of them.
import { createHash } from 'node:crypto';
import { get } from '../../../src/base/invariants.ts';
import { orderOf } from './rewrite.ts';
import type { Verdict } from './solver.ts';
import type { Term } from './term.ts';

export interface Shape {
  readonly key: string;
  /** The variables in the order of their numbers. */
  readonly variables: readonly Term[];
}

export function shapeOf(root: Term): Shape {
  const numbers = new Map<Term, number>();
  const variables: Term[] = [];
  const hash = createHash('sha1');
  for (const term of orderOf(root)) {
    numbers.set(term, numbers.size);
    const { kind, width, value, low, args } = term;
    if (kind === 'variable') variables.push(term);
    const operands = args.map((arg) => get(numbers, arg, 'an operand')).join();
    hash.update(`${kind} ${width} ${value === undefined ? '' : value} ${low} ${operands}\n`);
  }
  return { key: hash.digest('base64'), variables };
}

/** A verdict with the values of variables by their number instead of by name. */
type Known = Exclude<Verdict, { kind: 'refuted' }> | { readonly kind: 'refuted'; readonly values: readonly bigint[] };

/** The verdicts of claims by their shape. */
export class Verdicts {
  private readonly known = new Map<string, Known | undefined>();

  /** Returns the verdict of a claim, which `decide` determines for the first claim of a shape. */
  of(claim: Term, decide: () => Verdict | undefined): Verdict | undefined {
    const { key, variables } = shapeOf(claim);
    if (this.known.has(key)) {
      const known = this.known.get(key);
      if (known?.kind !== 'refuted') return known;
      return { kind: 'refuted', values: new Map(variables.map(({ name }, i) => [name, known.values[i] ?? 0n])) }; // Absent: any value.
    }
    const verdict = decide();
    const known =
      verdict?.kind === 'refuted'
        ? { kind: verdict.kind, values: variables.map(({ name }) => verdict.values.get(name) ?? 0n) } // Absent: any value.
        : verdict;
    this.known.set(key, known);
    return verdict;
  }
}
