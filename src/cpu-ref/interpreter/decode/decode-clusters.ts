// Decodes instructions that map addresses between the blocks of a cluster.
import { blocksText } from '../../../base/cluster.ts';
import type { ClusterRowName } from '../../../isa/index.ts';
import type { Instruction } from '../../../ptx/ast.ts';
import { clusterAddress, placeAt } from '../memory/cluster-window.ts';
import { lowestLane } from '../state/frame.ts';
import type { Exec } from '../state/state.ts';
import { type DecodeContext, readOperand, writeOperand } from './decode-control.ts';

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec;
type AddressRow = Extract<ClusterRowName, 'mapa' | 'getctarank'>;

/** Returns the generic address of shared memory; 0 if the instruction's addresses are not generic. */
const windowOf = ({ mods }: Instruction, { space }: DecodeContext): number =>
  mods.space === undefined ? space.plan.windows.shared : 0;

const mapAddress: Decoder = (instruction, context) => {
  const destination = writeOperand(instruction, 'd', context);
  const source = readOperand(instruction, 'a', context);
  const block = readOperand(instruction, 'b', context);
  const window = windowOf(instruction, context);
  return (warp, frame, lanes) => {
    const size = warp.block.cluster.blocks.length;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const rank = frame.wordOf(block, lane);
      if (rank >= size) {
        const message = () => `invalid block rank ${rank}: the cluster has ${blocksText(size)}`;
        warp.machine.log.add('RUN024', instruction.span, warp.place(1 << lane), message);
      }
      if (destination === undefined) continue;
      const address = frame.addressOf(source.place, lane);
      // An address outside of the shared window has no place in another block.
      const isMapped = size > 1 && rank < size && address >= window;
      const mapped = isMapped ? window + clusterAddress(rank, placeAt(address - window).offset) : address;
      frame.writeBits(destination.place, lane, BigInt.asUintN(destination.width, BigInt(mapped)));
    }
    frame.mark(destination, lanes, frame.undefinedLanes([source, block]));
  };
};

const blockNumber: Decoder = (instruction, context) => {
  const destination = writeOperand(instruction, 'd', context);
  const source = readOperand(instruction, 'a', context);
  const window = windowOf(instruction, context);
  return (warp, frame, lanes) => {
    if (destination === undefined) return;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const { rank = warp.block.rank } = placeAt(frame.addressOf(source.place, lane) - window);
      frame.writeWord(destination, lane, rank);
    }
    frame.mark(destination, lanes, frame.undefinedLanes([source]));
  };
};

export const clusterDecoders: Readonly<Record<AddressRow, Decoder>> = { mapa: mapAddress, getctarank: blockNumber };
