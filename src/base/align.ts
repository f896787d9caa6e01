/** Rounds `value` up to a multiple of `align`. For an alignment of 0 or 1, returns `value`. */
export function alignUp(value: number, align: number): number {
  return align <= 1 ? value : Math.ceil(value / align) * align;
}
