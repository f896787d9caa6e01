// Reports deadlocks, with the position of every lane of a block.
import { at } from '../../base/invariants.ts';
import type { Span } from '../../ptx/ast.ts';
import { laneNames } from './state/findings.ts';
import { lowestLane } from './state/frame.ts';
import type { Block, Warp } from './state/state.ts';
import { describeWait, syncGroup } from './warp/warp-sync.ts';

interface Label {
  readonly span: Span;
  readonly text: string;
}

const mostLabels = 16;

/** Returns the names of lanes, with their warp and, in a cluster of several blocks, their block. */
const lanesText = ({ rank, cluster }: Block, { index }: Warp, lanes: number): string =>
  `${laneNames(lanes)} of warp ${index}${cluster.blocks.length === 1 ? '' : ` of block ${rank}`}`;

function barrierText(block: Block, warp: Warp, lane: number): string {
  const barrier = block.barriers.find(({ waiting }) => (((waiting[warp.index] ?? 0) >>> lane) & 1) === 1);
  if (((at(block.productWaits.waiting, warp.index, 'the lanes of a warp') >>> lane) & 1) === 1)
    return 'the products of their warpgroup, for its other lanes';
  if (barrier === undefined) {
    const { blocks, barrier: joint } = block.cluster;
    const missing = blocks.map((each) => missingLanes(each, at(joint.arrived, each.rank, 'the arrivals of a block')));
    return `the cluster's barrier, for ${missing.filter((lanes) => lanes !== '').join('; ')}`;
  }
  if (barrier.expected !== 0)
    return `barrier ${barrier.id} (${barrier.count(block.warps)} of ${barrier.expected} threads have arrived)`;
  return `barrier ${barrier.id}, for ${missingLanes(block, barrier.arrived)}`;
}

/** Returns the names of the live lanes that have not arrived. */
function missingLanes(block: Block, arrived: Int32Array): string {
  const missingIn = ({ live, index }: Warp): number => live & ~(arrived[index] ?? 0);
  const missing = block.warps.filter((warp) => missingIn(warp) !== 0);
  return missing.map((warp) => lanesText(block, warp, missingIn(warp))).join('; ');
}

function warpLabels(block: Block, warp: Warp): Label[] {
  const labels: Label[] = [];
  let unseen = warp.live;
  while (unseen !== 0) {
    const lane = lowestLane(unseen);
    const bit = 1 << lane;
    const { span } = warp.opOf(lane);
    const pc = warp.pc[lane];
    let here = 0;
    for (let m = unseen; m !== 0; m &= m - 1) if (warp.pc[lowestLane(m)] === pc) here |= 1 << lowestLane(m);
    if ((warp.atSync & bit) !== 0) {
      here &= syncGroup(warp, lane);
      labels.push({ span, text: describeWait(warp, lane) });
    } else if ((warp.atBarrier & bit) !== 0) {
      here &= warp.atBarrier;
      labels.push({ span, text: `${lanesText(block, warp, here)} wait at ${barrierText(block, warp, lane)}` });
    } else {
      here &= ~(warp.atSync | warp.atBarrier);
      labels.push({ span, text: `${lanesText(block, warp, here)} are here` });
    }
    unseen &= ~(here | bit);
  }
  return labels;
}

/**
 * Returns one label for each group of lanes that wait together at the same instruction, up to a
 * maximum number of labels.
 */
export function whereLanesAre(block: Block): Label[] {
  const others = block.cluster.blocks.filter((other) => other !== block);
  return [block, ...others].flatMap((one) => one.warps.flatMap((warp) => warpLabels(one, warp))).slice(0, mostLabels);
}

/**
 * Reports a deadlock and ends the launch. In a deadlock, no lane can advance, or the state of the
 * launch `repeats`.
 */
export function reportDeadlock(block: Block, repeats = false): never {
  const warp = block.warps.find((candidate) => !candidate.done);
  const [first, ...others] = whereLanesAre(block);
  const where = first?.text ?? 'no lane can advance';
  const message = `deadlock: ${repeats ? `the state repeats, and ${where}` : where}`;
  if (warp !== undefined && first !== undefined) {
    block.machine.log.add('RUN002', first.span, warp.place(warp.live), () => message, { labels: others });
  }
  return block.machine.halt('RUN002', message);
}
