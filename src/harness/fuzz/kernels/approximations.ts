// Approximate instructions, for which PTX defines only error bounds. The arguments are chosen so
// that the exact results are whole numbers, and the kernel rounds the results to whole numbers.
import { type LaneTemplate, written } from './lane-template.ts';

/**
 * Returns lines that make an f32 in T0 from the bits of S0. The value of the function for T0, in
 * T1, is close to a whole number.
 */
const small = (mask: number, base: number): string =>
  `and.b32 T2, S0, ${mask}; sub.s32 T2, T2, ${base}; cvt.rn.f32.s32 T0, T2`;
/** Returns lines for 2 to the power of `factor` times a number from 0 to 7. */
const power = (factor: number): string =>
  `and.b32 T2, S0, 7; mad.lo.s32 T2, T2, ${factor * 2 ** 23}, 0x3f800000; mov.b32 T0, T2`;
/** Returns lines for the product of a constant and a number from -2 to 1. */
const multiple = (bits: string): string => `${small(3, 2)}; mul.rn.f32 T0, T0, 0f${bits}`;

const unary = (opcode: string, argument: string): LaneTemplate =>
  written('approx', `${argument}; ${opcode} T1, T0; cvt.rni.s32.f32 D0, T1`, 'r', 'r', 'ffr');

const quotient = (opcode: string): LaneTemplate =>
  written(
    'approx',
    `${small(31, 16)}; and.b32 T2, S1, 7; add.s32 T2, T2, 1; cvt.rn.f32.s32 T1, T2; mul.rn.f32 T0, T0, T1; ${opcode} T1, T0, T1; cvt.rni.s32.f32 D0, T1`,
    'r',
    'rr',
    'ffr',
  );

export const approximations: readonly LaneTemplate[] = [
  ...['', '.ftz'].flatMap((ftz) => [
    unary(`rcp.approx${ftz}.f32`, power(-1)),
    unary(`sqrt.approx${ftz}.f32`, power(2)),
    unary(`rsqrt.approx${ftz}.f32`, power(-2)),
    unary(`lg2.approx${ftz}.f32`, power(-3)),
    unary(`ex2.approx${ftz}.f32`, small(7, 0)),
    // The arguments are multiples of a quarter turn for the sine, and of a half turn for the
    // cosine.
    unary(`sin.approx${ftz}.f32`, multiple('3fc90fdb')),
    unary(`cos.approx${ftz}.f32`, multiple('40490fdb')),
    quotient(`div.approx${ftz}.f32`),
    quotient(`div.full${ftz}.f32`),
  ]),
  unary('tanh.approx.f32', multiple('41200000')),
];
