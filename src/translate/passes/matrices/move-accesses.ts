// Moves the accesses of an array to its new layout.

import { at } from '../../../base/invariants.ts';
import type { Ranges } from '../../analysis/ranges.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Func, Inst, InstNamed, Value } from '../../ir/nodes.ts';
import { setPlace } from '../memory/place.ts';
import { type ArrayLayout, chunkBytes, movedAddress, periodOf, type Region, spacedBytes } from './row-layouts.ts';

export function moveAccesses(
  func: Func,
  layouts: ReadonlyMap<number, ArrayLayout>,
  builder: Builder,
  ranges: Ranges,
): void {
  for (const block of func.blocks)
    block.insts = block.insts.flatMap((inst) => {
      if (inst.op !== 'load' && inst.op !== 'store') return [inst];
      const { root } = inst.attrs.place;
      const layout = root.kind === 'array' ? layouts.get(root.array) : undefined;
      if (layout === undefined) return [inst];
      const added: Inst[] = [];
      builder.span = inst.span;
      builder.within(added, () => move(inst, layout.regions, builder, ranges));
      builder.span = undefined;
      return [...added, inst];
    });
}

function move(inst: InstNamed<'load' | 'store'>, regions: readonly Region[], builder: Builder, ranges: Ranges): void {
  const { root, unit, offset, indexed } = inst.attrs.place;
  const holding = (address: number): Region =>
    regions.findLast(({ start }) => address >= start) ?? at(regions, 0, 'a region');
  if (!indexed) {
    const { layout, start, moved } = holding(offset);
    return setPlace(inst, root, unit, moved + movedAddress(layout, offset - start), undefined);
  }
  const index = at(inst.args, 0, 'an index');
  const { min, max } = ranges.of(index);
  const [first, last] = [holding(min * unit + offset), holding(max * unit + offset)];
  if (unit % chunkBytes === 0 && offset % chunkBytes === 0) {
    if (first === last) {
      const { layout } = first;
      // An offset of whole periods becomes an offset of whole new rows.
      const far = Math.floor(offset / periodOf(layout)) * periodOf(layout);
      const chunk = chunkOf(builder, index, unit, offset - far);
      const more = (far / layout.rowBytes) * spacedBytes(layout);
      return setPlace(inst, root, chunkBytes, more + distanceOf(first), straight(builder, chunk, first));
    }
    const chunk = chunkOf(builder, index, unit, offset);
    return setPlace(inst, root, chunkBytes, 0, anywhere(builder, chunk, regions));
  }
  const word = builder.iadd(builder.imul(index, builder.i32(unit / 4)), builder.i32(offset / 4));
  const chunk = builder.lshrw(word, builder.i32(2));
  const own = first === last ? [first] : regions;
  const place = builder.shlw(anywhere(builder, chunk, own), builder.i32(2));
  setPlace(inst, root, 4, 0, builder.iadd(place, builder.and(word, builder.i32(3))));
}

const chunkOf = (builder: Builder, index: Value, unit: number, offset: number): Value =>
  builder.iadd(builder.imul(index, builder.i32(unit / chunkBytes)), builder.i32(offset / chunkBytes));

/**
 * Returns the new number of a chunk, in rows that are followed by gaps, if old and new rows begin
 * at 0.
 */
function straight(builder: Builder, chunk: Value, { layout: { rowBytes, shift, mask } }: Region): Value {
  const bits = builder.and(builder.lshrw(chunk, builder.i32(shift - 4)), builder.i32(mask));
  const own = builder.xor(chunk, bits);
  return builder.iadd(own, builder.lshrw(own, builder.i32(Math.log2(rowBytes / chunkBytes))));
}

/**
 * Returns the distance in bytes from the place that `straight` computes to the chunk's place in the
 * region.
 */
const distanceOf = ({ layout, start, moved }: Region): number =>
  moved - (start / layout.rowBytes) * spacedBytes(layout);

/** Returns the new number of a chunk, which may be in one of several regions. */
function anywhere(builder: Builder, chunk: Value, regions: readonly Region[]): Value {
  const places = regions.map((region) =>
    builder.iadd(straight(builder, chunk, region), builder.i32(distanceOf(region) / chunkBytes)),
  );
  return places.reduce((before, place, index) => {
    const { start } = at(regions, index, 'a region');
    return builder.select(builder.icmp('uge', chunk, builder.i32(start / chunkBytes)), place, before);
  });
}
