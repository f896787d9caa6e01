// Runs the WGSL of a lane instruction on operands, in the test interpreter.
import { blockSize } from '../lane-rows/kernel.ts';
import { runWgsl } from '../wgsl-interpreter/index.ts';

/**
 * Runs a kernel on the words of the operands. Returns the first word that the first thread stores.
 */
export function outputOf(code: string, operands: readonly number[]): number | undefined {
  const data = new Uint8Array(new Uint32Array([...operands, ...new Array(8 * blockSize).fill(0)]).buffer);
  const { buffers } = runWgsl(
    {
      label: 'lane',
      code,
      entryPoint: 'main',
      workgroups: [1, 1, 1],
      buffers: [
        { binding: 0, kind: 'read-only-storage', bytes: data.length, data, read: false },
        { binding: 1, kind: 'storage', bytes: 4 * blockSize * 4, read: true },
      ],
    },
    { subgroupSize: 1 },
  );
  const bytes = buffers.get(1);
  if (bytes === undefined) throw new Error('the results were not read');
  return new Uint32Array(bytes.buffer)[0];
}
