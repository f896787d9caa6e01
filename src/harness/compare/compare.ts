// Compares the buffers after a launch with the expected contents, element by element.

import { countOf, positionIn } from '../../base/dim3.ts';
import type {
  BufferParam,
  Dim3,
  ElementKind,
  Launch,
  LaunchOutputs,
  LaunchParam,
  Tolerance,
} from '../../base/launch.ts';
import { areBits, hexAt, readScalar, scalarFormats } from '../../base/scalars.ts';

/** A thread of a launch. */
export interface ThreadPlace {
  /** The position of the thread's block. */
  readonly block: Dim3;
  /** The number of the thread's warp in the block. */
  readonly warp: number;
  /** The number of the thread's lane in the warp. */
  readonly lane: number;
}

/** An element that differs from the expected element. */
export interface Mismatch {
  /** The name of the buffer parameter. */
  readonly param: string;
  /** The index of the element in the buffer. */
  readonly index: number;
  /** The expected bits, most significant digit first. */
  readonly expected: string;
  /** The actual bits; empty if the buffer is missing. */
  readonly got: string;
  /** The expected value as a number of the buffer's type; the bits if the buffer lacks a type. */
  readonly expectedValue: string;
  /** The actual value as a number of the buffer's type; the bits if the buffer lacks a type. */
  readonly gotValue: string;
  /** The thread that wrote the element last, if known. */
  readonly writer?: ThreadPlace;
}

/** The result of a comparison. The counts are numbers of buffer elements. */
export interface Comparison {
  /** The number of compared elements. */
  readonly compared: number;
  /**
   * The number of compared elements of which PTX leaves some bits undefined. Only the other bits
   * were compared.
   */
  readonly partial: number;
  /** The number of elements that PTX leaves undefined entirely. They were not compared. */
  readonly undefined: number;
  /** The number of elements that differ. */
  readonly mismatches: number;
  /** The first element that differs. */
  readonly first: Mismatch | undefined;
}

/** Options of `compareOutputs`. */
export interface CompareOptions {
  /**
   * For each parameter number, a mask for each byte of the bits that PTX leaves undefined. Only the
   * other bits are compared.
   */
  readonly undefinedMasks?: LaunchOutputs;
  /** For each parameter number, the linear global thread that wrote each byte last, or -1. */
  readonly writers?: ReadonlyMap<number, Int32Array>;
}

/**
 * Whether two numbers agree within `rel` times the expected number's magnitude, or within `abs`. A
 * NaN agrees with any NaN, and an infinity only with itself.
 */
export function withinTolerance(expected: number, got: number, tolerance: Tolerance): boolean {
  if (Number.isNaN(expected) || Number.isNaN(got)) return Number.isNaN(expected) && Number.isNaN(got);
  if (expected === got) return true;
  if (!Number.isFinite(expected) || !Number.isFinite(got)) return false;
  return Math.abs(expected - got) <= Math.max(tolerance.abs, tolerance.rel * Math.abs(expected));
}

