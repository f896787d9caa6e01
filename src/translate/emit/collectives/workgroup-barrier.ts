// WGSL's workgroup barriers.
import * as w from '../../../wgsl/tree/build.ts';
import { waitBeforeBarrier } from '../program/ordered-accesses.ts';
import type { Emitter } from '../values/emitter.ts';

/**
 * Writes a barrier that orders accesses in the workgroup: to shared memory, also in a buffer, and to
 * buffers in which barriers order accesses.
 */
export function writeWorkgroupBarrier(emitter: Emitter): void {
  const { writer, uses } = emitter;
  waitBeforeBarrier(emitter);
  writer.push({ kind: 'do', call: w.builtin('workgroupBarrier', 'u32') });
  const { heap, buffers, arrays } = uses.options.memory;
  const exchanges =
    heap.written || [...buffers.values()].some(({ exchanged }) => exchanged) || arrays.some(({ buffered }) => buffered);
  if (exchanges) writer.push({ kind: 'do', call: w.builtin('storageBarrier', 'u32') });
}
