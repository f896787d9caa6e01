/** `value`, or the next multiple of `align` above it. An alignment of 0 or 1 asks for nothing. */
export function alignUp(value: number, align: number): number {
  return align <= 1 ? value : Math.ceil(value / align) * align;
}
