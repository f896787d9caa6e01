// The products of matrices that the lessons define.
import { at } from './lesson.ts';

/** Multiplies a matrix with `inner` columns and one with `columns` columns. All rows are contiguous. */
export function product(a: Float32Array, b: Float32Array, inner: number, columns: number): Float32Array {
  const result = new Float32Array((a.length / inner) * columns);
  for (let row = 0; row * columns < result.length; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += at(a, row * inner + k) * at(b, k * columns + column);
      result[row * columns + column] = sum;
    }
  }
  return result;
}
