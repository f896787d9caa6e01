// The reasons why a copy of a box of a tensor is invalid, as shaders report them.

/** The reasons by number, from 1 on. If several apply, a shader reports the first. */
export const tensorFaults = {
  map: { number: 1, text: 'an invalid tensor map' },
  mode: { number: 2, text: 'a tensor map in another mode' },
  rank: { number: 3, text: 'a tensor map of another number of dimensions' },
  shared: { number: 4, text: 'a box in shared memory that is not aligned to 128 bytes' },
  first: { number: 5, text: 'a box whose first coordinate is not a multiple of 16 bytes' },
  negative: { number: 6, text: 'a box in global memory with a coordinate below 0' },
  mask: { number: 7, text: 'a destination block that the cluster lacks' },
  type: { number: 8, text: 'elements of a type that the reduction does not support' },
  pixel: { number: 9, text: 'a first pixel outside of the bounding box' },
  corners: { number: 10, text: 'a store with a tensor map whose bounding box exceeds the tensor' },
  offset: { number: 11, text: 'an offset that is too large for its number of dimensions' },
} as const;

/** The name of a reason. */
export type TensorFault = keyof typeof tensorFaults;

/** Returns the text of a reason, with which the sentence "a copy with …" can end. */
export function tensorFaultText(number: number): string {
  const found = Object.values(tensorFaults).find((fault) => fault.number === number);
  if (found === undefined) throw new RangeError(`no fault of tensor copies has the number ${number}`);
  return found.text;
}
