// The transfer of sequences to a page and back, and to the CUDA driver.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CudaSession, openCuda } from '../../../../src/harness/cuda/session.ts';
import { type LaunchSequence, launchOf } from '../../../../src/harness/launches/launch-sequence.ts';
import {
  decodeRequest,
  decodeSequenceResult,
  encodeError,
  encodeJob,
  encodeSequence,
  encodeSequenceResult,
} from '../../../../src/harness/webgpu/wire.ts';
import { GpuError } from '../../../../src/runtime/device/job.ts';
import { type GpuSequence, type GpuSequenceResult, windowsOf } from '../../../../src/runtime/device/sequence.ts';
import { buildStub, missing, launchOf as stubLaunch, wordsOf } from '../cuda/cuda-stub.ts';

async function joined(parts: Uint8Array<ArrayBuffer>[]): Promise<ArrayBuffer> {
  return await new Blob(parts).arrayBuffer();
}

test('a sequence survives the transfer, and a job remains a job', async () => {
  const step = {
    code: 'fn main() {}',
    entryPoint: 'main',
    workgroups: [1, 2, 3],
    bindings: [{ binding: 2, kind: 'storage', buffer: 1 }],
  } as const;
  const sequence: GpuSequence = {
    label: 'sort',
    buffers: [
      { bytes: 8, uniform: true, data: Uint8Array.of(1, 2, 3, 4, 5), read: false },
      { bytes: 2 ** 29, uniform: false, read: true },
    ],
    prepare: [step],
    steps: [step, step],
    timing: { repeat: 5, samples: 3, warmup: 1 },
  };
  expect(decodeRequest(await joined(encodeSequence(sequence)))).toEqual({ kind: 'sequence', sequence });
  const job = { label: 'job', code: '', entryPoint: 'main', buffers: [], workgroups: [1, 1, 1] } as const;
  expect(decodeRequest(await joined(encodeJob(job)))).toEqual({ kind: 'job', job });
});

test('measurements survive the transfer, and errors are thrown', async () => {
  const result: GpuSequenceResult = {
    stamps: [[1_760_000_000_000_032, 1_760_000_000_000_064]],
    clock: 'gpu',
    windows: new Map([[1, Uint8Array.of(9, 8, 7)]]),
  };
  expect(decodeSequenceResult(await joined(encodeSequenceResult(result)))).toEqual(result);
  const message = await joined(encodeError(new GpuError('out-of-memory', 'too much')));
  expect(() => decodeSequenceResult(message)).toThrow(expect.objectContaining({ kind: 'out-of-memory' }));
});

test.each([
  { bytes: 4, windows: [[0, 4]] },
  { bytes: 196_608, windows: [[0, 196_608]] },
  {
    bytes: 2 ** 28,
    windows: [
      [0, 65_536],
      [2 ** 27, 65_536],
      [2 ** 28 - 65_536, 65_536],
    ],
  },
])('of $bytes bytes these windows are read back: $windows', ({ bytes, windows }) => {
  expect(windowsOf(bytes)).toEqual(windows);
});

const sequence: LaunchSequence = {
  id: 'counting',
  buffers: [
    { name: 'out', type: 'u32', bytes: 16, data: Uint8Array.of(5, 0, 0, 0), result: {} },
    { name: 'other', type: 'u32', bytes: 8 },
  ],
  prepare: [],
  steps: [],
};

test('a launch takes its buffers from the sequence by name', () => {
  const step = { ptx: '', ptxFile: '', entry: 'k', grid: [1, 1, 1], block: [1, 1, 1] } as const;
  const contents = new Map([['other', Uint8Array.of(1)]]);
  const { params } = launchOf(sequence, { ...step, args: ['other', { type: 'u32', value: 3 }, 'out'] }, contents);
  expect(params).toEqual([
    { name: 'other', kind: 'buffer', type: 'u32', bytes: 8, data: Uint8Array.of(1) },
    { name: 'p1', kind: 'scalar', type: 'u32', value: 3 },
    { name: 'out', kind: 'buffer', type: 'u32', bytes: 16 },
  ]);
  expect(() => launchOf(sequence, { ...step, args: ['none'] })).toThrow('k names `none`, which is not a buffer');
});

describe.skipIf(missing !== undefined)(`on a stub driver${missing ? ` (${missing})` : ''}`, () => {
  let session: CudaSession;

  beforeAll(async () => {
    process.env.LANEWISE_LIBCUDA = buildStub();
    session = await openCuda();
  });

  afterAll(async () => {
    await session?.close();
    delete process.env.LANEWISE_LIBCUDA;
  });

  test('launches share a buffer, and each sample repeats the steps', async () => {
    const { ptx, ptxFile, entry, grid, block } = stubLaunch('add_one', ['.u64 $'], []);
    const step = { ptx, ptxFile, entry, grid, block, args: ['out'] };
    const timing = { repeat: 4, samples: 3, warmup: 2 };
    const counting = { ...sequence, prepare: [step], steps: [step, step] };
    const { times, windows } = await session.timeSequence(counting, timing);
    expect(times).toHaveLength(3);
    // The word is 5 plus the number of launches: one to prepare, two times two to warm up, and
    // three samples of four times two.
    expect(wordsOf(windows.get('out'))[0]).toBe(5 + 1 + 2 * 2 + 3 * 4 * 2);
    expect([...windows.keys()]).toEqual(['out']);
  });

  test('a name that is not a buffer is an error of the launch', async () => {
    const { ptx, ptxFile, entry, grid, block } = stubLaunch('add_one', ['.u64 $'], []);
    const steps = [{ ptx, ptxFile, entry, grid, block, args: ['none'] }];
    const timing = { repeat: 1, samples: 1, warmup: 0 };
    await expect(session.timeSequence({ ...sequence, steps }, timing)).rejects.toThrow('`none`');
  });
});
