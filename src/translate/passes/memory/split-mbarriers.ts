// Splits the mbarriers of a shared array off, as an array of their own. PTX allows only mbarrier
// operations on the bytes of an mbarrier, so no other access sees its words. Then the rest of the
// array is not atomic, and matrices can be loaded from it.
import { at } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Variable } from '../../../ptx/ast.ts';
import { type Access, type AccessInst, addressOf } from '../../analysis/accesses.ts';
import { findRanges, type Ranges, type SpecialRanges } from '../../analysis/ranges.ts';
import { isMbarrierOp } from '../../ir/memory.ts';
import type { Func, Value } from '../../ir/nodes.ts';
import type { LaidArray } from '../../layout.ts';
import { peel } from './peel.ts';
import type { SplitArrays } from './split-arrays.ts';

const mbarrierBytes = 8;

/** The addresses of an access: a number of bytes in [min, max] after the start of a variable. */
interface Extent {
  readonly variable: Variable | undefined;
  readonly min: number;
  readonly max: number;
}

export function splitMbarriers(split: SplitArrays, kernel: Func, specials: SpecialRanges): SplitArrays {
  if (split.hasGeneric) return split;
  const byArray = new Map<number, Access[]>();
  for (const [access, array] of split.arrayOf) getOrInsert(byArray, array, () => []).push(access);
  const arrayOf = new Map(split.arrayOf);
  const arrays = [...split.layout.arrays];
  let ranges: Ranges | undefined;
  for (const [array, accesses] of byArray) {
    const own = accesses.filter(({ inst }) => isOfMbarrier(inst));
    if (own.length === 0 || own.length === accesses.length || own.some(({ func }) => func !== kernel)) continue;
    ranges ??= findRanges(kernel, specials);
    const window = windowOf(own, at(arrays, array, 'an array'), split, ranges);
    if (window === undefined) continue;
    for (const access of own) arrayOf.set(access, arrays.length);
    arrays.push(window);
  }
  return { ...split, arrayOf, layout: { ...split.layout, arrays } };
}

const isOfMbarrier = (inst: AccessInst): boolean =>
  inst.op === 'atomic'
    ? isMbarrierOp(inst.attrs.op)
    : (inst.op === 'load' || inst.op === 'store') && inst.attrs.mbarrier === true;

/** Returns an array of the bytes of mbarriers; undefined if they may be anywhere in the array. */
function windowOf(
  own: readonly Access[],
  laid: LaidArray,
  { layout }: SplitArrays,
  ranges: Ranges,
): LaidArray | undefined {
  let [start, end] = [Infinity, -Infinity];
  for (const { inst, space } of own) {
    const { base, constant } = peel(addressOf(inst), inst.attrs.place.offset);
    const { variable, min, max } = extentOf(base, ranges);
    if (variable === undefined || space === 'generic') return undefined;
    const offset = layout.offsetOf(variable) + constant;
    // A load of the second word begins after the start of its mbarrier.
    start = Math.min(start, Math.floor((offset + min) / mbarrierBytes) * mbarrierBytes);
    end = Math.max(end, Math.floor((offset + max) / mbarrierBytes + 1) * mbarrierBytes);
  }
  const bytes = end - start;
  const isInside = start >= laid.start && end <= laid.start + laid.bytes;
  return isInside && bytes < laid.bytes / 2
    ? { hint: 'mbarriers', space: 'shared', variables: [], start, bytes }
    : undefined;
}

function extentOf(value: Value | undefined, ranges: Ranges): Extent {
  const inst = value?.kind === 'result' && value.inst.when === undefined ? value.inst : undefined;
  if (inst?.op === 'symbol') {
    const { variable, offset } = inst.attrs;
    return { variable, min: offset, max: offset };
  }
  if (inst?.op === 'iadd') {
    const [a, b] = inst.args.map((arg) => extentOf(arg, ranges));
    if (a !== undefined && b !== undefined && (a.variable === undefined || b.variable === undefined))
      return { variable: a.variable ?? b.variable, min: a.min + b.min, max: a.max + b.max };
  }
  if (inst?.op === 'trunc' && inst.args[0]?.type === 'i64') return extentOf(inst.args[0], ranges);
  return { variable: undefined, ...(value === undefined ? { min: 0, max: 0 } : ranges.of(value)) };
}
