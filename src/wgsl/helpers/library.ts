// The known helpers and their text. A program contains the helpers that it uses; a helper follows
// the helpers that it calls.

import { InternalError } from '../../base/invariants.ts';
import { commonHelpers } from './common.ts';
import type { Helper } from './helper.ts';

const known = new Map<string, Helper>(Object.entries(commonHelpers));

/** The names in `elementaryHelpers` and `rareHelpers`, which may not be loaded. */
const namesOnUse = `
  soft_div soft_sqrt f32_sqrt f32_sqrt_fused f32_quotient f32_has_quotient f32_div f32_div_ftz
  f32_close_quotient f32_has_close_quotient f32_div_close f32_div_close_ftz f32_div_approx
  f32_ex2_far f32_ex2_near f32_ex2 f32_ex2_close f32_lg2 f32_rsqrt f32_sin_poly f32_cos_poly
  f32_quarter_turns f32_sin f32_cos f32_tanh
  reciprocal_segment root_segment exponential_segment tangent_segment interpolator_square
  interpolated_ex2 interpolated_tanh f64_is_nan f64_quiet f64_invalid f64_neg f64_abs f64_ordered
  f64_zeros f64_less f64_eq f64_ne f64_lt f64_le f64_min f64_max f64_saturate f64_exponent
  f64_significand f64_pack f64_pack_rz f64_pack_rm f64_pack_rp shift_right_lost64 f64_round
  f64_round_rz f64_round_rm f64_round_rp f64_normal f64_add f64_add_rz f64_add_rm f64_add_rp
  f64_sub f64_sub_rz f64_sub_rm f64_sub_rp f64_product f64_mul f64_mul_rz f64_mul_rm f64_mul_rp
  f64_fma_special f64_product128 f64_fma f64_fma_rz f64_fma_rm f64_fma_rp mul_digit64 f64_digit
  f64_quotient f64_div f64_div_rz f64_div_rm f64_div_rp f64_root_digit f64_root f64_sqrt
  f64_sqrt_rz f64_sqrt_rm f64_sqrt_rp f64_fma_chain2 f64_fma_chain3 f64_fma_chain4
  f64_fma_polynomial2 f64_fma_polynomial3 f64_fma_polynomial4 f64_is_ordinary
  f64_ordinary_round62 f64_ordinary_round63 f64_ordinary_add f64_ordinary_sub f64_ordinary_mul
  f64_ordinary_fma f64_ordinary_div f64_ordinary_sqrt f64_from_f32 f32_from_f64_rounded
  f32_from_f64 f64_from_u32 f64_from_s32 f64_from_u64 f64_from_u64_rz f64_from_u64_rm
  f64_from_u64_rp f64_to_u64 f64_to_s64 f64_size f64_size_word f64_to_u32 f64_to_s32 f64_integral
  f64_rcp_approx f64_rsqrt_approx f64_rsqrt f16_cut f16_ex2 bf16_ex2 f16_tanh bf16_tanh
  f16_to_f32 f16_of_size f16_from_f32 f16_pack bf16_to_f32 bf16_from_f32 f16_add f16_sub f16_mul
  f16_fma bf16_add bf16_sub bf16_mul bf16_fma f16_flush half_canonical half_saturate half_order
  half_key half_ordered half_eq half_ne half_lt half_le half_min half_max half_min_nan
  half_max_nan f16_round bf16_round f16_rounded bf16_rounded f16_from_u32 bf16_from_u32
  f16_from_u64 bf16_from_u64 f16_from_f64 bf16_from_f64 f16_soft_fma bf16_soft_fma e4m3_element
  sparse_halves sparse_bytes f32_sum_bits f16_sum_bits f16_sum_pack f32_scale_subnormal
  f32_restore_subnormal
  f32_product_is_tiny f32_add_to_chain f16_powers e4m3_power tensor_scales tensor_scales_f16 tensor_total
  tensor_f32 tensor_f16 tensor_is_negative tensor_sums tensor_sums_short tensor_sums_f16 tensor_exponent
  tensor_significand tensor_scale tensor_special tensor_special_sum tensor_largest
  tensor_distance_scales tensor_specials tensor_addend tensor_general_sum tensor_general_sum_f16
  tensor_general_sums tensor_general_sum_short tensor_general_sums_short tensor_general_sums_f16
  small_float small_to_f16
`;

/** The names of all helpers. The other names of a program must differ from these. */
export const helperNames: readonly string[] = [...Object.keys(commonHelpers), ...namesOnUse.trim().split(/\s+/)];

/** Adds helpers to those that the printer knows. */
export function provideHelpers(helpers: Readonly<Record<string, Helper>>): void {
  for (const [name, helper] of Object.entries(helpers)) known.set(name, helper);
}

const sizes = new Map<string, number>();

/**
 * Returns the size of a helper in characters after inlining all calls in it, as drivers do. Throws
 * an error for an unknown helper.
 */
export function inlinedSize(name: string): number {
  const found = sizes.get(name);
  if (found !== undefined) return found;
  const helper = known.get(name);
  if (!helper) throw new InternalError(`unknown helper ${name}`);
  const own = helper.code.replaceAll(/^\s*\/\/.*$/gm, '');
  let size = own.length;
  // Absent: the helper does not call other helpers.
  for (const callee of helper.uses ?? []) {
    const calls = own.split(`${callee}(`).length - 1;
    size += calls * inlinedSize(callee);
  }
  sizes.set(name, size);
  return size;
}

/**
 * Returns the text of helpers and of all helpers that they call. Throws an error for an unknown
 * helper.
 */
export function renderKnownHelpers(used: Iterable<string>): string {
  const done = new Set<string>();
  const parts: string[] = [];
  const visit = (name: string): void => {
    if (done.has(name)) return;
    done.add(name);
    const helper = known.get(name);
    if (!helper) throw new InternalError(`unknown helper ${name}`);
    // Absent: the helper does not call other helpers.
    for (const callee of helper.uses ?? []) visit(callee);
    parts.push(helper.code.trim());
  };
  for (const name of used) visit(name);
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}
