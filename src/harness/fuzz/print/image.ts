// Prints instructions on textures and surfaces. Their handles are parameters, and their coordinates
// are in registers.
import { type Image, imageBytes, texelBytes } from '../../../base/image.ts';
import { random } from '../../suites/random.ts';
import { instructionText } from '../../suites/rows/instruction-text.ts';
import { accessBytes, isTextureRow } from '../kernels/image-templates.ts';
import type { ImageStatement } from '../kernels/tree.ts';
import type { Printing } from './printing.ts';
import type { Writer } from './writer.ts';

export function printImage(printing: Printing, statement: ImageStatement): void {
  const { writer } = printing;
  const { template, image, name, seed, d } = statement;
  const { row, mods } = template;
  writer.images.set(name, { image, seed });
  const handle = writer.temporary('d');
  writer.line(`ld.param.u64 ${handle}, [${name}]`);
  const next = registersOf(writer, statement);
  const { place, values } = row.where?.geom
    ? accessOf(writer, statement, handle, next)
    : { place: `[${handle}]`, values: [] };
  const results = resultsOf(writer, statement);
  const behind =
    row.name.startsWith('tex.level') || row.name === 'txq.level' ? [level(mods.ctype)] : gradientsOf(statement, next);
  const [opcode = ''] = row.syntax.split(' ');
  // The whole texture is resident, so the predicate is true.
  const hasPredicate = row.types.p !== undefined && printing.dialect !== 'old';
  const resident = hasPredicate && statement.step % 2 === 0 ? `|${writer.register('p', d)}` : '';
  const operands = results.names.length > 0 ? [results.text + resident, place, ...behind] : [place, vector(values)];
  writer.line(instructionText({ ...row, syntax: `${opcode} d` }, mods, { d: operands.join(', ') }));
  addUp(writer, statement, results);
}

const level = (ctype = 'b32'): string => (ctype === 'f32' ? '0f00000000' : '0');
const vector = (names: readonly string[]): string => (names.length === 1 ? names.join() : `{${names.join(', ')}}`);

type Next = (name: 'r' | 'f' | 'd' | 'h') => string;

/** Returns a function that yields the kernel's registers in turn. */
function registersOf(writer: Writer, { from, step }: ImageStatement): Next {
  let next = from;
  return (name) => {
    next += step;
    return writer.register(name, next);
  };
}

interface Results {
  readonly names: readonly string[];
  readonly text: string;
  readonly kind: 'r' | 'h' | 'd';
}

function resultsOf(writer: Writer, { template: { row, mods } }: ImageStatement): Results {
  if (/^su(st|red)/.test(row.name)) return { names: [], text: '', kind: 'r' };
  const isLookUp = isTextureRow(row) && row.where?.geom !== undefined;
  const count = isLookUp ? (row.name.endsWith('.f16x2') ? 2 : 4) : Number(mods.vec?.slice(1) ?? 1);
  const bytes = isLookUp ? (mods.dtype === 'f16' ? 2 : 4) : Number(/\d+$/.exec(mods.type ?? 'b32')?.[0] ?? 32) / 8;
  const kind = bytes < 4 ? 'h' : bytes === 4 ? 'r' : 'd';
  const names = Array.from({ length: count }, () => writer.temporary(kind));
  return { names, text: isLookUp ? `{${names.join(', ')}}` : vector(names), kind };
}

/** Combines all results into one register. */
function addUp(writer: Writer, { d }: ImageStatement, { names, kind }: Results): void {
  if (names.length === 0) return;
  const sum = writer.register(kind === 'd' ? 'd' : 'r', d);
  for (const name of names) {
    const word = kind === 'h' ? writer.temporary('r') : name;
    if (kind === 'h') writer.line(`cvt.u32.u16 ${word}, ${name}`);
    writer.line(`mad.lo.u${kind === 'd' ? 64 : 32} ${sum}, ${sum}, 31, ${word}`);
  }
}

/** Returns the operands with gradients. Gradients select a level, and there is only one level. */
function gradientsOf({ template: { row, mods } }: ImageStatement, next: Next): readonly string[] {
  if (row.name !== 'tex.grad') return [];
  const count = { 1: 1, 2: 2, 3: 4 }[dimensionsOf(mods.geom)] ?? 1;
  return [0, 1].map(() => `{${Array.from({ length: count }, () => next('f')).join(', ')}}`);
}

const dimensionsOf = (geom = ''): number => Number(geom.at(-2));

