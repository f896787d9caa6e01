// Changes of tensor maps in memory.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-tensormap-replace
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-tensormap-cp-fenceproxy
import { tensorMapBytes } from '../../../base/tensor-map-fields.ts';
import type { Access } from '../memory/access.ts';
import type { Source } from '../memory/layout.ts';
import { lowestLane } from '../state/frame.ts';
import type { Exec } from '../state/state.ts';
import { inspect, type Located, locate, nowhere } from './locate.ts';

/** Returns a function that changes a map: `change` returns its new bytes. */
export function replaceField(
  access: Access,
  value: Source | bigint,
  change: (map: Uint8Array, bits: bigint) => Uint8Array,
): Exec {
  const at = nowhere();
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (!locate(warp, frame, lane, access, at)) continue;
      if (warp.machine.sanitize) inspect(warp, lane, access, at);
      const { region, offset } = at;
      const bits =
        typeof value === 'bigint'
          ? value
          : value.width === 64
            ? frame.wideOf(value, lane)
            : BigInt(frame.wordOf(value, lane));
      const isUndefined = typeof value !== 'bigint' && ((frame.undefinedLanes([value]) >>> lane) & 1) !== 0;
      const map = region.bytes.subarray(offset, offset + tensorMapBytes);
      const changed = change(map.slice(), bits);
      for (let byte = 0; byte < tensorMapBytes; byte++) {
        if (map[byte] === changed[byte] && !isUndefined) continue;
        map[byte] = changed[byte] ?? 0;
        region.noteStore(offset + byte, 1, isUndefined, warp.firstGlobalThread + lane);
      }
    }
  };
}

/**
 * Returns a function with which the lanes of a warp copy a map: each lane copies a word. Because the
 * instruction is `.sync`, later accesses of all lanes are ordered after the copy.
 */
export function copyMap(to: Access, from: Access): Exec {
  const [target, source] = [nowhere(), nowhere()];
  const wordBytes = 4;
  return (warp, frame, lanes) => {
    if (lanes >>> 0 !== 0xffff_ffff)
      warp.machine.log.add(
        'RUN030',
        to.span,
        warp.place(lanes),
        () => 'a tensor map is copied by a warp with missing lanes',
      );
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (!locate(warp, frame, lane, to, target) || !locate(warp, frame, lane, from, source)) continue;
      const own = (at: Located): Located => ({ region: at.region, offset: at.offset + wordBytes * lane });
      if (warp.machine.sanitize) {
        inspect(warp, lane, { ...from, bytes: wordBytes }, own(source));
        inspect(warp, lane, { ...to, bytes: wordBytes }, own(target));
      }
      const bits = source.region.undefinedBits(own(source).offset, wordBytes);
      target.region.store(own(target).offset, wordBytes, source.region.load(own(source).offset, wordBytes));
      target.region.noteStore(own(target).offset, wordBytes, bits !== 0n, warp.firstGlobalThread + lane);
    }
    warp.block.clocks?.joinThreads(warp.firstThread, lanes);
  };
}
