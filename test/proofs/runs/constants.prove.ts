// Proves forms of lane instructions whose last operand is a constant. The simplifier rewrites most
// of them, for example a product with a power of two to a shift.
import { test } from 'vitest';
import type { Operand, Variant } from '../../lane-rows/variants.ts';
import { variants } from '../../lane-rows/variants.ts';
import { hasFormula, laneProblem } from '../lane-problem.ts';
import { Solver, type Verdict } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { proveConfirmed } from './confirmed.ts';
import { records } from './records.ts';

const solver = new Solver();
solver.limit(20_000);
const record = records('constants');

/** Constants of which rewrites depend: neutral and absorbing ones, powers of two, and limits. */
const constants: readonly bigint[] = [
  0n, 1n, 2n, 3n, 4n, 8n, 16n, 31n, 32n, 33n, 63n, 64n, 0xffn, 0x7fffn, 0x8000n, 0xffffn, 0x10000n,
  0x7fffffffn, 0x80000000n, 0xffffffffn, 0x100000000n, 0x8000000000000000n, 0xffffffffffffffffn,
]; // biome-ignore format: a list

function constantsOf({ type }: Operand): readonly bigint[] {
  if (type === 'pred') return [0n, 1n];
  const width = Number(/\d+$/.exec(type)?.[0]);
  return [...new Set(constants.map((each) => BigInt.asUintN(width, each)))];
}

const lastOf = ({ sources }: Variant): Operand | undefined => sources.at(-1);

/** Whether the last operand may be a constant. Quotients are proved for divisors that are powers of two. */
const mayBeConstant = (variant: Variant): boolean => {
  const last = lastOf(variant);
  return hasFormula(variant) && variant.sources.length > 1 && last !== undefined && last.name !== 'carry';
};

/** Comparisons with all logic operators would repeat those without. */
const isRepeated = ({ row }: Variant): boolean => /^(set|setp)\.bool$|^set$|^lop3|^dp|^fns|^mad|^sad|^cvt/.test(row);

const isQuotient = ({ row }: Variant): boolean => row === 'div' || row === 'rem';
const isPower = (value: bigint): boolean => value !== 0n && (value & (value - 1n)) === 0n;

async function prove(variant: Variant): Promise<Verdict> {
  const last = lastOf(variant);
  if (last === undefined) throw new Error(`${variant.label} has no operand`);
  let by: Extract<Verdict, { kind: 'proved' }>['by'] = 'diagrams';
  for (const value of constantsOf(last)) {
    if (isQuotient(variant) && !isPower(value)) continue;
    forgetTerms();
    const verdict = await proveConfirmed(solver, laneProblem(variant, { [last.name]: value }, 'constantLast'));
    if (verdict.kind !== 'proved') return verdict;
    if (verdict.by === 'solver') by = verdict.by;
  }
  return { kind: 'proved', by };
}

test.each(variants.filter((each) => mayBeConstant(each) && !isRepeated(each)))('$label', async (variant) => {
  await record({ rule: variant.label, row: variant.row, plan: 'constant' }, () => prove(variant));
});
