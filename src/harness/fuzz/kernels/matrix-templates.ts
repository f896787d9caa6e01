// Matrix instructions of whole warps: products, loads, stores, transpositions.
import { effectsOf, type IsaRow, type Mods, matrixRows, wmmaRows } from '../../../isa/index.ts';
import { wmmaExtent, wmmaLayout, wmmaMatrix } from '../../../isa/wmma-fragments.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { modChoices } from '../../suites/rows/instruction-text.ts';
import { type Dialect, dialectsFor } from './dialects.ts';

export interface MatrixTemplate {
  readonly row: IsaRow;
  readonly mods: Mods;
  /** The memory of the matrix; undefined if the matrix is in registers. */
  readonly memory: MatrixMemory | undefined;
  readonly dialects: readonly Dialect[];
}

/**
 * - `input`: the first kilobyte of the input, which every launch has
 * - `cells`: 512 bytes of shared memory for each warp
 * - `buffer`: a kilobyte of a buffer for each warp
 */
export type MatrixMemory = 'input' | 'cells' | 'buffer';

export const memoryBytes: Readonly<Record<MatrixMemory, number>> = { input: 1024, cells: 512, buffer: 1024 };

function memoryOf(row: IsaRow, mods: Mods): MatrixMemory | undefined {
  const { memory } = effectsOf(row, mods);
  if (memory === 'none') return undefined;
  if (!row.name.startsWith('wmma.') || mods.space?.startsWith('shared')) return 'cells';
  return memory === 'writes' ? 'buffer' : 'input';
}

function isPossible(row: IsaRow, mods: Mods): boolean {
  if (objectionTo(row, mods) !== undefined) return false;
  const memory = memoryOf(row, mods);
  if (memory === undefined || !row.name.startsWith('wmma.')) return true;
  const { matrix, shape, type } = mods;
  const { rows, columns } = wmmaExtent(wmmaMatrix(matrix), shape);
  return (rows * columns * wmmaLayout(wmmaMatrix(matrix), shape, type).bits) / 8 <= memoryBytes[memory];
}

const rows: readonly IsaRow[] = [...matrixRows, ...wmmaRows];

/** The templates by row. Each row is drawn equally often. */
export const matrixTemplates: ReadonlyMap<string, readonly MatrixTemplate[]> = new Map(
  rows.map((row) => {
    const possible = modChoices(row).filter((mods) => isPossible(row, mods));
    const templates = possible.map((mods) => ({
      row,
      mods,
      memory: memoryOf(row, mods),
      dialects: dialectsFor(row, mods),
    }));
    return [row.name, templates] as const;
  }),
);