function sameBytes(a: Uint8Array, b: Uint8Array, at: number, size: number): boolean {
  for (let i = at; i < at + size; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Whether two arrays agree in the bits that the mask does not cover. */
function sameBits(a: Uint8Array, b: Uint8Array, mask: Uint8Array, at: number, size: number): boolean {
  for (let i = at; i < at + size; i++) {
    if ((((a[i] ?? 0) ^ (b[i] ?? 0)) & ~(mask[i] ?? 0)) !== 0) return false;
  }
  return true;
}

/** Returns whether the mask covers an element entirely, in part, or not at all. */
function undefinedPart(mask: Uint8Array | undefined, at: number, size: number): 'none' | 'some' | 'all' {
  if (mask === undefined) return 'none';
  let [any, all] = [0, 0xff];
  for (let i = at; i < at + size; i++) {
    const bits = mask[i] ?? 0;
    any |= bits;
    all &= bits;
  }
  if (any === 0) return 'none';
  return all === 0xff ? 'all' : 'some';
}

/** Returns the place of a linear global thread number in the grid. */
export function threadPlace(launch: Launch, thread: number): ThreadPlace {
  const threads = countOf(launch.block);
  const block = Math.floor(thread / threads);
  const inBlock = thread % threads;
  return {
    block: positionIn(launch.grid, block),
    warp: Math.floor(inBlock / 32),
    lane: inBlock % 32,
  };
}

const textAt = (type: ElementKind, bytes: Uint8Array, index: number): string => {
  const { bytes: size } = scalarFormats[type];
  return areBits(type) ? hexAt(bytes, index * size, size) : String(readScalar(type, bytes, index));
};

function describeMismatch(
  launch: Launch,
  param: BufferParam,
  expected: Uint8Array,
  got: Uint8Array,
  index: number,
  writer: number,
): Mismatch {
  const size = scalarFormats[param.type].bytes;
  const at = index * size;
  const inside = at + size <= expected.length && at + size <= got.length;
  return {
    param: param.name,
    index,
    expected: hexAt(expected, at, size),
    got: hexAt(got, at, size),
    expectedValue: inside ? textAt(param.type, expected, index) : '',
    gotValue: inside ? textAt(param.type, got, index) : '',
    ...(writer < 0 ? {} : { writer: threadPlace(launch, writer) }),
  };
}

/** Whether a case leaves a buffer's contents after the launch unspecified. */
export const isUnspecified = (param: LaunchParam | undefined): boolean =>
  param?.kind === 'buffer' && param.expect === 'any';

/**
 * Compares the buffers of `expected` with those of `actual`, element by element. Every bit must
 * match, unless a buffer has a tolerance. Bytes after the last whole element count as one more
 * element. A buffer whose `expect` is `any` is skipped. If `actual` lacks a buffer, all elements of
 * the buffer differ.
 */
export function compareOutputs(
  launch: Launch,
  expected: LaunchOutputs,
  actual: LaunchOutputs,
  options: CompareOptions = {},
): Comparison {
  let compared = 0;
  let partial = 0;
  let undefinedCount = 0;
  let mismatches = 0;
  let first: Mismatch | undefined;
  for (const [paramIndex, want] of expected) {
    const param = launch.params[paramIndex];
    if (param?.kind !== 'buffer') throw new RangeError(`parameter ${paramIndex} of ${launch.id} is not a buffer`);
    if (isUnspecified(param)) continue;
    const got = actual.get(paramIndex) ?? new Uint8Array(0);
    const mask = options.undefinedMasks?.get(paramIndex);
    const { bytes: size, float } = scalarFormats[param.type];
    for (let index = 0; index * size < want.length; index++) {
      const at = index * size;
      const width = Math.min(size, want.length - at);
      const undefinedOf = undefinedPart(mask, at, width);
      if (undefinedOf === 'all') {
        undefinedCount++;
        continue;
      }
      compared++;
      if (undefinedOf === 'some') partial++;
      if (at + width <= got.length && sameBytes(want, got, at, width)) continue;
      if (undefinedOf === 'some' && mask && at + width <= got.length && sameBits(want, got, mask, at, width)) continue;
      if (
        undefinedOf === 'none' &&
        param.tolerance !== undefined &&
        float &&
        width === size &&
        at + size <= got.length
      ) {
        const a = Number(readScalar(param.type, want, index));
        const b = Number(readScalar(param.type, got, index));
        if (withinTolerance(a, b, param.tolerance)) continue;
      }
      mismatches++;
      first ??= describeMismatch(launch, param, want, got, index, options.writers?.get(paramIndex)?.[at] ?? -1);
    }
  }
  return { compared, partial, undefined: undefinedCount, mismatches, first };
}

/** Returns the `expect` buffers of a launch, by parameter index. */
export function expectedOutputs(launch: Launch): LaunchOutputs {
  const outputs = new Map<number, Uint8Array>();
  for (const [index, param] of launch.params.entries()) {
    if (param.kind === 'buffer' && param.expect instanceof Uint8Array) outputs.set(index, param.expect);
  }
  return outputs;
}
