// The effect of one block's threads on a surface, according to the reference.
import { imageBytes } from '../../../base/image.ts';
import { type Clamp, storedComponent, surfaceOffset } from '../../../cpu-ref/image/surface.ts';
import { atomicUpdate } from '../../../cpu-ref/interpreter/memory/atomics.ts';
import { type Random, random } from '../random.ts';
import { type SurfaceForm, threads } from './surface-forms.ts';

/** The number of words per thread for coordinates, for stored values and for loaded values. */
export const words = 4;

export interface SurfaceBlock {
  /** The surface's bytes before and after the accesses. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** The coordinates of each thread's access. */
  readonly coordinates: readonly (readonly number[])[];
  readonly values: readonly (readonly number[])[];
  /** The loaded words, by thread. */
  readonly loaded: readonly (readonly number[])[];
}

const isLoad = ({ row }: SurfaceForm): boolean => row.name === 'suld.b';
const isReduction = ({ row }: SurfaceForm): boolean => row.name.startsWith('sured');

/** Returns coordinates in operand order: a layer, then x in bytes or texels, y and z. */
function coordinatesOf(form: SurfaceForm, cell: number, rng: Random): readonly number[] {
  const { image, mods, bytes, unit } = form;
  const along = (mods.geom ?? '').startsWith('a') ? [...image.size.slice(1), image.layers ?? 1] : image.size.slice(1);
  const acrossCells = threads / along.reduce((product, extent) => product * extent, 1);
  const others: number[] = [];
  let rest = Math.floor(cell / acrossCells);
  for (const extent of along) {
    others.push(rest % extent);
    rest = Math.floor(rest / extent);
  }
  const within = rng.below(form.cell / bytes) * bytes;
  const at = [((cell % acrossCells) * form.cell + within) / unit, ...others];
  const extents = [(acrossCells * form.cell) / unit, ...along];
  const placed = mods.clamp !== 'trap' && rng.chance(1 / 3) ? beside(at, extents, bytes / unit, rng) : at;
  if (!(mods.geom ?? '').startsWith('a')) return placed;
  return [...placed.slice(-1), ...placed.slice(0, -1)];
}

/** Moves one or two coordinates out of the surface, to a place near its edge or far away. */
function beside(at: readonly number[], extents: readonly number[], step: number, rng: Random): readonly number[] {
  const chosen = rng.below(at.length);
  const also = rng.below(3 * at.length);
  return at.map((value, axis) => {
    if (axis !== chosen && axis !== also) return value;
    const [extent, unit] = [extents[axis] ?? 1, axis === 0 ? step : 1];
    return rng.pick([extent, extent + unit * rng.below(9), -unit, -unit * (1 + rng.below(9)), 0x4000_0000, -0x8000_0000]) >>> 0; // biome-ignore format: one line
  });
}

/**
 * Returns the stored word for an offset. All threads that store to one offset store the same word,
 * so that their order does not matter.
 */
const valueAt = (seed: number, key: string, offset: number, index: number): number => {
  const rng = random(seed, key, offset, index);
  // Words have all magnitudes, so that some of them do not fit into the texels.
  return rng.pick([rng.u32(), rng.u32() >>> rng.below(32), (0x7f80_0000 | rng.u32()) >>> 0, (0x7f80_0000 | (rng.u32() & 0x8000_1fff)) >>> 0, ~(rng.u32() >>> rng.below(32)) >>> 0, 0x3c00_0000 + rng.below(0x0c00_0000)]); // biome-ignore format: one line
};

/** Draws the accesses of one block. `key` names the suite and the block. */
export function surfaceBlock(form: SurfaceForm, seed: number, key: string): SurfaceBlock {
  const rng = random(seed, key);
  const { image, mods, bytes, unit } = form;
  const before = new Uint8Array(Uint32Array.from({ length: imageBytes(image) / 4 }, () => rng.u32()).buffer);
  const after = before.slice();
  const view = new DataView(after.buffer);
  const order = shuffled(rng);
  const { geom = '', clamp } = mods;
  const how: Clamp = clamp === 'clamp' || clamp === 'zero' ? clamp : 'trap';
  const coordinates = order.map((cell) => {
    // Several threads access one cell if the form permits it.
    const shared = !isLoad(form) && !isReduction(form) ? cell : rng.chance(1 / 2) ? cell : rng.below(5);
    return coordinatesOf(form, shared, rng);
  });
  const values: number[][] = [];
  const loaded: number[][] = [];
  for (const at of coordinates) {
    const offset = surfaceOffset(image, { geom, clamp: how, bytes, unit }, at);
    const drawn = [0, 1, 2, 3].map((index) =>
      offset === undefined || isReduction(form) ? rng.u32() : valueAt(seed, key, offset, index),
    );
    values.push(drawn);
    if (isLoad(form)) loaded.push(loadedWords(form, view, offset));
    if (offset === undefined || isLoad(form)) continue;
    if (isReduction(form)) reduce(form, view, offset, drawn);
    else store(form, view, offset, drawn);
  }
  return { before, after, coordinates, values, loaded };
}

function shuffled(rng: Random): readonly number[] {
  const order = Array.from({ length: threads }, (_, index) => index);
  for (let last = threads - 1; last > 0; last--) {
    const other = rng.below(last + 1);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}

const little = true;

/**
 * Returns the elements as the kernel stores them: one word for each element, or two words for 64
 * bits. Outside the surface, all words are zero.
 */
function loadedWords({ count, element }: SurfaceForm, view: DataView, offset: number | undefined): number[] {
  const size = Math.min(element, 4);
  return Array.from({ length: (count * element) / size }, (_, index) => {
    if (offset === undefined) return 0;
    const at = offset + index * size;
    return size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at, little) : view.getUint32(at, little);
  });
}

function put(view: DataView, offset: number, size: number, bits: number): void {
  if (size === 1) view.setUint8(offset, bits & 0xff);
  else if (size === 2) view.setUint16(offset, bits & 0xffff, little);
  else view.setUint32(offset, bits, little);
}

function store({ row, image, count, element, bytes }: SurfaceForm, view: DataView, offset: number, values: number[]) {
  if (row.name === 'sust.p') {
    const size = bytes / image.channels;
    for (let part = 0; part < image.channels; part++)
      put(view, offset + part * size, size, storedComponent(image, values[part] ?? 0));
    return;
  }
  const size = Math.min(element, 4);
  for (let part = 0; part < (count * element) / size; part++) put(view, offset + part * size, size, values[part] ?? 0);
}

function reduce({ row, mods, image, bytes }: SurfaceForm, view: DataView, offset: number, values: number[]): void {
  const update = atomicUpdate(mods.op ?? '', row.name === 'sured.p' ? image.texel : (mods.type ?? 'b32'));
  const [low = 0, high = 0] = values;
  if (bytes === 4) {
    const old = view.getUint32(offset, little);
    view.setUint32(offset, Number(update(old, low, old, true)), little);
    return;
  }
  const old = view.getBigUint64(offset, little);
  const wide = (BigInt(high) << 32n) | BigInt(low);
  view.setBigUint64(offset, BigInt(update(old, wide, old, true)), little);
}