/** Returns `[handle, {coordinates}]`, and the values to store. */
function accessOf(writer: Writer, statement: ImageStatement, handle: string, next: Next) {
  const { template, image } = statement;
  const { row, mods } = template;
  const isLayered = mods.geom?.startsWith('a') === true;
  const along = coordinatesOf(writer, statement, next);
  const coordinates = isLayered ? [along.layer, ...along.axes] : along.axes;
  const padded = coordinates.length === 3 ? [...coordinates, ...coordinates.slice(-1)] : coordinates;
  const count = row.name.startsWith('sust') ? Number(mods.vec?.slice(1) ?? 1) : 1;
  const bytes = row.name.startsWith('sust') || row.name.startsWith('sured') ? accessBytes(mods) / count : 4;
  const kind = bytes < 4 ? 'h' : bytes === 4 ? 'r' : 'd';
  const values = isTextureRow(row) || row.name === 'suld.b' ? [] : Array.from({ length: count }, () => next(kind));
  const isHalf = row.name === 'sust.p' && image.texel === 'f16';
  return {
    place: `[${handle}, {${padded.join(', ')}}]`,
    values: isHalf ? values.map((name) => finite(writer, name)) : values,
  };
}

/**
 * Emits a float without NaNs, because the manual does not define the conversion of a NaN to f16.
 */
function finite(writer: Writer, name: string): string {
  const word = writer.temporary('r');
  writer.line(`and.b32 ${word}, ${name}, 0xbfffffff`);
  return word;
}

interface Coordinates {
  readonly layer: string;
  readonly axes: readonly string[];
}

function coordinatesOf(writer: Writer, statement: ImageStatement, next: Next): Coordinates {
  const { template, image, wild } = statement;
  const { row, mods } = template;
  if (row.name.startsWith('sust')) return ownPlace(writer, statement);
  const isFloat = isTextureRow(row) && mods.ctype !== 's32';
  const extents = image.size.slice(0, dimensionsOf(mods.geom));
  const unit = isTextureRow(row) || row.name.endsWith('.p') ? 1 : accessBytes(mods);
  const axes = extents.map((extent, axis) => {
    if (isFloat)
      return wild ? next('f') : floatAt(writer, next('r'), image.sampling?.normalizedCoordinates ? 1 : extent);
    const across = unit === 1 || axis > 0 ? extent : (extent * texelBytes(image)) / unit;
    return integerAt(writer, next('r'), across, axis === 0 ? unit : 1, mods.clamp === 'trap');
  });
  return { layer: integerAt(writer, next('r'), image.layers ?? 1, 1, mods.clamp === 'trap'), axes };
}

const bits = new DataView(new ArrayBuffer(4));
function floatText(value: number): string {
  bits.setFloat32(0, value);
  return `0f${bits.getUint32(0).toString(16).padStart(8, '0')}`;
}

/** Emits a float coordinate, from slightly before the texture to slightly after it. */
function floatAt(writer: Writer, register: string, extent: number): string {
  const [word, at] = [writer.temporary('r'), writer.temporary('f')];
  writer.line(`and.b32 ${word}, ${register}, 255`);
  writer.line(`cvt.rn.f32.u32 ${at}, ${word}`);
  writer.line(`fma.rn.f32 ${at}, ${at}, ${floatText(extent / 96)}, ${floatText(-0.75 * extent)}`);
  return at;
}

/**
 * Emits an integer coordinate in steps of `unit`. If a coordinate outside the image would trap, it
 * stays inside.
 */
function integerAt(writer: Writer, register: string, extent: number, unit: number, isWithin: boolean): string {
  const at = writer.temporary('r');
  writer.line(`rem.u32 ${at}, ${register}, ${isWithin ? extent : extent + 6}`);
  if (!isWithin) writer.line(`sub.s32 ${at}, ${at}, 3`);
  if (unit !== 1) writer.line(`mul.lo.s32 ${at}, ${at}, ${unit}`);
  return at;
}

/** Emits the coordinates of a place that no other thread uses. */
function ownPlace(writer: Writer, { template: { row, mods }, image }: ImageStatement): Coordinates {
  const [across, high = 1] = image.size;
  const [x, rest, y] = [writer.temporary('r'), writer.temporary('r'), writer.temporary('r')];
  writer.line(`rem.u32 ${x}, %global, ${across}`);
  writer.line(`mul.lo.u32 ${x}, ${x}, ${row.name.endsWith('.p') ? 1 : texelBytes(image)}`);
  writer.line(`div.u32 ${rest}, %global, ${across}`);
  writer.line(`rem.u32 ${y}, ${rest}, ${high}`);
  writer.line(`div.u32 ${rest}, ${rest}, ${high}`);
  const axes = [x, y, rest].slice(0, dimensionsOf(mods.geom));
  return { layer: rest, axes };
}

/** Returns random texels without f16 NaNs. */
export function imageContents(image: Image, seed: number): Uint8Array {
  const rng = random(seed, 'texels');
  const words = Uint32Array.from({ length: Math.ceil(imageBytes(image) / 4) }, () => rng.u32());
  if (image.texel === 'f16') words.forEach((word, index) => { words[index] = word & 0xbfffbfff; }); // biome-ignore format: one line
  if (image.texel === 'f32') {
    words.forEach((word, index) => {
      if (!rng.chance(1 / 32)) words[index] = ((word & 0x807fffff) | ((120 + rng.below(16)) << 23)) >>> 0;
    });
  }
  return new Uint8Array(words.buffer, 0, imageBytes(image));
}
