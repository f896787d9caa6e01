// The integer arithmetic that WGSL lacks: shifts by large amounts, division by zero, high products,
// and bit fields that extend beyond the word.
import type { Workarounds } from '../../../base/workarounds.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import type { Builder } from '../../ir/builder.ts';
import { constantOf, type Func, type Inst, type Program, type Value } from '../../ir/nodes.ts';
import { words } from '../calls.ts';
import { type Family, type Lower, lowerFunc, type Plain } from '../lowering.ts';

/** Returns the maximum of a value, if it is known. */
export type MaxOf = (value: Value) => number | undefined;

const isWord = ({ args }: Inst): boolean => args[0]?.type === 'i32';

const divided =
  (op: 'udiv' | 'urem' | 'sdiv' | 'srem', name: HelperName): Plain =>
  (lowering, inst) => {
    // Absent: the divisor is not a constant, so it may be 0.
    const isSafe = (constantOf(inst.args[1]) ?? 0n) !== 0n && (op === 'udiv' || op === 'urem');
    return isSafe ? undefined : lowering.result(words.two(name), ...lowering.args(inst));
  };

const called =
  (name: HelperName, call: (name: HelperName) => ReturnType<typeof words.two>): Plain =>
  (lowering, inst) =>
    isWord(inst) ? lowering.result(call(name), ...lowering.args(inst)) : undefined;

const field =
  (call: ReturnType<typeof words.two>, position: number): Plain =>
  (lowering, inst) => {
    const [start, count] = [constantOf(inst.args[position]), constantOf(inst.args[position + 1])];
    if (start !== undefined && count !== undefined && start + count <= 32n) return undefined;
    return lowering.result(call, ...lowering.args(inst));
  };

/** Lowers comparisons of i1 values. */
const compared: Lower<'icmp'> = (lowering, inst) => {
  if (inst.args[0]?.type !== 'i1') return undefined;
  const { builder } = lowering;
  const [a, b] = [lowering.arg(inst, 0), lowering.arg(inst, 1)];
  const { relation } = inst.attrs;
  if (relation === 'ne') return [builder.xor(a, b)];
  if (relation === 'eq') return [builder.not(builder.xor(a, b))];
  return [builder.icmp(relation, builder.resize(a, 'i32'), builder.resize(b, 'i32'))];
};

const signExtended: Lower<'sext'> = (lowering, inst) => {
  const { builder } = lowering;
  return [builder.select(lowering.arg(inst, 0), builder.i32(-1), builder.i32(0))];
};

const truncated: Lower<'trunc'> = (lowering, inst) => {
  const { builder } = lowering;
  return [builder.icmp('ne', builder.and(lowering.arg(inst, 0), builder.i32(1)), builder.i32(0))];
};

function family(maxOf: MaxOf, workarounds: Workarounds): Family {
  const shifted =
    (modulo: 'shlw' | 'lshrw' | 'ashrw', call: ReturnType<typeof words.two>): Plain =>
    (lowering, inst) => {
      const [, amount] = inst.args;
      const max = amount && maxOf(amount);
      if (max !== undefined && max < 32) return [lowering.builder.value(modulo, {}, lowering.args(inst))];
      return lowering.result(call, ...lowering.args(inst));
    };
  const shiftsFirst = workarounds.has('shift-before-extract');
  return {
    all: true,
    rules: {
      udiv: divided('udiv', 'div_u32'),
      urem: divided('urem', 'rem_u32'),
      sdiv: divided('sdiv', 'div_s32'),
      srem: divided('srem', 'rem_s32'),
      umulhi: called('mul_hi_u32', words.two),
      smulhi: called('mul_hi_s32', words.two),
      clz: called('leading_zeros', words.one),
      shl: shifted('shlw', words.two('shl_clamp')),
      lshr: shifted('lshrw', words.two('shr_clamp')),
      ashr: shifted('ashrw', words.signedShift('sar_clamp')),
      ubfe: field(words.three(shiftsFirst ? 'bfe_u32' : 'bfe_u32_plain'), 1),
      sbfe: field(words.signedField(shiftsFirst ? 'bfe_s32' : 'bfe_s32_plain'), 1),
      bfi: field(words.four('bfi_b32'), 2),
      icmp: compared,
      sext: signExtended,
      trunc: truncated,
    },
  };
}

const nothingKnown: MaxOf = () => undefined;

/** Lowers the integer arithmetic that WGSL lacks. Requires that all integers are i32 or i1. */
export function legalizeShifts(
  program: Program,
  builder: Builder,
  workarounds: Workarounds,
  rangesOf?: (func: Func) => MaxOf,
): void {
  const lower = (func: Func): Func =>
    lowerFunc(func, builder, family(rangesOf && hasOpenShift(func) ? rangesOf(func) : nothingKnown, workarounds));
  program.functions = program.functions.map(lower);
  lower(program.kernel);
}

/** Whether the function has a shift whose result is zero, or all sign bits, for some amounts. */
const hasOpenShift = ({ blocks }: Func): boolean =>
  blocks.some(({ insts }) => insts.some(({ op }) => op === 'shl' || op === 'lshr' || op === 'ashr'));
