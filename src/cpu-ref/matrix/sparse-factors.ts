// The elements of B that a sparse A multiplies.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-for-sparse-mma
import { elementBits, type MatrixForm, registerElements, rowsOfB } from '../../isa/fragments.ts';
import { metadataPlace } from '../../isa/sparse.ts';
import { metadataBits, unitBits } from '../../isa/sparsity-selectors.ts';

/** Returns the lanes that hold the metadata of a row of A. */
export const metadataLanes = (form: MatrixForm, row: number): readonly number[] =>
  Array.from(
    { length: form.k / registerElements(form.types.a) },
    (_, register) => metadataPlace(form, row, register).lane,
  );

/**
 * Whether PTX defines the metadata of a row. `sp::ordered_metadata` requires the indexes of each two
 * units in ascending order. For tf32, the indexes are those of the halves of one element.
 */
export function isValidRow(
  form: MatrixForm,
  row: number,
  isOrdered: boolean,
  metadata: (lane: number) => number,
): boolean {
  const { types } = form;
  for (let register = 0; register < form.k / registerElements(types.a); register++) {
    const { lane, shift } = metadataPlace(form, row, register);
    for (let bit = 0; bit < metadataBits(types.a); bit += 4) {
      const code = (metadata(lane) >>> (shift + bit)) & 15;
      if (types.a === 'tf32' ? code !== 4 && code !== 14 : isOrdered && (code & 3) >= code >> 2) return false;
    }
  }
  return true;
}

/**
 * Returns the row of B that the element at an index along a stored row of A multiplies. `codes`
 * contains the metadata of the element's register.
 */
function rowOf({ types: { a } }: MatrixForm, index: number, codes: number): number {
  const bits = elementBits[a];
  // One of each two elements of tf32 is stored. Each index is that of half an element.
  if (a === 'tf32') return 2 * index + ((codes & 3) >> 1);
  const perUnit = unitBits(a) / bits;
  const unit = Math.floor(index / perUnit);
  const inRegister = unit % (registerElements(a) / perUnit);
  const group = Math.floor(unit / 2);
  return perUnit * (4 * group + ((codes >>> (2 * inRegister)) & 3)) + (index % perUnit);
}

/**
 * Returns, for each row of A and each column of B, the elements of the column that the stored
 * elements of the row multiply.
 */
export function chosenFactors(form: MatrixForm, b: Float64Array, metadata: (lane: number) => number): Float64Array {
  const { m, n, k, types } = form;
  const chosen = new Float64Array(m * n * k);
  const perRegister = registerElements(types.a);
  for (let row = 0; row < m; row++) {
    for (let index = 0; index < k; index++) {
      const { lane, shift } = metadataPlace(form, row, Math.floor(index / perRegister));
      const from = rowOf(form, index, metadata(lane) >>> shift);
      for (let column = 0; column < n; column++)
        chosen[(row * n + column) * k + index] = b[column * rowsOfB(form) + from] ?? 0;
    }
  }
  return chosen;
}
