// Decodes hints. The bits of a cache policy are opaque, so the interpreter treats them as
// undefined. Discarded bytes become undefined.
import type { HintRowName } from '../../../isa/index.ts';
import type { Instruction } from '../../../ptx/ast.ts';
import { Region } from '../memory/region.ts';
import { inspect, type Located, locate } from '../operations/locate.ts';
import { lowestLane } from '../state/frame.ts';
import type { Exec } from '../state/state.ts';
import { access } from './decode-access.ts';
import { type DecodeContext, writeOperand } from './decode-control.ts';

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec;

const nothing: Decoder = () => () => {};

const policy: Decoder = (instruction, context) => {
  const destination = writeOperand(instruction, 'd', context);
  return (_warp, frame, lanes) => {
    if (destination === undefined) return;
    for (let m = lanes; m !== 0; m &= m - 1) frame.writeWide(destination, lowestLane(m), 0n);
    frame.mark(destination, lanes, -1);
  };
};

/** The size and the alignment of a discarded range, in bytes. */
const lineBytes = 128;

const discard: Decoder = (instruction, context) => {
  const target = access(instruction, lineBytes, 'store', context);
  const at: Located = { region: new Region('nowhere', 'global', 0, 0), offset: 0 };
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (!locate(warp, frame, lane, target, at)) continue;
      if (warp.machine.sanitize) inspect(warp, lane, target, at);
      at.region.noteStore(at.offset, lineBytes, true, warp.firstGlobalThread + lane);
    }
  };
};

export const hintDecoders: Readonly<Record<HintRowName, Decoder>> = {
  applypriority: nothing,
  discard,
  'createpolicy.range': policy,
  'createpolicy.cvt': policy,
  'griddepcontrol.wait': nothing,
  'griddepcontrol.launch_dependents': nothing,
  setmaxnreg: nothing,
};
