// Reductions of the elements of a box.
import type { TensorType } from '../../../base/tensor-map.ts';
import { elementType } from '../../tensor/tensor-map.ts';
import { atomicUpdate, type Update } from './atomics.ts';

/**
 * Returns the update of an element. The manual does not say which sums flush subnormals: on an H200,
 * those of types with `.ftz` do.
 */
export function boxUpdate(op: string, type: TensorType): Update {
  const update = atomicUpdate(op, elementType(type));
  const flushes = type.endsWith('.ftz');
  return (old, b, c) => update(old, b, c, flushes);
}
