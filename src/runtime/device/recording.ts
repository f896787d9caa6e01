// Dispatches that are asked for again and again: all is made but the commands, and what their uniforms hold lies in one block.

import { alignUp } from '../../base/align.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { CommandQueue } from './command-queue.ts';

export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly workgroups: Dim3;
  /// Bytes of each uniform, in the order of their bindings.
  readonly uniforms: readonly Uint8Array[];
}

interface Placed extends Omit<Dispatch, 'uniforms'> {
  /// Of each uniform, in the block.
  readonly at: readonly number[];
}

export class Recording {
  readonly #placed: Placed[] = [];
  readonly #block: Uint8Array;

  /// `align`: where uniforms may begin.
  constructor(dispatches: readonly Dispatch[], align: number) {
    let end = 0;
    const parts: (readonly [number, Uint8Array])[] = [];
    for (const { uniforms, ...dispatch } of dispatches) {
      const at = uniforms.map((bytes) => {
        const start = end;
        parts.push([start, bytes]);
        end = alignUp(start + bytes.length, align);
        return start;
      });
      this.#placed.push({ ...dispatch, at });
    }
    this.#block = new Uint8Array(end);
    for (const [start, bytes] of parts) this.#block.set(bytes, start);
  }

  /// Asks for all of it, `times` times one after another; with `timed`, in a pass of its own.
  replay(queue: CommandQueue, times = 1, timed?: GPUComputePassTimestampWrites): void {
    const { offset, bytes } = queue.room(this.#block.length);
    bytes.set(this.#block);
    const steps = this.#placed.map(({ at, ...step }) => ({ ...step, offsets: at.map((start) => offset + start) }));
    if (timed) queue.timedPass(timed);
    for (let round = 0; round < times; round++)
      for (const { pipeline, group, offsets, workgroups } of steps)
        queue.dispatch(pipeline, group, offsets, workgroups);
    if (timed) queue.encoder();
  }
}

/// What a uniform holds, with the zeros behind.
export function uniformContents({ bytes, data }: { readonly bytes: number; readonly data?: Uint8Array }): Uint8Array {
  const contents = new Uint8Array(Math.max(4, bytes));
  if (data) contents.set(data);
  return contents;
}
