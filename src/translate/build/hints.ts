// The translation ignores hints. A cache policy becomes a number that no instruction
// uses.
import type { HintRowName } from '../../isa/index.ts';
import { constant } from '../ir/nodes.ts';
import type { EffectRow } from './row-slots.ts';

const nothing: EffectRow = () => () => {};

const policy: EffectRow =
  () =>
  (registers, { operands }) => {
    registers.write(operands.d, constant('i64', 0n), false);
  };

export const hintBuilds: Readonly<Record<HintRowName, EffectRow>> = {
  applypriority: nothing,
  discard: nothing,
  'createpolicy.range': policy,
  'createpolicy.cvt': policy,
  'griddepcontrol.wait': nothing,
  'griddepcontrol.launch_dependents': nothing,
  setmaxnreg: nothing,
};
