// The types of elements that reductions of boxes support. For other types, an H200 stops with an
// illegal instruction. The manual does not list them.
import type { TensorType } from './tensor-map.ts';

const sums = ['u32', 's32', 'u64', 'f16', 'bf16', 'f32', 'f64', 'f32.ftz', 'tf32', 'tf32.ftz'] as const;
const orders = ['u32', 's32', 'u64', 's64', 'f16', 'bf16'] as const;
const counts = ['u32'] as const;
const bits = ['u32', 's32', 'u64'] as const;

/** The types of each reduction. */
export const tensorReductions: ReadonlyMap<string, readonly TensorType[]> = new Map<string, readonly TensorType[]>([
  ['add', sums],
  ['min', orders],
  ['max', orders],
  ['inc', counts],
  ['dec', counts],
  ['and', bits],
  ['or', bits],
  ['xor', bits],
]);
