// Parses NumPy arrays (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

export interface NpyArray {
  /** NumPy's name of the element type, such as `<f4`. */
  readonly type: string;
  readonly float: boolean;
  /** The size of an element in bytes. */
  readonly bytes: number;
  readonly shape: readonly number[];
  /** The elements in C order, little-endian. */
  readonly data: Uint8Array;
}

const magic = '\u0093NUMPY';
const maxHeader = 1 << 16;

/**
 * Parses a `.npy` file. Throws `RangeError` for any other file, and for elements that are not
 * little-endian numbers in C order.
 */
export function parseNpy(file: Uint8Array): NpyArray {
  const text = (from: number, to: number): string => String.fromCharCode(...file.subarray(from, to));
  if (text(0, 6) !== magic || file.length < 12) throw new RangeError('is not a .npy file');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  // In version 2 and later, the header length has four bytes.
  const start = file[6] === 1 ? 10 : 12;
  const length = start === 10 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > maxHeader || start + length > file.length) throw new RangeError('has an incomplete header');
  const header = text(start, start + length);
  const type = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const shapeText = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  const [, order = '', kind = '', width = ''] = /^([<|>=])([fiub])([1248])$/.exec(type ?? '') ?? [];
  if (type === undefined || shapeText === undefined) throw new RangeError('has a header without a type or a shape');
  const bytes = Number(width);
  if (kind === '') throw new RangeError(`contains elements of ${type}, which are not numbers of 1 to 8 bytes`);
  if (order === '>' && bytes > 1) throw new RangeError('contains big-endian elements: save it in little-endian order');
  const shape = shapeText.split(',').flatMap((size) => (size.trim() === '' ? [] : [Number(size)]));
  if (/'fortran_order':\s*True/.test(header) && shape.length > 1) {
    throw new RangeError('has its elements in Fortran order: save it in C order (numpy.ascontiguousarray)');
  }
  const data = file.subarray(start + length);
  const count = shape.reduce((product, size) => product * size, 1);
  if (data.length !== count * bytes) {
    throw new RangeError(`has ${data.length} bytes of elements, but its shape needs ${count * bytes}`);
  }
  return { type, float: kind === 'f', bytes, shape, data };
}
