// Draws the contents of buffers for a kernel that has no test data.
import type { BufferParam, ScalarKind } from '../../base/launch.ts';
import { encodeScalar, scalarFormats } from '../../base/scalars.ts';
import type { PointerUse } from '../infer/index.ts';
import type { Random } from '../suites/random.ts';

/**
 * The contents of elements that the kernel uses as indexes:
 * - `permutation`: each number below the size once, then repeated.
 * - `sorted`: nondecreasing numbers, such as the row starts of a sparse matrix.
 * - `random`: random numbers below the size.
 * - `zeros`: only zeros.
 */
export type IndexContents = 'permutation' | 'sorted' | 'random' | 'zeros';

export interface BufferPlan {
  readonly bytes: number;
  /** The exclusive upper bound of index values. */
  readonly size: number;
  readonly indexes: IndexContents;
}

/** The number of elements for which contents are drawn. These contents are then repeated. */
const drawnElements = 4096;

/**
 * Draws a buffer. Its numbers are small integers or quarters, so that sums and products are exact
 * and do not depend on the order of additions.
 */
export function drawBuffer(use: PointerUse, name: string, plan: BufferPlan, numbers: Random): BufferParam {
  const kind = use.element;
  const { bytes: width, float } = scalarFormats[kind];
  const values = use.holdsIndexes && !float ? indexes(plan, numbers) : () => drawElement(kind, numbers);
  const data = new Uint8Array(plan.bytes);
  const drawn = Math.min(plan.bytes, drawnElements * width);
  for (let at = 0, element = 0; at + width <= drawn; at += width, element++) {
    const value = values(element);
    data.set(encodeScalar(kind, width === 8 && !float ? BigInt(value) : value), at);
  }
  for (let at = drawn; at < data.length; at += drawn) data.copyWithin(at, 0, Math.min(drawn, data.length - at));
  return { name, kind: 'buffer', type: kind, bytes: plan.bytes, data };
}

function drawElement(kind: ScalarKind, numbers: Random): number {
  if (scalarFormats[kind].float) return (numbers.below(33) - 16) / 4;
  return numbers.below(scalarFormats[kind].bytes === 1 ? 8 : 16);
}

function indexes({ size, indexes: contents }: BufferPlan, numbers: Random): (element: number) => number {
  const n = Math.max(1, size);
  switch (contents) {
    case 'zeros':
      return () => 0;
    case 'random':
      return () => numbers.below(n);
    case 'sorted':
      return (element) => Math.min(n, Math.floor(element / 2) * 2);
    case 'permutation': {
      // A step that is coprime to n reaches every number below n.
      const step = coprime(n, 1 + numbers.below(n));
      return (element) => (element * step) % n;
    }
  }
}

function coprime(n: number, start: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let step = start;
  while (divisor(n, step) !== 1) step++;
  return step;
}
