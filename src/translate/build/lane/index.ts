// The builders of lane instructions, by the row's name. `rare.ts` has those that few kernels need.
import { InternalError } from '../../../base/invariants.ts';
import { type LaneRowName, laneIsaRows } from '../../../isa/index.ts';
import { arithmeticRows } from './arithmetic.ts';
import { bitRows } from './bits.ts';
import { carryRows } from './carry.ts';
import { compareRows } from './compare.ts';
import { convertRows } from './convert.ts';
import { doubleRows } from './double.ts';
import { floatRows } from './float.ts';
import { logicRows } from './logic.ts';
import type { rareLaneRows } from './rare.ts';
import type { LaneRow } from './row.ts';

export type { LaneBuild } from './row.ts';

const commonLaneRows: Readonly<Record<Exclude<LaneRowName, keyof typeof rareLaneRows>, LaneRow>> = {
  ...arithmeticRows,
  ...carryRows,
  ...bitRows,
  ...logicRows,
  ...compareRows,
  ...floatRows,
  ...doubleRows,
  ...convertRows,
};

const laneNames: ReadonlySet<string> = new Set(laneIsaRows.map(({ name }) => name));

/** Whether a row is of a lane instruction. */
export const isLaneRow = (name: string): name is LaneRowName => laneNames.has(name);

const known = new Map<string, LaneRow>(Object.entries(commonLaneRows));

/** Makes the rare builders known. */
export function provideLaneRows(rare: typeof rareLaneRows): void {
  for (const [name, row] of Object.entries(rare)) known.set(name, row);
}

/** Returns the builder of a row. Throws InternalError if its part of the compiler is not loaded. */
export function laneRow(name: LaneRowName): LaneRow {
  const row = known.get(name);
  if (row === undefined)
    throw new InternalError(`the part \`lanes\` of the compiler, which builds ${name}, is not loaded`);
  return row;
}
