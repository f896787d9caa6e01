// Infers properties of a texture or surface from the instructions that use its handle.
import type { Instruction } from '../../ptx/ast.ts';

export interface ImageUse {
  readonly isSurface: boolean;
  /** The geometry; undefined if the kernel only queries sizes. */
  readonly geom: string | undefined;
  /** Whether some coordinates are integers. */
  readonly isInteger: boolean;
  /** The type of results: `f32`, `u32`, … */
  readonly type: string;
}

/** Returns the known properties together with those from an instruction. */
export function imageUse({ row, mods }: Instruction, known: ImageUse | undefined): ImageUse {
  return {
    isSurface: row.name.startsWith('su'),
    geom: mods.geom ?? known?.geom,
    isInteger: mods.ctype === 's32' || known?.isInteger === true,
    type: mods.dtype ?? known?.type ?? 'f32',
  };
}
