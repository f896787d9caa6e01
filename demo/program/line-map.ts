// Pairs of lines, for lookups in both directions.
import type { SourceLine } from './source-lines.ts';

export interface LineMap {
  /** By line of the PTX, its lines of the WGSL. Lines are counted from 1. */
  readonly toWgsl: ReadonlyMap<number, readonly number[]>;
  readonly toPtx: ReadonlyMap<number, number>;
}

/**
 * Builds the map. A WGSL line that belongs to several PTX lines is assigned to the first of them.
 */
export function lineMap(lines: readonly SourceLine[]): LineMap {
  const toWgsl = new Map<number, number[]>();
  const toPtx = new Map<number, number>();
  for (const { ptxLine, wgslLine } of lines) {
    const known = toWgsl.get(ptxLine);
    if (known) known.push(wgslLine);
    else toWgsl.set(ptxLine, [wgslLine]);
    if (!toPtx.has(wgslLine)) toPtx.set(wgslLine, ptxLine);
  }
  return { toWgsl, toPtx };
}
