// The builders of lane instructions, by the row's name. `rare.ts` contains those that few kernels
// need.
import type { IsaRow, LaneRowName } from '../../../isa/index.ts';
import { arithmeticRows } from './arithmetic.ts';
import { bitRows } from './bits.ts';
import { carryRows } from './carry.ts';
import { compareRows } from './compare.ts';
import { convertRows } from './convert.ts';
import { doubleRows } from './double.ts';
import { floatRows } from './float.ts';
import { logicRows } from './logic.ts';
import { lanePart } from './part.ts';
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

/** Whether a row is the row of a lane instruction. */
export const isLaneRow = (row: IsaRow): row is IsaRow & { readonly name: LaneRowName } => row.kind === 'lane';

type CommonName = keyof typeof commonLaneRows;
const isCommon = (name: LaneRowName): name is CommonName => Object.hasOwn(commonLaneRows, name);

/** Returns the builder of a row. Throws InternalError if its part of the compiler is not loaded. */
export const laneRow = (name: LaneRowName): LaneRow => (isCommon(name) ? commonLaneRows[name] : lanePart.content[name]);
