// Computes the place of each access: an index in the largest exact unit, and a constant. Indices of
// buffers count words, or vectors if every address is a multiple of one. If an address may not be a
// multiple of a word, its index counts bytes.

import {
  type Access,
  type AccessInst,
  accessWords,
  addressOf,
  bytesOf,
  isPartial,
  refuseComputedParam,
} from '../../analysis/accesses.ts';
import { isAddressType } from '../../analysis/address-parts.ts';
import { type AddressForms, findAddressForms } from '../../analysis/affine.ts';
import { findRanges, type SpecialRanges } from '../../analysis/ranges.ts';
import type { Root } from '../../ir/memory.ts';
import { constant, type Func, type Value } from '../../ir/nodes.ts';
import { type LaidArray, windowOf } from '../../layout.ts';
import type { Granule } from '../../memory-plan.ts';
import { type ArrayAccess, ArrayBases, type BasesContext } from './array-bases.ts';
import { Insertions } from './insertions.ts';
import { peel } from './peel.ts';
import { log2Of, setPlace } from './place.ts';
import { WordValues } from './word-values.ts';

export interface IndexContext extends BasesContext {
  /** The exact ranges of special registers. */
  readonly specials: SpecialRanges;
  readonly granuleOf: (access: Access) => Granule;
  readonly arrayOf: (access: Access) => { readonly array: number; readonly laid: LaidArray } | undefined;
}

/** Computes the places of accesses. All accesses must be in this function. */
export function indexAccesses(func: Func, accesses: readonly Access[], context: IndexContext): void {
  if (accesses.length === 0) return;
  const { builder } = context;
  // Absent: a constant address has no value.
  const addresses = accesses.flatMap(({ inst }) => addressOf(inst) ?? []);
  const forms = findAddressForms(func, addresses, () => findRanges(func, context.specials));
  const insertions = new Insertions();
  const words = new WordValues(builder, forms, insertions);
  const inArrays: ArrayAccess[] = [];
  for (const access of accesses) {
    const found = context.arrayOf(access);
    if (found) {
      const placed = placeInArray(access, found.array, found.laid, context.granuleOf(access), forms, words);
      if (placed) inArrays.push(placed);
    } else {
      placeElsewhere(access, context.granuleOf(access), forms, words);
    }
  }
  words.finish(func);
  insertions.apply(func);
  if (inArrays.length === 0) return;
  const bases = new Insertions();
  new ArrayBases(func, context, bases).place(inArrays);
  bases.apply(func);
}

function placeElsewhere(access: Access, granule: Granule, forms: AddressForms, words: WordValues): void {
  const { inst, target } = access;
  const { base, constant: offset } = peel(addressOf(inst), inst.attrs.place.offset);
  const root = rootOf(access);
  if (target.kind === 'generic') {
    const { base: index, constant: more } = base ? words.scaled(base, 0) : { base: undefined, constant: 0 };
    // Absent: a constant address has no value.
    return setPlace(inst, root, 1, inUnits(offset + more, 1), index ?? constant('i32', 0));
  }
  if (base === undefined) return setPlace(inst, root, 1, asWord(offset), undefined);
  const level = unitLevel(inst, base, offset, granule, base.type === 'i64' ? forms.level(base) : 0);
  const scaled = words.scaled(base, level);
  if (target.kind === 'param' && scaled.base !== undefined) refuseComputedParam(inst);
  const unit = 2 ** level;
  setPlace(inst, root, unit, inUnits(offset + scaled.constant * unit, unit), scaled.base);
}

function rootOf({ target }: Access): Root {
  switch (target.kind) {
    case 'buffer':
    case 'param':
      return { kind: target.kind, param: target.param };
    case 'generic':
      return { kind: 'generic' };
    default:
      return { kind: 'heap' };
  }
}

/**
 * Returns the unit's power of two. If the address is a multiple of the granule, it is the
 * granule's. Otherwise it is that of a word, or of an element smaller than a word.
 */
function unitLevel(inst: AccessInst, base: Value, offset: number, granule: Granule, level: number): number {
  if (!isAddressType(base.type)) return 0;
  if (isPartial(inst)) return bytesOf(inst) === 2 && level >= 1 && offset % 2 === 0 ? 1 : 0;
  if (offset % 4 !== 0) return 0;
  if (level >= log2Of[granule]) return log2Of[granule];
  return level >= 2 ? 2 : 0;
}

/** Returns a constant address modulo 2^32. */
const asWord = (offset: number): number => ((offset % 2 ** 32) + 2 ** 32) % 2 ** 32;

/**
 * Returns a byte offset that is equivalent modulo 2^32 units, and whose number of whole units is a
 * signed word.
 */
function inUnits(offset: number, unit: number): number {
  const units = Math.floor(offset / unit);
  return (units | 0) * unit + (offset - units * unit);
}

/** A size that is larger than the address of any variable. */
const maxSpaceBytes = 2 ** 27;

function placeInArray(
  access: Access,
  array: number,
  laid: LaidArray,
  granule: Granule,
  forms: AddressForms,
  words: WordValues,
): ArrayAccess | undefined {
  const { inst, block } = access;
  const { base, constant: peeled } = peel(addressOf(inst), inst.attrs.place.offset);
  const number = peeled - (access.space === 'generic' ? windowOf(laid.space) : 0);
  const root: Root = { kind: 'array', array };
  const offset = number - laid.start;
  if (base === undefined) {
    setPlace(inst, root, 1, inUnits(offset, 1), undefined);
    return undefined;
  }
  const level = unitLevel(inst, base, offset, granule, isExact(base, number, forms) ? forms.level(base) : 0);
  const scaled = words.scaled(base, level);
  const unit = 2 ** level;
  const placed = {
    inst,
    block,
    laid,
    root,
    granule,
    unit,
    offset: inUnits(offset + scaled.constant * unit, unit),
    base: scaled.base,
  };
  if (scaled.base === undefined || isPartial(inst)) {
    setPlace(inst, root, unit, placed.offset, scaled.base);
    return undefined;
  }
  return { ...placed, base: scaled.base, words: accessWords(inst) };
}

/**
 * Whether an index that is computed in units larger than a byte is exact. It is exact if the
 * address, computed without wrapping, equals the address modulo 2^32. A valid address is less than
 * `maxSpaceBytes`, so the two are equal if the address without wrapping is greater than
 * `maxSpaceBytes` - 2^32 and less than 2^32. A 64-bit address does not wrap.
 */
function isExact(base: Value, offset: number, forms: AddressForms): boolean {
  if (base.type === 'i64') return true;
  const { min, max } = forms.interval(base);
  return min + offset > maxSpaceBytes - 2 ** 32 && max + offset < 2 ** 32;
}
