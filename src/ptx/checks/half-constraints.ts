// Combinations of modifiers that the rows of 16-bit floating point allow but PTX does not.
import { type Rule, when } from './objection.ts';

export const reluOrSat: Rule = ({ relu, sat }) =>
  when(relu !== undefined && sat !== undefined, '`.relu` and `.sat` exclude each other');

/** Checks `.ftz`. ptxas accepts it with every result type except bf16. */
export const flushedComparison: Rule = ({ ftz, dtype }) =>
  when(ftz !== undefined && dtype === 'bf16', '`.ftz` does not go with a result of `.bf16`');

/**
 * Checks comparisons of wider values whose result for true is 1.0 in 16 bits. Also returns
 * undefined for valid integer comparisons.
 */
export const halfComparison: Rule = ({ cmp = '', ftz, type = '' }) => {
  if (ftz !== undefined && type !== 'f32') return { why: '`.ftz` applies to `.f16` and `.f32`' };
  if (type.startsWith('f')) return when(/^(lo|ls|hi|hs)$/.test(cmp), `\`.${cmp}\` compares unsigned types only`);
  return when(/^(equ|neu|ltu|leu|gtu|geu|num|nan)$/.test(cmp), `\`.${cmp}\` compares floating point only`);
};

const isFloat = (type: string): boolean => type.startsWith('f') || type.startsWith('bf');

const integral = 'write `.rni`, `.rzi`, `.rmi` or `.rpi`';
const direct = 'write `.rn`, `.rz`, `.rm` or `.rp`';

/**
 * Checks a conversion. A conversion from f16 to f32 is exact, so it does not have a rounding.
 * Between f16 and bf16, the default rounding of PTX is to nearest.
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

/**
 * Checks a conversion from f32. PTX added `.relu` and `.satfinite` later, for only two rounding
 * modes and without other modifiers.
 */
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
