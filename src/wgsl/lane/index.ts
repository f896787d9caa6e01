// The lowering of every lane instruction, by the row's name.
import type { LaneRowName } from '../../isa/index.ts';
import { arithmeticLowerings } from './arithmetic.ts';
import { bitLowerings } from './bits.ts';
import { carryLowerings } from './carry.ts';
import { compareLowerings } from './compare.ts';
import { convertLowerings } from './convert.ts';
import { floatLowerings } from './float.ts';
import { approximateLowerings } from './float-approx.ts';
import { floatCompareLowerings } from './float-compare.ts';
import { logicLowerings } from './logic.ts';
import type { LaneLowering } from './lowering.ts';

export type { LaneLowering } from './lowering.ts';

export const laneLowerings: Readonly<Record<LaneRowName, LaneLowering>> = {
  ...arithmeticLowerings,
  ...carryLowerings,
  ...bitLowerings,
  ...logicLowerings,
  ...compareLowerings,
  ...floatLowerings,
  ...approximateLowerings,
  ...floatCompareLowerings,
  ...convertLowerings,
};

/// The lowering of the row called `name`; undefined where that is no lane instruction.
export function laneLoweringOf(name: string): LaneLowering | undefined {
  return (laneLowerings as Readonly<Record<string, LaneLowering>>)[name];
}
