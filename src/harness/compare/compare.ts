// Compares the buffers after a launch with what is expected, element by element.
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

/** The thread that last wrote an element. */
export interface ThreadPlace {
  readonly block: Dim3;
  readonly warp: number;
  readonly lane: number;
}

export interface Mismatch {
  /** Name of the buffer parameter, and the element's index in it. */
  readonly param: string;
  readonly index: number;
  /** Bits, most significant digit first; '' where the buffer is missing. */
  readonly expected: string;
  readonly got: string;
  /** The same as numbers of the buffer's type, or again as bits if it has none. */
  readonly expectedValue: string;
  readonly gotValue: string;
  readonly writer?: ThreadPlace;
}

export interface Comparison {
  /** Elements compared, elements left out as undefined by PTX, and elements that differ. */
  readonly compared: number;
  /**
   * Those of the compared elements of which PTX leaves some bits undefined: only the others were
   * compared.
   */
  readonly partial: number;
  readonly undefined: number;
  readonly mismatches: number;
  readonly first: Mismatch | undefined;
}

export interface CompareOptions {
  /**
   * By parameter index: for each byte of the buffer the bits that PTX leaves undefined. Only the other
   * bits of an element are compared; an element without any is undefined.
   */
  readonly undefinedMasks?: LaunchOutputs;
  /** By parameter index: for each byte the linear global thread that wrote it last, or -1. */
  readonly writers?: ReadonlyMap<number, Int32Array>;
}

/** Whether two numbers agree within `rel` of the expected one's size, or within `abs`. NaN agrees with NaN, an infinity only with itself. */
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

/** Whether the bits of two arrays agree that a mask does not name. */
function sameBits(a: Uint8Array, b: Uint8Array, mask: Uint8Array, at: number, size: number): boolean {
  for (let i = at; i < at + size; i++) {
    if ((((a[i] ?? 0) ^ (b[i] ?? 0)) & ~(mask[i] ?? 0)) !== 0) return false;
  }
  return true;
}

/** How much of an element a mask names. */
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

/** Where in the grid a linear global thread number is. */
export function threadPlace(launch: Launch, thread: number): ThreadPlace {
  const [x, y, z] = launch.block;
  const threads = x * y * z;
  const block = Math.floor(thread / threads);
  const inBlock = thread % threads;
  const [gx, gy] = launch.grid;
  return {
    block: [block % gx, Math.floor(block / gx) % gy, Math.floor(block / (gx * gy))],
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

/** Whether a case leaves open what a buffer holds after the launch. */
export const isUnspecified = (param: LaunchParam | undefined): boolean =>
  param?.kind === 'buffer' && param.expect === 'any';

/**
 * Compares every buffer of `expected` with the same parameter of `actual`. Bits decide, except that a buffer with a tolerance compares
 * numbers; bytes past the last whole element are compared as one more element. A buffer whose `expect` is `any` is not compared. A buffer that `actual` lacks mismatches in every element.
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

/** The `expect` buffers of a launch, by parameter index. */
export function expectedOutputs(launch: Launch): LaunchOutputs {
  const outputs = new Map<number, Uint8Array>();
  for (const [index, param] of launch.params.entries()) {
    if (param.kind === 'buffer' && param.expect instanceof Uint8Array) outputs.set(index, param.expect);
  }
  return outputs;
}
