// Proves that the simplifier replaces operations by equal values.
import { getOrInsert } from '../../src/base/maps.ts';
import type { Value } from '../../src/translate/ir/nodes.ts';
import { operations } from '../../src/translate/ir/operations.ts';
import { widthOf } from '../../src/translate/ir/types.ts';
import { termOfValue } from './rules/ir-formulas.ts';
import { claimText, generalizations, type Names, type Rewrite } from './rules/simplifications.ts';
import { decide } from './terms/bits.ts';
import { orderOf } from './terms/rewrite.ts';
import type { Solver, Verdict } from './terms/solver.ts';
import { equal, forgetTerms } from './terms/term.ts';

/** A claim of a rewrite with its verdict. */
export interface RewriteProof {
  /** The claim with its constants, and with `c` for each of them. */
  readonly text: string;
  readonly shape: string;
  readonly verdict: Verdict;
}

/** Proves rewrites. Proves each claim once, and the most general claim of a rewrite first. */
export class RewriteProver {
  private readonly solver: Solver;
  private readonly known = new Map<string, Promise<Verdict>>();

  constructor(solver: Solver) {
    this.solver = solver;
  }

  /** Returns the proof of a rewrite; for one that is not proved, the verdict of its exact claim. */
  async prove(rewrite: Rewrite): Promise<RewriteProof> {
    let last: RewriteProof | undefined;
    for (const names of generalizations(rewrite)) {
      const text = claimText(rewrite, names, false);
      const verdict = await getOrInsert(this.known, text, () => proveEqual(this.solver, rewrite, names));
      last = { text, shape: claimText(rewrite, names, true), verdict };
      if (verdict.kind === 'proved') break;
    }
    if (last === undefined) throw new Error('a rewrite has a claim');
    return last;
  }
}

/** Proves that an operation equals the value that replaces it. */
export async function proveEqual(
  solver: Solver,
  { original, result }: Pick<Rewrite, 'original' | 'result'>,
  names: Names,
): Promise<Verdict> {
  forgetTerms();
  const claim = equal(termOfValue(original, names), termOfValue(result, names));
  // Diagrams of products are large, and the solver decides products with constants.
  const hasProduct = orderOf(claim).some(({ kind }) => kind === 'bvmul');
  return (hasProduct ? undefined : decide(claim)) ?? solver.prove(claim);
}

/** Computes a value with the constant folding of the compiler, for values of its parameters by name. */
export function evaluate(value: Value, values: ReadonlyMap<string, bigint>): bigint {
  if (value.kind === 'constant') return value.bits;
  if (value.kind === 'param') return values.get(value.hint ?? '') ?? 0n; // Absent: any value.
  if (value.kind === 'undef') throw new Error('an undefined value');
  const { op, args, attrs } = value.inst;
  const bits = args.map((arg) => evaluate(arg, values));
  const types = args.map(({ type }) => type);
  const found = operations[op].fold?.(bits, types, attrs as never)?.[value.index];
  if (found === undefined) throw new Error(`${op} is not folded`);
  return BigInt.asUintN(widthOf(value.type), found);
}
