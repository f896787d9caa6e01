// f64 values as pairs of words. The prelude implements the arithmetic on integers, for every
// adapter profile, with one function per operation and rounding. Moves, selections and
// classification are operations on words.
import { missing } from '../../../base/invariants.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type InstNamed, type Program, undef, type Value } from '../../ir/nodes.ts';
import type { RoundedOp, Rounding } from '../../ir/operations.ts';
import type { Type } from '../../ir/types.ts';
import { doubles, pairs, words } from '../calls.ts';
import { pairOf } from '../integers/wide-parts.ts';
import { type Contents, type Family, type Lower, type Lowering, lowerProgram } from '../lowering.ts';
import { doubleComparisons } from './f64-compare.ts';
import { doubleConversions } from './f64-convert.ts';

type ByRounding = Readonly<Record<Rounding, HelperName>>;

const functions: Readonly<Record<RoundedOp, ByRounding>> = {
  fadd: { rn: 'f64_add', rz: 'f64_add_rz', rm: 'f64_add_rm', rp: 'f64_add_rp' },
  fsub: { rn: 'f64_sub', rz: 'f64_sub_rz', rm: 'f64_sub_rm', rp: 'f64_sub_rp' },
  fmul: { rn: 'f64_mul', rz: 'f64_mul_rz', rm: 'f64_mul_rm', rp: 'f64_mul_rp' },
  fdiv: { rn: 'f64_div', rz: 'f64_div_rz', rm: 'f64_div_rm', rp: 'f64_div_rp' },
  ffma: { rn: 'f64_fma', rz: 'f64_fma_rz', rm: 'f64_fma_rm', rp: 'f64_fma_rp' },
  fsqrt: { rn: 'f64_sqrt', rz: 'f64_sqrt_rz', rm: 'f64_sqrt_rm', rp: 'f64_sqrt_rp' },
};

const rounded = (lowering: Lowering, inst: InstNamed<RoundedOp>): readonly Value[] => {
  const name = functions[inst.op][inst.attrs.rounding];
  const call =
    { 1: pairs.one, 2: pairs.two, 3: doubles.three }[inst.args.length] ??
    missing('a function with this number of operands', inst.args.length);
  return lowering.result(call(name), ...lowering.args(inst));
};

/** Lowers a change of the sign, which only affects the high word. */
const signed =
  (name: 'f64_neg' | 'f64_abs') =>
  (lowering: Lowering, inst: InstNamed<'fneg'> | InstNamed<'fabs'>): readonly Value[] => {
    const [low, high] = pairOf(lowering, inst, 0);
    return [low, ...lowering.call(pairs.toWord(name), low, high)];
  };

const extreme =
  (name: 'f64_min' | 'f64_max') =>
  (lowering: Lowering, inst: InstNamed<'fmin'> | InstNamed<'fmax'>): readonly Value[] | undefined =>
    inst.attrs.nan ? undefined : lowering.result(pairs.two(name), ...lowering.args(inst));

/** Lowers an approximation. With `.ftz`, it is a function from the upper word to the upper word. */
const approximation: Lower<'fapprox'> = (lowering, inst) => {
  const { fn, ftz } = inst.attrs;
  const [low, high] = pairOf(lowering, inst, 0);
  if (fn === 'rsqrt' && !ftz) return lowering.result(pairs.one('f64_rsqrt'), low, high);
  if (!ftz || (fn !== 'rcp' && fn !== 'rsqrt')) return undefined;
  return [constant('i32', 0), ...lowering.call(words.one(fn === 'rcp' ? 'f64_rcp_approx' : 'f64_rsqrt_approx'), high)];
};

/** Lowers casts from and to 64-bit integers, which later become words. */
const cast: Lower<'bitcast'> = (lowering, inst) => {
  const [first, second] = lowering.args(inst);
  if (first === undefined) return undefined;
  return second === undefined ? lowering.builder.split(first) : [lowering.builder.join(first, second)];
};

const family: Family = {
  parts: (type: Type) => (type === 'f64' ? ['i32', 'i32'] : undefined),
  suffixes: ['_lo', '_hi'],
  literal(value) {
    if (value.kind !== 'constant') return [undef('i32'), undef('i32')];
    return [constant('i32', value.bits), constant('i32', value.bits >> 32n)];
  },
  rules: {
    fadd: rounded,
    fsub: rounded,
    fmul: rounded,
    fdiv: rounded,
    ffma: rounded,
    fsqrt: rounded,
    fneg: signed('f64_neg'),
    fabs: signed('f64_abs'),
    fmin: extreme('f64_min'),
    fmax: extreme('f64_max'),
    fsaturate: (lowering, inst) => lowering.result(pairs.one('f64_saturate'), ...lowering.args(inst)),
    fapprox: approximation,
    bitcast: cast,
    ...doubleComparisons,
    ...doubleConversions,
  },
};

/** Removes all f64 values. */
export const legalizeDoubles = (program: Program, builder: Builder, contents?: Contents): void =>
  lowerProgram(program, builder, family, contents);
