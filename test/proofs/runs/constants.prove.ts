// Proves forms of lane instructions whose last operand is a constant. The simplifier rewrites most
// of them, for example a product with a power of two to a shift.
import { test } from 'vitest';
import { at } from '../../../src/base/invariants.ts';
import { type Operand, type Variant, variants } from '../../lane-rows/variants.ts';
import { hasFormula, laneProblem } from '../lane-problem.ts';
import { Solver, type Verdict } from '../terms/solver.ts';
import { proveEach } from './confirmed.ts';
import { records } from './records.ts';

const solver = new Solver();
solver.limit(20_000);
const record = records('constants');

/** Constants on which rewrites depend: neutral and absorbing ones, powers of two, and limits. */
const constants: readonly bigint[] = [
  0n, 1n, 2n, 3n, 4n, 8n, 16n, 31n, 32n, 33n, 63n, 64n, 0xffn, 0x7fffn, 0x8000n, 0xffffn, 0x10000n,
  0x7fffffffn, 0x80000000n, 0xffffffffn, 0x100000000n, 0x8000000000000000n, 0xffffffffffffffffn,
]; // biome-ignore format: a list

/** Returns the constants for an operand. Quotients are proved for divisors that are powers of two. */
function constantsOf(variant: Variant, { type }: Operand): readonly bigint[] {
  if (type === 'pred') return [0n, 1n];
  const width = Number(/\d+$/.exec(type)?.[0]);
  const all = [...new Set(constants.map((each) => BigInt.asUintN(width, each)))];
  return isQuotient(variant) ? all.filter(isPower) : all;
}

const lastOf = ({ sources }: Variant): Operand => at(sources, sources.length - 1, 'an operand');

const mayBeConstant = (variant: Variant): boolean =>
  hasFormula(variant) && variant.sources.length > 1 && lastOf(variant).name !== 'carry';

/** Comparisons with a logic operator, and `set`, would repeat `setp`. The run does not cover the other rows. */
const isExcluded = ({ row }: Variant): boolean => /^(set|setp)\.bool$|^set$|^lop3|^dp|^fns|^mad|^sad|^cvt/.test(row);

const isQuotient = ({ row }: Variant): boolean => row === 'div' || row === 'rem';
const isPower = (value: bigint): boolean => value !== 0n && (value & (value - 1n)) === 0n;

function prove(variant: Variant): Promise<Verdict> {
  const last = lastOf(variant);
  return proveEach(solver, constantsOf(variant, last), (value) =>
    laneProblem(variant, { [last.name]: value }, 'constantLast'),
  );
}

test.each(variants.filter((each) => mayBeConstant(each) && !isExcluded(each)))('$label', async (variant) => {
  await record({ rule: variant.label, row: variant.row, plan: 'constant' }, () => prove(variant));
});
