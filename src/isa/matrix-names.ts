// The names of the rows that multiply matrices. Analyses need them without the rows, which a page
// loads on use.
import type { MatrixRowName } from './matrix.ts';
import type { WmmaRowName } from './wmma.ts';

export type MmaRowName = Extract<MatrixRowName, `mma.${string}`>;
export type WmmaProductName = Extract<WmmaRowName, `wmma.mma.${string}`>;
/** The names of the rows that load or store a matrix. */
export type WmmaMemoryName = Exclude<WmmaRowName, WmmaProductName>;

export const isMmaRow = (row: string): row is MmaRowName => row.startsWith('mma.');
export const isWmmaProduct = (row: WmmaRowName): row is WmmaProductName => row.startsWith('wmma.mma.');
