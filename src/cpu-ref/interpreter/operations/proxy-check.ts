// Finds stores that a bulk copy or a product of a warpgroup may not see, because a fence between the
// proxies is missing.
import type { Access } from '../memory/access.ts';
import type { Region } from '../memory/region.ts';
import type { Warp } from '../state/state.ts';
import { describeOffset } from './locate.ts';

/** A range of bytes of shared memory. */
interface Bytes {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Reports the first store to shared memory that an async access of a lane may not see. The manual
 * also requires the fence after `cp.async`. Published kernels omit it there, so it is not reported.
 */
export function reportUnfenced(
  warp: Warp,
  lane: number,
  { span }: Pick<Access, 'span'>,
  region: Region,
  ranges: Iterable<Bytes>,
): void {
  const { clocks, shared, sharedAccesses, proxyFences } = warp.block;
  if (clocks === undefined || proxyFences === undefined || region !== shared) return;
  const sees = proxyFences.seenBy(warp.firstThread + lane);
  for (const { offset, bytes } of ranges) {
    for (const store of sharedAccesses.writesIn(offset, bytes)) {
      const isOfOthers = store.access.isAsync === true || store.block !== clocks;
      if (isOfOthers || sees(store)) continue;
      const message = () =>
        `${describeOffset(region, offset)} is read asynchronously, with no fence.proxy.async after the store of thread ${store.thread}`;
      warp.machine.log.add('RUN031', span, warp.place(1 << lane), message, {
        labels: [{ span: store.access.span, text: 'the store' }],
        variant: String(store.access.span.start),
      });
      return;
    }
  }
}
