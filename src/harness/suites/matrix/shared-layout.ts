// Random layouts of the matrices of a warpgroup's product in shared memory.
import { InternalError } from '../../../base/invariants.ts';
import { alongBytes, elementAddress, type MatrixDescriptor, unitBytes } from '../../../cpu-ref/matrix/shared-matrix.ts';
import { elementBits, type MatrixForm } from '../../../isa/fragments.ts';
import type { Random } from '../random.ts';

/** The rows of a core matrix, and its bytes without swizzling. */
const coreRows = 8;
const coreBytes = coreRows * unitBytes;

/** The size of a matrix. */
export interface SharedSize {
  /** The number of rows of A, or of columns of B. */
  readonly outer: number;
  /** The number of bytes of a row of A, or of a column of B. */
  readonly along: number;
  /** The number of bytes of an element. */
  readonly bytes: number;
}

/** Returns the size of A or B in shared memory, with a number of rows or columns. */
export const sharedSize = (form: MatrixForm, operand: 'a' | 'b', outer: number): SharedSize => ({
  outer,
  along: alongBytes(form, operand),
  bytes: Math.max(elementBits[form.types.a] / 8, 1),
});

/** A matrix in shared memory: its first byte is at 0 of its own memory. */
export interface SharedLayout {
  readonly descriptor: MatrixDescriptor;
  readonly isKMajor: boolean;
  /** The number of bytes from the start of the memory. */
  readonly bytes: number;
}

/** The encoding of a swizzling mode in a descriptor, by the bytes of a row of the pattern. */
const modes: ReadonlyMap<number, bigint> = new Map([
  [16, 0n],
  [128, 1n],
  [64, 2n],
  [32, 3n],
]);

/** Returns the 64 bits of a descriptor, except the start. */
export function descriptorBits({ leading, stride, pitch }: MatrixDescriptor): bigint {
  const field = (bytes: number, at: number) => BigInt(bytes / unitBytes) << BigInt(at);
  return field(leading, 16) | field(stride, 32) | ((modes.get(pitch) ?? 0n) << 62n);
}

/** The number of attempts to draw a layout that fits. At least one in 12 layouts has no gaps. */
const maxAttempts = 1000;

/**
 * Draws a layout of a matrix. `room` limits its size, in bytes. Throws an error if no layout fits.
 */
export function drawLayout(size: SharedSize, isKMajor: boolean, room: number, rng: Random): SharedLayout {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const pitch = rng.pick([16, 32, 64, 128]);
    const descriptor = isKMajor ? drawKMajor(size, pitch, rng) : drawOuterMajor(size, pitch, rng);
    const layout = { descriptor, isKMajor, bytes: sizeOf(descriptor, isKMajor, size) };
    if (layout.bytes <= room) return layout;
  }
  throw new InternalError(`no layout of ${size.outer} rows or columns of ${size.along} bytes fits in ${room} bytes`);
}

function drawKMajor({ outer, along }: SharedSize, pitch: number, rng: Random): MatrixDescriptor {
  const patterns = outer / coreRows;
  const base = 0;
  if (pitch !== unitBytes && pitch < along) {
    const [size, rows] = [coreRows * pitch, along / pitch];
    const [leading, stride] = rng.chance(0.5) ? [size, rows * size] : [patterns * size, size];
    return { start: 0, leading, stride, pitch, base };
  }
  if (pitch !== unitBytes) {
    // A step along K in a wider row of the pattern moves the start.
    const start = along * rng.below(pitch / along);
    return { start, leading: unitBytes, stride: coreRows * pitch * (1 + rng.below(2)), pitch, base };
  }
  const gap = unitBytes * rng.below(3);
  return rng.chance(0.5)
    ? { start: 0, leading: coreBytes, stride: (along / unitBytes) * coreBytes + gap, pitch, base }
    : { start: 0, leading: patterns * coreBytes + gap, stride: coreBytes, pitch, base };
}

function drawOuterMajor({ outer, along, bytes }: SharedSize, pitch: number, rng: Random): MatrixDescriptor {
  const across = Math.ceil((outer * bytes) / pitch);
  const size = coreRows * pitch;
  const eights = along / bytes / coreRows;
  const [near, far] = rng.chance(0.5) ? [size, across * size] : [eights * size, size];
  // Without swizzling, the two offsets have each other's meaning.
  return pitch === unitBytes
    ? { start: 0, leading: far, stride: near, pitch, base: 0 }
    : { start: 0, leading: near, stride: far, pitch, base: 0 };
}

function sizeOf(descriptor: MatrixDescriptor, isKMajor: boolean, { outer, along, bytes }: SharedSize): number {
  let most = 0;
  for (let row = 0; row < outer; row++) {
    for (let k = 0; k < along / bytes; k++) most = Math.max(most, elementAddress(descriptor, isKMajor, row, k, bytes));
  }
  return most - (most % unitBytes) + unitBytes;
}
