// Decodes instructions on mbarrier objects.
import type { MbarrierRowName } from '../../../isa/index.ts';
import type { Instruction } from '../../../ptx/ast.ts';
import type { Access } from '../memory/access.ts';
import type { Source } from '../memory/layout.ts';
import {
  arrivalExec,
  bytesExec,
  copyArrivalExec,
  lifeExec,
  pendingOf,
  phaseOf,
  testExec,
} from '../operations/mbarrier-op.ts';
import { lowestLane } from '../state/frame.ts';
import type { Mbarrier } from '../state/mbarrier.ts';
import type { Exec, Work } from '../state/state.ts';
import { access } from './decode-access.ts';
import { type DecodeContext, readOperand, writeOperand } from './decode-control.ts';

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec | Extract<Work, { kind: 'look' }>;

const objectBytes = 8;

/**
 * Decodes the access to the mbarrier object. The access is strong, so a plain access by another
 * thread races with it.
 */
function objectOf(instruction: Instruction, context: DecodeContext): Access {
  const { sem } = instruction.mods;
  const whole = access(instruction, objectBytes, 'load', context);
  return { ...whole, strong: true, releases: sem === undefined || sem === 'release' };
}

const optional = (instruction: Instruction, name: string, context: DecodeContext): Source | undefined =>
  instruction.operands[name] === undefined ? undefined : readOperand(instruction, name, context);

const life: Decoder = (instruction, context) =>
  lifeExec(access(instruction, objectBytes, 'store', context), optional(instruction, 'n', context));

const arrive =
  (drops: boolean): Decoder =>
  (instruction, context) =>
    arrivalExec(objectOf(instruction, context), {
      destination: writeOperand(instruction, 'd', context),
      count: optional(instruction, 'n', context),
      bytes: optional(instruction, 'tx', context),
      drops,
    });

const transfer =
  (sign: 1 | -1): Decoder =>
  (instruction, context) =>
    bytesExec(objectOf(instruction, context), readOperand(instruction, 'tx', context), sign);

const test =
  (operand: 'state' | 'parity', isPast: (object: Mbarrier, asked: bigint) => boolean): Decoder =>
  (instruction, context) => ({
    kind: 'look',
    look: testExec(
      objectOf(instruction, context),
      writeOperand(instruction, 'd', context),
      readOperand(instruction, operand, context),
      isPast,
      instruction.mods.sem !== 'relaxed',
    ),
  });

const testState = test('state', ({ phase }, state) => BigInt(phase) !== phaseOf(state));
const testParity = test('parity', ({ phase }, parity) => BigInt(phase & 1) !== (parity & 1n));

const pendingCount: Decoder = (instruction, context) => {
  const state = readOperand(instruction, 'state', context);
  const destination = writeOperand(instruction, 'd', context);
  return (_warp, frame, lanes) => {
    if (destination === undefined) return;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      frame.writeWord(destination, lane, pendingOf(frame.wideOf(state, lane)));
    }
    frame.mark(destination, lanes, frame.undefinedLanes([state]));
  };
};

export const mbarrierDecoders: Readonly<Record<MbarrierRowName, Decoder>> = {
  'mbarrier.init': life,
  'mbarrier.inval': life,
  'mbarrier.arrive': arrive(false),
  'mbarrier.arrive.noComplete': arrive(false),
  'mbarrier.arrive.expect_tx': arrive(false),
  'mbarrier.arrive_drop': arrive(true),
  'mbarrier.arrive_drop.noComplete': arrive(true),
  'mbarrier.arrive_drop.expect_tx': arrive(true),
  'mbarrier.expect_tx': transfer(1),
  'mbarrier.complete_tx': transfer(-1),
  'mbarrier.test_wait': testState,
  'mbarrier.test_wait.parity': testParity,
  'mbarrier.try_wait': testState,
  'mbarrier.try_wait.parity': testParity,
  'mbarrier.pending_count': pendingCount,
  'cp.async.mbarrier.arrive': (instruction, context) =>
    copyArrivalExec(objectOf(instruction, context), instruction.mods.noinc !== undefined),
};
