// Prepared dispatches for repeated use: everything is created except the commands, and the contents
// of all uniforms are in one block.

import { alignUp } from '../../base/align.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { CommandQueue } from './command-queue.ts';
import type { Shader } from './shaders.ts';

export interface Dispatch {
  readonly shader: Shader;
  readonly group: GPUBindGroup;
  readonly workgroups: Dim3;
  /** The contents of each uniform in bytes, in the order of their bindings. */
  readonly uniforms: readonly Uint8Array[];
}

interface Placed {
  dispatch: Dispatch;
  /** The offset of each uniform in the block. */
  readonly at: readonly number[];
  /** The offsets of the uniforms in the current replay. */
  readonly offsets: Uint32Array;
}

export class Recording {
  readonly #placed: Placed[] = [];
  readonly #block: Uint8Array;

  /** `align` is the alignment of uniforms. */
  constructor(dispatches: readonly Dispatch[], align: number) {
    let end = 0;
    for (const dispatch of dispatches) {
      const at = dispatch.uniforms.map(({ length }) => {
        const start = end;
        end = alignUp(start + length, align);
        return start;
      });
      this.#placed.push({ dispatch, at, offsets: Uint32Array.from(at) });
    }
    this.#block = new Uint8Array(end);
    for (const [index, dispatch] of dispatches.entries()) this.replace(index, dispatch);
  }

  /** Replaces a dispatch by another with uniforms of the same size. */
  replace(index: number, dispatch: Dispatch): void {
    const placed = this.#placed[index];
    if (!placed) return;
    placed.dispatch = dispatch;
    for (const [which, bytes] of dispatch.uniforms.entries()) this.#block.set(bytes, placed.at[which]);
  }

  /** Returns the first uniform of a dispatch, to change its contents. */
  uniformOf(index: number): Uint8Array {
    const { at: [start = 0] = [], dispatch } = this.#placed[index] ?? {};
    return this.#block.subarray(start, start + (dispatch?.uniforms[0]?.length ?? 0));
  }

  /** Adds all dispatches to a queue, `times` times. With `timed`, they have a pass of their own. */
  replay(queue: CommandQueue, times = 1, timed?: GPUComputePassTimestampWrites): void {
    const { offset, bytes } = queue.room(this.#block.length, this.#placed.length);
    bytes.set(this.#block);
    for (const { at, offsets } of this.#placed)
      for (let which = 0; which < at.length; which++) offsets[which] = offset + (at[which] ?? 0);
    if (timed) queue.timedPass(timed);
    for (let round = 0; round < times; round++)
      for (const { dispatch, offsets } of this.#placed)
        queue.dispatch(dispatch.shader, dispatch.group, offsets, dispatch.workgroups);
    if (timed) queue.endPass();
  }
}

/** Returns the contents of a uniform, padded with zeros. */
export function uniformContents({ bytes, data }: { readonly bytes: number; readonly data?: Uint8Array }): Uint8Array {
  const contents = new Uint8Array(Math.max(4, bytes));
  if (data) contents.set(data);
  return contents;
}
