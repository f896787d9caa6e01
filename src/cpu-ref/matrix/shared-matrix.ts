// The positions of matrix elements in shared memory that a matrix descriptor defines.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-shared-memory-layout

import { at } from '../../base/invariants.ts';
import { elementBits, type MatrixForm, rowsOfB } from '../../isa/fragments.ts';

/** The fields of a matrix descriptor, in bytes. */
export interface MatrixDescriptor {
  readonly start: number;
  /** The leading dimension byte offset. */
  readonly leading: number;
  /** The stride dimension byte offset. */
  readonly stride: number;
  /** The number of bytes of a row of a swizzled pattern; 16 without swizzling. */
  readonly pitch: number;
  /** The base offset: the start of the swizzled pattern, in units of 128 bytes. */
  readonly base: number;
}

/** Elements are in units of 16 bytes, which swizzling does not divide. */
export const unitBytes = 16;

/** Returns the number of bytes of a row of A, or of a column of B. */
export const alongBytes = (form: MatrixForm, operand: 'a' | 'b'): number =>
  ((operand === 'a' ? form.k : rowsOfB(form)) * elementBits[form.types[operand]]) / 8;

const pitches = [unitBytes, 128, 64, 32];

export function matrixDescriptor(bits: bigint): MatrixDescriptor {
  const field = (at: number) => Number((bits >> BigInt(at)) & 0x3fffn) * unitBytes;
  const pitch = at(pitches, Number(bits >> 62n), 'the rows of a swizzling mode');
  return { start: field(0), leading: field(16), stride: field(32), pitch, base: Number((bits >> 49n) & 7n) };
}

/**
 * Returns the address of an element. `outer` is its row in A or its column in B, and `k` its index
 * along K. `bytes` is its size, or 1 for bits and their index along K in bytes. K-major: the
 * elements of a unit follow each other along K, rather than along rows or columns.
 */
export function elementAddress(
  matrix: MatrixDescriptor,
  isKMajor: boolean,
  outer: number,
  k: number,
  bytes: number,
): number {
  const { start, leading, stride, pitch } = matrix;
  const unitsOfRow = pitch / unitBytes;
  if (isKMajor) {
    const [unit, within] = divide(k * bytes, unitBytes);
    const [next, column] = divide(unit, unitsOfRow);
    const [pattern, row] = divide(outer, 8);
    const along = next * leading + column * unitBytes;
    return swizzled(start + pattern * stride + row * pitch + along + within, matrix);
  }
  const [unit, within] = divide(outer * bytes, unitBytes);
  const [pattern, column] = divide(unit, unitsOfRow);
  const [eight, row] = divide(k, 8);
  const [across, along] = unitsOfRow === 1 ? [stride, leading] : [leading, stride];
  const offset = pattern * across + column * unitBytes + eight * along + row * pitch;
  return swizzled(start + offset + within, matrix);
}

const divide = (value: number, by: number): readonly [quotient: number, rest: number] => [
  Math.floor(value / by),
  value % by,
];

/**
 * Bits 7 to 9 of an address, less the base offset, change the number of the unit in its row of the
 * pattern.
 */
const swizzled = (address: number, { pitch, base }: MatrixDescriptor): number =>
  address ^ ((((address >> 7) - base) & (pitch / unitBytes - 1)) << 4);
