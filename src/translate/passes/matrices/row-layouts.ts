// Layouts of tiles in shared memory. Compilers distribute the rows of a tile over the banks by an
// exclusive or of an address with bits of its row, so no constant distance separates two rows. The
// inverse of such a layout makes the distance constant. Instead, a gap of 16 bytes after each row
// distributes the rows over the banks.

/**
 * A layout with rows of `rowBytes` bytes. The address bits from 4 on are combined by exclusive or
 * with the address bits from `shift` on, under `mask`.
 */
export interface RowLayout {
  readonly rowBytes: number;
  readonly shift: number;
  readonly mask: number;
}

/**
 * The number of bytes of a chunk, which a new layout moves as a whole. It is the size of the
 * largest access.
 */
export const chunkBytes = 16;

/** Returns the distance at which the pattern of exclusive ors repeats. */
export const periodOf = ({ rowBytes, shift, mask }: RowLayout): number => Math.max(rowBytes, 2 ** shift * (mask + 1));

/** Returns the number of bytes of a row with the gap after it. */
export const spacedBytes = ({ rowBytes }: RowLayout): number => rowBytes + chunkBytes;

/** Returns the new place of an address that is relative to a multiple of the period. */
export function movedAddress(layout: RowLayout, address: number): number {
  const { rowBytes, shift, mask } = layout;
  const straight = address ^ (((address >>> shift) & mask) * chunkBytes);
  return straight + Math.floor(straight / rowBytes) * chunkBytes;
}

/** The layouts to try. Layouts without an exclusive or are first. */
export const rowLayouts: readonly RowLayout[] = [0, 1, 3, 7, 15].flatMap((mask) =>
  [32, 64, 128, 256, 512].flatMap((rowBytes): readonly RowLayout[] => {
    const first = Math.log2(rowBytes);
    if (mask === 0) return [{ rowBytes, shift: first, mask }];
    if ((mask + 1) * chunkBytes > rowBytes) return [];
    return [0, 1, 2, 3].map((more) => ({ rowBytes, shift: first + more, mask }));
  }),
);

/** A part of an array with one layout. `moved` is the new place of `start`. */
export interface Region {
  readonly layout: RowLayout;
  readonly start: number;
  readonly end: number;
  readonly moved: number;
}

export interface ArrayLayout {
  readonly regions: readonly Region[];
  readonly bytes: number;
}

/**
 * The part of an array that a tile occupies: `low` is the distance from an address to the tile's
 * first byte, and `high` is the distance to its end.
 */
export interface Extent {
  readonly layout: RowLayout;
  readonly low: number;
  readonly high: number;
}

/**
 * Returns regions that cover an array and contain the tiles; undefined if tiles of different
 * layouts overlap, or if a region would not consist of whole rows.
 */
export function regionsOf(tiles: readonly Extent[], bytes: number): readonly Region[] | undefined {
  const groups = new Map<RowLayout, { low: number; high: number }>();
  for (const { layout, low, high } of tiles) {
    const group = groups.get(layout);
    groups.set(layout, group ? { low: Math.min(group.low, low), high: Math.max(group.high, high) } : { low, high });
  }
  const sorted = [...groups].sort(([, a], [, b]) => a.low - b.low);
  const regions: Region[] = [];
  let moved = 0;
  for (const [index, [layout, { low, high }]] of sorted.entries()) {
    const period = periodOf(layout);
    const start = index === 0 ? 0 : Math.floor(low / period) * period;
    const next = sorted[index + 1];
    const end = next === undefined ? Math.ceil(bytes / layout.rowBytes) * layout.rowBytes : startOf(next);
    const before = regions.at(-1);
    if (high > end || low < start || (before !== undefined && before.end !== start) || start % layout.rowBytes !== 0)
      return undefined;
    if ((end - start) % layout.rowBytes !== 0) return undefined;
    regions.push({ layout, start, end, moved });
    moved += ((end - start) / layout.rowBytes) * spacedBytes(layout);
  }
  return regions;
}

const startOf = ([layout, { low }]: readonly [RowLayout, { readonly low: number }]): number =>
  Math.floor(low / periodOf(layout)) * periodOf(layout);

/** Returns the bytes of an array after its addresses have moved. */
export function movedBytes(regions: readonly Region[]): number {
  const last = regions.at(-1);
  return last === undefined
    ? 0
    : last.moved + ((last.end - last.start) / last.layout.rowBytes) * spacedBytes(last.layout);
}
