// Templates of the warp instructions of the ISA tables, with every choice of their modifiers.
import { type IsaRow, type Mods, warpRows } from '../../../isa/index.ts';
import { modChoices, operandType } from '../../suites/rows/instruction-text.ts';
import { type Dialect, dialectsFor } from './dialects.ts';
import type { RegisterClass } from './registers.ts';

export interface WarpTemplate {
  readonly row: IsaRow;
  readonly mods: Mods;
  /** The register class of each operand except the membermask, by the row's names. */
  readonly classes: Readonly<Record<string, RegisterClass>>;
  /**
   * Whether the instruction is `.sync`: it has a membermask and waits for the lanes of the mask.
   * Other instructions need a converged warp.
   */
  readonly sync: boolean;
  readonly dialects: readonly Dialect[];
}

function classOf(type: string): RegisterClass {
  if (type === 'pred') return 'p';
  if (type === 'f32') return 'f';
  return type.endsWith('64') ? 'd' : 'r';
}

export const warpTemplates: readonly WarpTemplate[] = warpRows.flatMap((row: IsaRow) =>
  modChoices(row).map((mods): WarpTemplate => {
    const names = Object.keys(row.types).filter((name) => name !== 'membermask');
    const classes = Object.fromEntries(names.map((name) => [name, classOf(operandType(row, mods, name))]));
    return { row, mods, classes, sync: row.types.membermask !== undefined, dialects: dialectsFor(row, mods) };
  }),
);

export const isShuffle = ({ row }: WarpTemplate): boolean => row.name === 'shfl' || row.name === 'shfl.sync';
