// The blocks of a cluster to which a copy writes.

import { blocksText } from '../../../base/cluster.ts';
import type { Span } from '../../../ptx/ast.ts';
import type { Source } from '../memory/layout.ts';
import type { Region } from '../memory/region.ts';
import type { Mbarrier } from '../state/mbarrier.ts';
import type { LaneStep } from './mbarrier-op.ts';

interface Receiver {
  readonly region: Region;
  readonly mbarrier: Mbarrier;
}

/**
 * Returns the blocks that the mask of a multicast names, with the mbarriers at the same place as in
 * the thread's own block. Without a mask, returns `target` with the instruction's mbarrier.
 */
export function receiversOf(
  mask: Source | undefined,
  span: Span,
  target: Region,
  { warp, frame, lane, at, object, complain }: LaneStep,
): readonly Receiver[] {
  if (mask === undefined) return [{ region: target, mbarrier: object }];
  const bits = frame.wordOf(mask, lane);
  const { blocks } = warp.block.cluster;
  if (bits >>> blocks.length !== 0) {
    const message = () => `a copy to the blocks 0x${bits.toString(16)} of a cluster of ${blocksText(blocks.length)}`;
    warp.machine.log.add('RUN024', span, warp.place(1 << lane), message);
    return [];
  }
  const named = blocks.filter(({ rank }) => ((bits >>> rank) & 1) !== 0);
  return named.flatMap((block) => {
    if (block.done) {
      const message = () => `a copy to block ${block.rank} of the cluster, which has exited`;
      warp.machine.log.add('RUN024', span, warp.place(1 << lane), message);
    }
    const mbarrier = block === warp.block ? object : block.mbarriers.get(at.offset);
    if (mbarrier === undefined) {
      complain('no mbarrier at this address in another block: it was not initialized, or it was invalidated');
      return [];
    }
    return [{ region: block.shared, mbarrier }];
  });
}
