// Types of IR values. Integer types have no sign; each operation defines how it interprets the
// sign.
import { InternalError } from '../../base/invariants.ts';

export const integerTypes = ['i1', 'i8', 'i16', 'i32', 'i64', 'i128'] as const;
export const floatTypes = ['f16', 'bf16', 'f32', 'f64'] as const;

export type IntegerType = (typeof integerTypes)[number];
export type FloatType = (typeof floatTypes)[number];

/** A subgroup matrix of WGSL: its place in a product, and its elements. */
export interface MatrixShape {
  readonly role: 'left' | 'right' | 'result';
  readonly of: 'f16' | 'i8' | 'u8' | 'f32' | 'i32' | 'u32';
  readonly rows: number;
  readonly columns: number;
}

/**
 * Matrices whose elements are distributed over the lanes of a warp. A name contains the number of
 * rows, then of columns.
 */
const matrixShapes = {
  left_f16_16x16: { role: 'left', of: 'f16', rows: 16, columns: 16 },
  left_f16_16x8: { role: 'left', of: 'f16', rows: 16, columns: 8 },
  left_i8_16x32: { role: 'left', of: 'i8', rows: 16, columns: 32 },
  left_u8_16x32: { role: 'left', of: 'u8', rows: 16, columns: 32 },
  right_f16_16x8: { role: 'right', of: 'f16', rows: 16, columns: 8 },
  right_f16_8x8: { role: 'right', of: 'f16', rows: 8, columns: 8 },
  right_i8_32x8: { role: 'right', of: 'i8', rows: 32, columns: 8 },
  right_u8_32x8: { role: 'right', of: 'u8', rows: 32, columns: 8 },
  result_f32_16x8: { role: 'result', of: 'f32', rows: 16, columns: 8 },
  result_f16_16x8: { role: 'result', of: 'f16', rows: 16, columns: 8 },
  result_i32_16x8: { role: 'result', of: 'i32', rows: 16, columns: 8 },
  result_u32_16x8: { role: 'result', of: 'u32', rows: 16, columns: 8 },
} as const satisfies Readonly<Record<string, MatrixShape>>;

export type MatrixType = keyof typeof matrixShapes;
export type Type = IntegerType | FloatType | MatrixType;

export const isMatrixType = (text: string): text is MatrixType => Object.hasOwn(matrixShapes, text);
export const matrixTypes: readonly MatrixType[] = Object.keys(matrixShapes).filter(isMatrixType);
export const shapeOf = (type: MatrixType): MatrixShape => matrixShapes[type];

/** Returns the type with a shape, if any. */
export const matrixType = ({ role, of, rows, columns }: MatrixShape): MatrixType | undefined =>
  matrixTypes.find((type) => type === `${role}_${of}_${rows}x${columns}`);

/** Returns the number of 32-bit words of a matrix in each lane of a warp. */
export const matrixWords = (type: Type): number => widthOf(type) / (32 * 32);

/** The number of bits of a matrix element. */
export const elementWidths: Readonly<Record<MatrixShape['of'], number>> = {
  f16: 16,
  i8: 8,
  u8: 8,
  f32: 32,
  i32: 32,
  u32: 32,
};

const widths: Readonly<Record<Exclude<Type, MatrixType>, number>> = {
  i1: 1,
  i8: 8,
  i16: 16,
  i32: 32,
  i64: 64,
  i128: 128,
  f16: 16,
  bf16: 16,
  f32: 32,
  f64: 64,
};

/** Returns the width of a type in bits; for a matrix, of all its elements. */
export function widthOf(type: Type): number {
  if (!isMatrixType(type)) return widths[type];
  const { of, rows, columns } = shapeOf(type);
  return elementWidths[of] * rows * columns;
}

const byWidth: ReadonlyMap<number, IntegerType> = new Map(integerTypes.map((type) => [widths[type], type]));

/** Returns the integer type with a width. Throws if there is none. */
export function integerOf(bits: number): IntegerType {
  const type = byWidth.get(bits);
  if (type === undefined) throw new InternalError(`no integer type has ${bits} bits`);
  return type;
}

const floats: ReadonlySet<Type> = new Set(floatTypes);

export const isFloat = (type: Type): type is FloatType => floats.has(type);
export const isType = (text: string): text is Type => Object.hasOwn(widths, text) || isMatrixType(text);

/** Returns all ones in the width of a type. */
export const onesOf = (type: Type): bigint => (1n << BigInt(widthOf(type))) - 1n;
