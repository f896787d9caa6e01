// Matrices of whole warps: products whose sums are exact or added in one order, loads, transpositions.
import { effectsOf, type IsaRow, type Mods, matrixRows, wmmaRows } from '../../../isa/index.ts';
import { wmmaExtent, wmmaLayout, wmmaMatrix } from '../../../isa/wmma-fragments.ts';
import { objectionTo } from '../../../ptx/constraints.ts';
import { modChoices } from '../../suites/rows/instruction-text.ts';
import { type Dialect, dialectsFor } from './dialects.ts';

export interface MatrixTemplate {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly dialects: readonly Dialect[];
}

/// Bytes of the input that every launch has.
const inputBytes = 1024;

function isPossible(row: IsaRow, mods: Mods): boolean {
  if (objectionTo(row, mods) !== undefined) return false;
  if (row.name === 'movmatrix') return true;
  if (effectsOf(row, mods).memory === 'none') return mods.dtype === 's32' || mods.dtype === 'f64';
  const { matrix, shape, type, space } = mods;
  if (row.name !== 'wmma.load' || space?.startsWith('shared')) return false;
  const { rows, columns } = wmmaExtent(wmmaMatrix(matrix), shape);
  return (rows * columns * wmmaLayout(wmmaMatrix(matrix), shape, type).bits) / 8 <= inputBytes;
}

const rows: readonly IsaRow[] = [...matrixRows, ...wmmaRows];

/// By row, each row drawn as often as another.
export const matrixTemplates: ReadonlyMap<string, readonly MatrixTemplate[]> = new Map(
  rows.flatMap((row) => {
    const possible = modChoices(row).filter((mods) => isPossible(row, mods));
    const templates = possible.map((mods) => ({ row, mods, dialects: dialectsFor(row, mods) }));
    return templates.length === 0 ? [] : [[row.name, templates] as const];
  }),
);
