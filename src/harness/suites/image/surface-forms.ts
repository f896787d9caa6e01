// The surface accesses under test: each instruction with each geometry, type, vector and
// out-of-bounds mode. The kinds of texels alternate.
import { type Image, type TexelType, texelBytes, texelTypes } from '../../../base/image.ts';
import { type IsaRow, type Mods, textureRows } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { modChoices } from '../rows/instruction-text.ts';

/**
 * The number of threads per block. A surface has as many cells: one for each thread, unless the
 * thread's access is out of bounds.
 */
export const threads = 128;

/** The number of cells along each axis, and the number of layers. */
const cells: Readonly<Record<string, { readonly size: Image['size']; readonly layers?: number }>> = {
  '1d': { size: [threads] },
  '2d': { size: [16, 8] },
  '3d': { size: [8, 4, 4] },
  a1d: { size: [32], layers: 4 },
  a2d: { size: [8, 4], layers: 4 },
};

export interface SurfaceForm {
  readonly row: IsaRow;
  readonly mods: Mods;
  /** The name of a kind of texel, for example `u8x4`. */
  readonly name: string;
  readonly image: Image;
  /** The number of bytes of a cell, of an access, and of a step along x. */
  readonly cell: number;
  readonly bytes: number;
  readonly unit: number;
  /** The number of vector elements, and the number of bytes of one element in PTX. */
  readonly count: number;
  readonly element: number;
}

const channels = [1, 2, 4] as const;
const everyTexel = channels.flatMap((count) => texelTypes.map((texel) => ({ texel, channels: count })));
type Texel = Pick<Image, 'texel' | 'channels'>;

function formOf(row: IsaRow, mods: Mods, texel: Texel): SurfaceForm {
  const { geom = '', vec, type = '' } = mods;
  const count = Number(vec?.slice(1) ?? 1);
  const element = Number(/\d+$/.exec(type)?.[0] ?? 32) / 8;
  const isFormatted = row.name.endsWith('.p');
  const whole = texelBytes({ ...texel, size: [1] });
  const bytes = isFormatted ? whole : count * element;
  const cell = Math.max(4, bytes);
  const { size, layers } = cells[geom] ?? { size: [threads] };
  const [across, ...others] = size;
  const width = (across * cell) / whole;
  const [height, depth] = others;
  return {
    row,
    mods,
    name: `${texel.texel}x${texel.channels}`,
    image: {
      ...texel,
      size: height === undefined ? [width] : depth === undefined ? [width, height] : [width, height, depth],
      ...(layers === undefined ? {} : { layers }),
    },
    cell,
    bytes,
    unit: isFormatted ? whole : 1,
    count,
    element,
  };
}

/** The texel types of `sured.p`. Reductions operate on words. */
const wordTypes: readonly TexelType[] = ['u32', 's32'];

/**
 * Returns kinds of texels for an instruction. `number` is the index of the instruction's choice of
 * modifiers.
 */
function texelsFor({ name }: IsaRow, { vec }: Mods, number: number): readonly Texel[] {
  const fitting = everyTexel.filter((texel) => {
    if (name === 'sured.p') return wordTypes.includes(texel.texel) && texel.channels === 1;
    // PTX does not define the components of a texel that a store omits.
    return name !== 'sust.p' || texel.channels <= Number(vec?.slice(1) ?? 1);
  });
  const taken = name === 'sust.p' ? 3 : 1;
  return Array.from({ length: taken }, (_, index) => fitting[(5 * (number * taken + index)) % fitting.length]).filter(
    (texel) => texel !== undefined,
  );
}

/**
 * Returns choices of modifiers, each with one cache hint or none. Cache hints have no visible
 * effect, so not all combinations are needed.
 */
function withHintsInTurn(row: IsaRow): Mods[] {
  const choices = modChoices({ ...row, syntax: row.syntax.replace('{.cop}', '') });
  const hints = [undefined, ...(row.where?.cop ?? [])];
  return choices.map((mods, index) => {
    const cop = row.syntax.includes('{.cop}') ? hints[index % hints.length] : undefined;
    return cop === undefined ? mods : { ...mods, cop };
  });
}

/** Returns the forms, grouped by instruction. */
export function surfaceForms(): readonly (readonly SurfaceForm[])[] {
  const rows: readonly IsaRow[] = textureRows;
  return rows
    .filter(({ name }) => /^(suld|sust|sured)\./.test(name))
    .map((row) =>
      withHintsInTurn(row)
        .filter((mods) => objectionTo(row, mods) === undefined)
        .flatMap((mods, number) => texelsFor(row, mods, number).map((texel) => formOf(row, mods, texel))),
    );
}
