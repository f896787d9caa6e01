// The properties of matrix products on which the sums of tensor cores depend.
import { missing } from '../../base/invariants.ts';
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';

/**
 * The exponent of the least normal number of each type. 8-bit factors are converted to f16 before
 * they are multiplied.
 */
const leastExponents: Readonly<Partial<Record<ElementType, number>>> = {
  f16: -14,
  e4m3: -14,
  e5m2: -14,
  bf16: -126,
  tf32: -126,
  f32: -126,
};
export const leastExponentOf = (type: ElementType): number =>
  leastExponents[type] ?? missing('the least exponent of a type', type);

/** The exponent of the least normal e4m3 number, for factors that are not converted to f16. */
export const leastE4m3 = -6;

/**
 * Returns the exponent of the least normal factor of a form. A warpgroup multiplies 8-bit factors
 * without conversion.
 */
export const leastFactorOf = (form: MatrixForm, operand: 'a' | 'b'): number =>
  form.isWarpgroup && form.types[operand] === 'e4m3' ? leastE4m3 : leastExponentOf(form.types[operand]);

/** Whether the floating-point sums of a form depend on the hardware. */
export const hasTensorCoreSums = ({ types }: MatrixForm): boolean => leastExponents[types.a] !== undefined;

/** Whether tensor cores add the products, instead of f32 instructions. */
export const hasTensorCoreSteps = (form: MatrixForm): boolean => hasTensorCoreSums(form) && form.products === 1;

export const isByte = (type: ElementType): boolean => type === 'e4m3' || type === 'e5m2';

/** Whether 8-bit factors are converted to f16, in two steps. */
export const convertsBytes = ({ types, isWarpgroup }: MatrixForm): boolean => isByte(types.a) && !isWarpgroup;

/** Whether a step keeps 13 bits of each term instead of 25. */
export const keepsFewBits = ({ types, isWarpgroup }: MatrixForm): boolean => isByte(types.a) && isWarpgroup;

export const sumTypeOf = ({ types }: MatrixForm): 'f16' | 'f32' =>
  types.c === 'f32' || types.d === 'f32' ? 'f32' : 'f16';
