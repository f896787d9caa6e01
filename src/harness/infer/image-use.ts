// What instructions on the handle of a texture or surface say about it.
import type { Instruction } from '../../ptx/ast.ts';

export interface ImageUse {
  readonly isSurface: boolean;
  /** Undefined if the kernel only asks for its sizes. */
  readonly geom: string | undefined;
  /** Whether some coordinates are integers. */
  readonly isInteger: boolean;
  /** Of results: `f32`, `u32`, … */
  readonly type: string;
}

/** With what was known of the handle. */
export function imageUse({ row, mods }: Instruction, known: ImageUse | undefined): ImageUse {
  return {
    isSurface: row.name.startsWith('su'),
    geom: mods.geom ?? known?.geom,
    isInteger: mods.ctype === 's32' || known?.isInteger === true,
    type: mods.dtype ?? known?.type ?? 'f32',
  };
}
