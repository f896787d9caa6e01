// Maps lines of the WGSL to lines of the page's text.
import type { WgslProgram } from '../../src/translate/index.ts';

/** A pair of lines, which are counted from 1. */
export type SourceLine = WgslProgram['sourceMap'][number];

/**
 * Returns the pairs of lines of a program, ordered by the line of the WGSL. `own` is the number of
 * lines that the page added before the text.
 */
export function sourceLines({ sourceMap }: WgslProgram, own: number): readonly SourceLine[] {
  return sourceMap
    .map(({ ptxLine, wgslLine }) => ({ ptxLine: ptxLine - own, wgslLine }))
    .filter(({ ptxLine }) => ptxLine > 0);
}
