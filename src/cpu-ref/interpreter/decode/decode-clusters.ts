// Decodes instructions that map addresses between the blocks of a cluster. In this project, a
// cluster always consists of one block, so every address belongs to that block, and its rank is 0.
import type { ClusterRowName } from '../../../isa/index.ts';
import type { Instruction } from '../../../ptx/ast.ts';
import { addressExec } from '../operations/memory-op.ts';
import { lowestLane } from '../state/frame.ts';
import type { Exec } from '../state/state.ts';
import { type DecodeContext, readOperand, writeOperand } from './decode-control.ts';

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec;
type AddressRow = Extract<ClusterRowName, 'mapa' | 'getctarank'>;

const nothing: Exec = () => {};

const mapAddress: Decoder = (instruction, context) => {
  const destination = writeOperand(instruction, 'd', context);
  const source = readOperand(instruction, 'a', context);
  const block = readOperand(instruction, 'b', context);
  const exec = destination === undefined ? nothing : addressExec(source, destination, (address) => address);
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const number = frame.wordOf(block, lane);
      if (number === 0) continue;
      const message = () => `invalid block rank ${number}: the cluster has one block`;
      warp.machine.log.add('RUN024', instruction.span, warp.place(1 << lane), message);
    }
    exec(warp, frame, lanes);
  };
};

const blockNumber: Decoder = (instruction, context) => {
  const destination = writeOperand(instruction, 'd', context);
  readOperand(instruction, 'a', context);
  return (_warp, frame, lanes) => {
    if (destination === undefined) return;
    for (let m = lanes; m !== 0; m &= m - 1) frame.writeWord(destination, lowestLane(m), 0);
    frame.mark(destination, lanes, 0);
  };
};

export const clusterDecoders: Readonly<Record<AddressRow, Decoder>> = { mapa: mapAddress, getctarank: blockNumber };
