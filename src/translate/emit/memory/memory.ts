// Loads and stores of words.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { Granule } from '../../memory-plan.ts';
import { loadParam } from '../program/params.ts';
import type { Emitter } from '../values/emitter.ts';
import { loadElement, storeElement } from './elements.ts';
import { genericLoad, genericStore } from './generic.ts';
import { elementOf, type Memory, memoryOf } from './memories.ts';
import { isPoll, polled, polledByBlock } from './polls.ts';

type Access = InstNamed<'load' | 'store' | 'atomic' | 'half' | 'cell' | 'matrix-load'>;

const shiftOf: Readonly<Record<Granule, number>> = { 1: 0, 2: 1, 4: 2 };

/**
 * Returns the index of an access in units of `bytes` bytes; undefined if the access is not aligned
 * to such units.
 */
function unitIndex(
  emitter: Emitter,
  { attrs: { place }, args }: Access,
  bytes: number,
  moved: number,
): Expr | undefined {
  const offset = place.offset + moved;
  if (offset % bytes !== 0 || (place.indexed && place.unit % bytes !== 0)) return undefined;
  const [index] = args;
  if (!place.indexed || index === undefined) return w.u32(offset / bytes);
  const scale = place.unit / bytes;
  const read = emitter.read(index);
  const scaled = scale === 1 ? read : w.mul(read, w.u32(scale));
  if (offset === 0) return scaled;
  return offset > 0 ? w.add(scaled, w.u32(offset / bytes)) : w.sub(scaled, w.u32(-offset / bytes));
}

/** Returns the index of the word that is `word` words after the start of an access. */
export function wordIndex(emitter: Emitter, access: Access, word: number): Expr {
  const index = unitIndex(emitter, access, 4, word * 4);
  if (index === undefined) throw new InternalError('an access at a part of a word is not legal');
  return index;
}

/** Returns the word that is `word` words after the start of an access. */
export function wordAt(emitter: Emitter, access: Access, memory: Memory, word: number): Expr {
  const { array, granule } = memory;
  if (granule === 1) return elementOf(memory, wordIndex(emitter, access, word));
  const { place } = access.attrs;
  if (place.indexed && place.unit === granule * 4) {
    // The index counts elements, so the component is constant.
    const words = place.offset / 4 + word;
    const component = ((words % granule) + granule) % granule;
    const element = unitIndex(emitter, access, granule * 4, (word - component) * 4);
    if (element !== undefined) return w.component(w.index(array, element), component);
  }
  const index = wordIndex(emitter, access, word);
  const known = w.constantOf(index);
  if (known !== undefined) {
    const element = w.index(array, w.u32(known / BigInt(granule)));
    return w.index(element, w.u32(known % BigInt(granule)));
  }
  const named = emitter.name('word', index);
  const element = w.index(array, w.shr(named, w.u32(shiftOf[granule])));
  return w.index(element, w.and(named, w.u32(granule - 1)));
}

/**
 * Returns the vector that begins `granule * part` words after the start of the access. The access
 * consists of whole vectors.
 */
function vectorAt(emitter: Emitter, access: Access, memory: Memory, part: number): Expr {
  return w.index(memory.array, elementIndex(emitter, access, memory.granule, part));
}

/**
 * Returns the index of the array's element that begins `granule * part` words after the start of
 * the access.
 */
export function elementIndex(emitter: Emitter, access: Access, granule: Granule, part: number): Expr {
  const whole = unitIndex(emitter, access, granule * 4, part * granule * 4);
  if (whole !== undefined || granule === 1) return whole ?? wordIndex(emitter, access, part);
  return w.shr(wordIndex(emitter, access, part * granule), w.u32(shiftOf[granule]));
}

function loadWord({ uses }: Emitter, inst: InstNamed<'load'>, memory: Memory, word: Expr): Expr {
  const loaded = loadElement(uses, memory, word);
  if (!memory.atomic) return loaded;
  if (inst.attrs.polls) return polledByBlock(uses, loaded);
  return isPoll(uses, inst) ? polled(uses, loaded) : loaded;
}

export function writeLoad(emitter: Emitter, inst: InstNamed<'load'>): void {
  const { place, count } = inst.attrs;
  const define = (index: number, value: Expr) => {
    const result = inst.results[index];
    if (result) emitter.define(result, value);
  };
  if (place.root.kind === 'param') {
    // Write the expression of a parameter at each reading, unless the load has a guard: then some
    // lanes keep their old value.
    const { param } = place.root;
    if (inst.when !== undefined)
      inst.results.forEach((_, index) => {
        define(index, loadParam(emitter.uses, param, place.offset / 4 + index));
      });
    return;
  }
  if (place.root.kind === 'generic') {
    const [address] = inst.args;
    if (!address) return;
    const loaded = genericLoad(emitter, emitter.read(address));
    define(0, isPoll(emitter.uses, inst) ? polled(emitter.uses, loaded) : loaded);
    return;
  }
  const memory = memoryOf(emitter, place.root);
  const { granule } = memory;
  if (granule > 1 && count >= granule) {
    for (let part = 0; part < count / granule; part++) {
      const loaded = emitter.name('loaded', vectorAt(emitter, inst, memory, part));
      for (let lane = 0; lane < granule; lane++) define(part * granule + lane, w.component(loaded, lane));
    }
    return;
  }
  for (let word = 0; word < count; word++)
    define(word, loadWord(emitter, inst, memory, wordAt(emitter, inst, memory, word)));
}

export function writeStore(emitter: Emitter, inst: InstNamed<'store'>): void {
  const { place, count } = inst.attrs;
  const { writer } = emitter;
  const values = inst.args.slice(place.indexed ? 1 : 0);
  const value = (index: number): Expr => {
    const found = values[index];
    if (found === undefined) throw new InternalError('a store of too few values');
    return emitter.read(found);
  };
  if (place.root.kind === 'generic') {
    const [address] = inst.args;
    if (address) genericStore(emitter, emitter.read(address), value(0));
    return;
  }
  const memory = memoryOf(emitter, place.root);
  const { granule } = memory;
  if (granule > 1 && count >= granule) {
    for (let part = 0; part < count / granule; part++) {
      const parts = Array.from({ length: granule }, (_, lane) => value(part * granule + lane));
      const whole = w.construct(w.vector('u32', granule === 2 ? 2 : 4), ...parts);
      writer.push({ kind: 'assign', target: vectorAt(emitter, inst, memory, part), value: whole });
    }
    return;
  }
  for (let word = 0; word < count; word++)
    writer.push(storeElement(emitter.uses, memory, wordAt(emitter, inst, memory, word), value(word)));
}
