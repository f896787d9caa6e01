// Combinations of modifiers that the rows of 16-bit floating point allow but PTX does not.
import { type Rule, when } from './objection.ts';

export const reluOrSat: Rule = ({ relu, sat }) =>
  when(relu !== undefined && sat !== undefined, '`.relu` and `.sat` exclude each other');

/** ptxas takes `.ftz` with any result but bf16. */
export const flushedComparison: Rule = ({ ftz, dtype }) =>
  when(ftz !== undefined && dtype === 'bf16', '`.ftz` does not go with a result of `.bf16`');

/** Comparisons of wider values that give 1.0 in 16 bits. Undefined, too, for those of integers that have no fault of their own here. */
export const halfComparison: Rule = ({ cmp = '', ftz, type = '' }) => {
  if (ftz !== undefined && type !== 'f32') return { why: '`.ftz` applies to `.f16` and `.f32`' };
  if (type.startsWith('f')) return when(/^(lo|ls|hi|hs)$/.test(cmp), `\`.${cmp}\` compares unsigned types only`);
  return when(/^(equ|neu|ltu|leu|gtu|geu|num|nan)$/.test(cmp), `\`.${cmp}\` compares floating point only`);
};

const isFloat = (type: string): boolean => type.startsWith('f') || type.startsWith('bf');

const integral = 'write `.rni`, `.rzi`, `.rmi` or `.rpi`';
const direct = 'write `.rn`, `.rz`, `.rm` or `.rp`';

/**
 * By what is exact, and what may be left out: from f16 to f32 nothing is rounded; between f16 and bf16 rounding to nearest is what PTX means
 * where it says nothing.
 */
export const halfConversion: Rule = ({ rnd, ftz, dtype = '', atype = '' }) => {
  if (ftz !== undefined && dtype !== 'f32') return { why: '`.ftz` applies to `.f32`' };
  const toIntegral = rnd?.endsWith('i') ?? false;
  if (!isFloat(dtype)) return when(!toIntegral, `${atype} to integer needs a rounding mode`, integral);
  if (dtype === atype)
    return when(rnd !== undefined && !toIntegral, `${atype} to ${dtype} rounds to integers only`, integral);
  if (toIntegral) return { why: `${atype} to ${dtype} takes no rounding to an integer` };
  if (dtype === 'f32') return when(rnd !== undefined, 'f16 to f32 takes no rounding mode');
  return when(rnd === undefined && !isFloat(atype), `integer to ${dtype} needs a rounding mode`, direct);
};

/** From f32. `.relu` and `.satfinite` came later, for two of the roundings and nothing else beside. */
export const narrowing: Rule = ({ rnd = '', ftz, sat, relu, satfinite }) => {
  const later = relu === undefined ? satfinite : relu;
  if (later === undefined) return undefined;
  return (
    when(rnd !== 'rn' && rnd !== 'rz', `\`.${later}\` goes with \`.rn\` and \`.rz\``) ??
    when(ftz !== undefined || sat !== undefined, `\`.${later}\` excludes \`.${ftz ?? sat}\``)
  );
};

export const tensorConversion: Rule = ({ rnd, relu, satfinite }) =>
  when(rnd === 'rna' && relu !== undefined, '`.rna` takes no `.relu`') ??
  (rnd !== 'rna' && satfinite !== undefined
    ? { why: `\`.satfinite\` goes with \`.rna\` here`, unsupported: satfinite }
    : undefined);
