// Finds the elements of buffers that a launch wrote. Only these elements are results; the other
// elements are inputs.
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import { scalarFormats } from '../../base/scalars.ts';

/**
 * Returns, for each parameter number, a mark for each element of a buffer. The mark is 1 if a
 * thread of the reference wrote the element or `outputs` changed it, and otherwise 0. Buffers
 * without marked elements are absent. `writers` contains, for each byte, the linear global number
 * of the thread that wrote it last, or -1.
 */
export function writtenElements(
  { params }: Launch,
  writers: ReadonlyMap<number, Int32Array>,
  outputs: LaunchOutputs,
): Map<number, Uint8Array> {
  const written = new Map<number, Uint8Array>();
  for (const [index, param] of params.entries()) {
    if (param.kind !== 'buffer') continue;
    const { bytes: width } = scalarFormats[param.type];
    const threads = writers.get(index);
    const after = outputs.get(index);
    const marks = new Uint8Array(Math.floor(param.bytes / width));
    for (let at = 0; at < marks.length * width; at++) {
      const isStored = threads !== undefined && (threads[at] ?? -1) >= 0; // An element may end after the buffer.
      // A buffer without data starts with zeros.
      const isChanged = after !== undefined && after[at] !== (param.data?.[at] ?? 0);
      if (isStored || isChanged) marks[Math.floor(at / width)] = 1;
    }
    if (marks.includes(1)) written.set(index, marks);
  }
  return written;
}
