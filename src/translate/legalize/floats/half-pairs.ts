// Joins the conversions of two f32 values to the halves of a word, for adapters that convert both
// in one operation.
import type { Builder } from '../../ir/builder.ts';
import type { Program, Value } from '../../ir/nodes.ts';
import { halves } from '../calls.ts';
import { type Contents, type Family, lowerProgram } from '../lowering.ts';

/**
 * Returns the f32 value whose conversion to the nearest f16 has these bits; undefined for bits of
 * another origin.
 */
function roundedFrom(bits: Value | undefined): Value | undefined {
  if (bits?.kind !== 'result' || bits.inst.op !== 'bitcast' || bits.inst.when !== undefined) return undefined;
  const [half] = bits.inst.args;
  if (half?.kind !== 'result' || half.inst.op !== 'ftof' || half.inst.when !== undefined) return undefined;
  const { to, rounding, ftz } = half.inst.attrs;
  const [source] = half.inst.args;
  return to === 'f16' && rounding === 'rn' && !ftz && source?.type === 'f32' ? source : undefined;
}

const family: Family = {
  all: true,
  rules: {
    join: (lowering, inst) => {
      const [low, high] = inst.args.map(roundedFrom);
      return low && high && lowering.result(halves.fromPairOfF32('f16_pack'), low, high);
    },
  },
};

export const joinHalfPairs = (program: Program, builder: Builder, contents: Contents): void =>
  lowerProgram(program, builder, family, contents);
