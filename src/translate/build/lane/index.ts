// The builders of all lane instructions, by the row's name.
import type { LaneRowName } from '../../../isa/index.ts';
import { arithmeticRows } from './arithmetic.ts';
import { bitRows } from './bits.ts';
import { carryRows } from './carry.ts';
import { compareRows } from './compare.ts';
import { convertRows } from './convert.ts';
import { doubleRows } from './double.ts';
import { floatRows } from './float.ts';
import { halfRows } from './half.ts';
import { halfCompareRows } from './half-compare.ts';
import { halfConvertRows } from './half-convert.ts';
import { logicRows } from './logic.ts';
import type { LaneRow } from './row.ts';
import { smallFloatRows } from './small-float.ts';
import { videoRows } from './video.ts';

export type { LaneBuild } from './row.ts';

export const laneRows: Readonly<Record<LaneRowName, LaneRow>> = {
  ...arithmeticRows,
  ...carryRows,
  ...bitRows,
  ...logicRows,
  ...compareRows,
  ...floatRows,
  ...doubleRows,
  ...convertRows,
  ...halfRows,
  ...halfCompareRows,
  ...halfConvertRows,
  ...videoRows,
  ...smallFloatRows,
};
