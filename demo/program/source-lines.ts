// Which line of the WGSL comes of which line of the page's text.
import type { WgslProgram } from '../../src/translate/index.ts';

/** Both count from 1. */
export type SourceLine = WgslProgram['sourceMap'][number];

/** The pairs of a program, by line of the WGSL. `own`: how many lines the page itself put before the text. */
export function sourceLines({ sourceMap }: WgslProgram, own: number): readonly SourceLine[] {
  return sourceMap
    .map(({ ptxLine, wgslLine }) => ({ ptxLine: ptxLine - own, wgslLine }))
    .filter(({ ptxLine }) => ptxLine > 0);
}
