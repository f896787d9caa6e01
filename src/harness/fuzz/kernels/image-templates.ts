// Instructions on textures and surfaces, and the images that they use.
import { type Image, type TexelType, texelBytes, texelTypes } from '../../../base/image.ts';
import { type IsaRow, type Mods, textureRows } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { type TextureGeometry, textureForms, textureShapes } from '../../suites/image/texture-forms.ts';
import type { Random } from '../../suites/random.ts';
import { modChoices } from '../../suites/rows/instruction-text.ts';
import { type Dialect, dialectsFor } from './dialects.ts';

export interface ImageTemplate {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly dialects: readonly Dialect[];
}

const rows: readonly IsaRow[] = textureRows;

/** The templates by row. Each row is drawn equally often. */
export const imageTemplates: ReadonlyMap<string, readonly ImageTemplate[]> = new Map(
  rows.map((row) => {
    const possible = modChoices(row).filter((mods) => objectionTo(row, mods) === undefined);
    return [row.name, possible.map((mods) => ({ row, mods, dialects: dialectsFor(row, mods) }))] as const;
  }),
);

export const isTextureRow = ({ name }: IsaRow): boolean => /^t/.test(name);

/** The maximum number of threads of a kernel: two clusters of 256 threads. */
export const maxKernelThreads = 512;

/**
 * The shapes of surfaces. They have a separate place for each possible thread of a kernel, and rows
 * of at least 16 bytes.
 */
const surfaceShapes: Readonly<Record<string, { readonly size: Image['size']; readonly layers?: number }>> = {
  '1d': { size: [maxKernelThreads] },
  '2d': { size: [16, maxKernelThreads / 16] },
  '3d': { size: [16, 4, maxKernelThreads / 64] },
  a1d: { size: [16], layers: maxKernelThreads / 16 },
  a2d: { size: [16, 4], layers: maxKernelThreads / 64 },
};

const isGeometry = (geom: string): geom is TextureGeometry => geom in textureShapes;
const pick = <T>(rng: Random, list: readonly T[]): T | undefined => list[rng.below(list.length)];

/**
 * Returns the geometry that an instruction names. Queries do not name one, so their geometry is
 * drawn.
 */
function geometryOf({ mods }: ImageTemplate, rng: Random): TextureGeometry {
  const { geom = '' } = mods;
  return isGeometry(geom) ? geom : rng.pick(['1d', '2d', '3d', 'a1d', 'a2d']);
}

/** Returns a texture that an instruction can look up, or a surface that it can access. */
export function imageFor(template: ImageTemplate, rng: Random): Image | undefined {
  const { row, mods } = template;
  const geom = geometryOf(template, rng);
  if (!isTextureRow(row)) return surfaceFor(template, geom, rng);
  const isHalf = mods.dtype === 'f16' || row.name.endsWith('.f16x2');
  const filter = mods.ctype === 's32' || rng.chance(0.4) ? 'point' : 'linear';
  // f16 results need f16 texels, because the manual does not define how other numbers convert to
  // f16.
  const forms = textureForms(geom, filter).filter(({ image }) => !isHalf || image.texel === 'f16');
  const image = pick(rng, forms)?.image;
  const isLinear = geom === '1d' && mods.ctype === 's32' && image?.sampling.normalizedCoordinates === false;
  return image && isLinear ? { ...image, linear: true } : image;
}

function surfaceFor({ row, mods }: ImageTemplate, geom: string, rng: Random): Image | undefined {
  const shape = surfaceShapes[geom];
  const texels = ([1, 2, 4] as const).flatMap((channels) => texelTypes.map((texel) => ({ texel, channels })));
  const words: readonly TexelType[] = ['u32', 's32'];
  const fitting = texels.filter((texel) => {
    if (row.name === 'sured.p') return words.includes(texel.texel) && texel.channels === 1;
    if (row.name === 'sust.p') return texel.channels <= Number(mods.vec?.slice(1) ?? 1);
    // A place must be able to hold the instruction's widest access.
    return texelBytes({ ...texel, size: [1] }) >= accessBytes(mods);
  });
  const texel = pick(rng, fitting);
  return texel && shape && { ...texel, ...shape };
}

/** Returns the number of bytes that an instruction accesses, if it addresses bytes. */
export function accessBytes({ vec, type = 'b32' }: Mods): number {
  return (Number(vec?.slice(1) ?? 1) * Number(/\d+$/.exec(type)?.[0] ?? 32)) / 8;
}
