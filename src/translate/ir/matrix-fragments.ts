// Maps the elements of a subgroup matrix to the registers that hold them as an operand of `mma`,
// and these registers to words of memory in which the matrix is stored without gaps.
import { InternalError } from '../../base/invariants.ts';
import {
  type ElementPlace,
  elementPlace,
  type MatrixForm,
  type MatrixOperand,
  matrixForm,
} from '../../isa/fragments.ts';
import type { MatrixOrder } from './attributes.ts';
import { elementWidths, type MatrixShape, type MatrixType, matrixTypes, shapeOf } from './types.ts';

const operandOf: Readonly<Record<MatrixShape['role'], MatrixOperand>> = { left: 'a', right: 'b', result: 'd' };
const factorOf: Readonly<Record<MatrixShape['of'], string>> = {
  f16: 'f16', i8: 's8', u8: 'u8', f32: 'f16', i32: 's8', u32: 'u8',
}; // biome-ignore format: one line
const sumOf: Readonly<Record<MatrixShape['of'], string>> = {
  f16: 'f16', i8: 's32', u8: 's32', f32: 'f32', i32: 's32', u32: 's32',
}; // biome-ignore format: one line

/** Returns a form of `mma` with this matrix as an operand. */
function formOf({ role, of, rows, columns }: MatrixShape): MatrixForm {
  const k = role === 'left' ? columns : role === 'right' ? rows : of === 'f32' || of === 'f16' ? 16 : 32;
  const [factor, sum] = [factorOf[of], sumOf[of]];
  return matrixForm({ shape: `m16n8k${k}`, atype: factor, btype: factor, ctype: sum, dtype: sum });
}

/**
 * The places of a matrix's words in memory without gaps. Register r of lane 4g + t is at word
 * `g * group + t * member + registers[r]`.
 */
export interface FragmentPlaces {
  /** Whether rows (`row`) or columns (`col`) are contiguous. */
  readonly order: MatrixOrder;
  readonly group: number;
  readonly member: number;
  readonly registers: readonly number[];
}

function placesOf(type: MatrixType): FragmentPlaces {
  const shape = shapeOf(type);
  const order = shape.role === 'right' ? 'col' : 'row';
  const perWord = 32 / elementWidths[shape.of];
  const wordAt = (lane: number, register: number): number => {
    const { row, column } = elementAt(type, lane, register * perWord);
    return (order === 'row' ? row * shape.columns + column : column * shape.rows + row) / perWord;
  };
  const count = (shape.rows * shape.columns) / perWord / 32;
  return {
    order,
    group: wordAt(4, 0),
    member: wordAt(1, 0),
    registers: Array.from({ length: count }, (_, register) => wordAt(0, register)),
  };
}

const places = new Map(matrixTypes.map((type) => [type, placesOf(type)]));

export function fragmentPlaces(type: MatrixType): FragmentPlaces {
  const found = places.get(type);
  if (found === undefined) throw new InternalError(`${type} has no places`);
  return found;
}

/**
 * Returns the element that a lane holds at `position`. Position 0 is in the low bits of the lane's
 * first register.
 */
export function elementAt(type: MatrixType, lane: number, position: number): ElementPlace {
  const shape = shapeOf(type);
  return elementPlace(formOf(shape), operandOf[shape.role], lane, position);
}
