// The contents of buffers for a kernel that came without any.
import type { BufferParam, ScalarKind } from '../../base/launch.ts';
import { encodeScalar, scalarFormats } from '../../base/scalars.ts';
import type { PointerUse } from '../infer/index.ts';
import type { Random } from '../suites/random.ts';

/**
 * What elements hold that the kernel uses as indexes:
 * - `permutation`: each number below the size once, then again
 * - `sorted`: numbers that never decrease, such as the starts of a sparse matrix's rows
 * - `random`: any numbers below the size
 * - `zeros`
 */
export type IndexContents = 'permutation' | 'sorted' | 'random' | 'zeros';

export interface BufferPlan {
  readonly bytes: number;
  /** Numbers that are indexes are smaller. */
  readonly size: number;
  readonly indexes: IndexContents;
}

/** Contents are drawn for this many elements and then repeated. */
const drawnElements = 4096;

/** Numbers are small integers or quarters, so that their sums and products are exact and no order of adding shows. */
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
      // A step without a common factor visits every number.
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
