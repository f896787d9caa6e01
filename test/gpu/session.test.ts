// The same jobs on every adapter that this machine can open.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openChrome } from '../../src/harness/webgpu/browser/chrome.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { hasDawnDriver, openDawn } from '../../src/harness/webgpu/dawn/dawn.ts';
import type { DriverChoice } from '../../src/harness/webgpu/dawn/vulkan-drivers.ts';
import type { GpuJob, GpuSession } from '../../src/runtime/device/job.ts';
import { preflight } from '../../src/runtime/preflight/preflight.ts';
import { drawn, effort } from '../effort.ts';

interface Subject {
  readonly name: string;
  readonly present: boolean;
  readonly subgroupSize: number;
  readonly denormals: 'kept' | 'flushed';
  /** The size of the largest transfer. One driver per transport tests the large size. */
  readonly megabytes: number;
  open(): Promise<GpuSession>;
}

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

/** The size of a large transfer, in MiB. */
const largeTransfer = effort(8, 64);

const lavapipe = (subgroupSize: 4 | 8 | 16): Subject => {
  const choice: DriverChoice = { driver: 'lavapipe', subgroupSize };
  return {
    name: `dawn on lavapipe ${subgroupSize}`,
    present: hasDawnDriver(choice),
    subgroupSize,
    denormals: 'kept',
    megabytes: 4,
    open: () => openDawn(choice),
  };
};

const SUBJECTS: readonly Subject[] = [
  {
    name: 'chrome on SwiftShader',
    present: hasBrowser && !process.env.CHROME_FLAGS,
    subgroupSize: 4,
    denormals: 'flushed',
    megabytes: largeTransfer,
    open: () => openChrome({ adapter: 'software' }),
  },
  {
    name: 'dawn on SwiftShader',
    present: hasDawnDriver({ driver: 'swiftshader' }),
    subgroupSize: 4,
    denormals: 'flushed',
    megabytes: largeTransfer,
    open: () => openDawn({ driver: 'swiftshader' }),
  },
  // A short run opens one of lavapipe's subgroup sizes.
  ...drawn([4, 8, 16] as const, 1).map(lavapipe),
];

const WGSL_COPY = `
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> copied: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var at = id.x; at < arrayLength(&source); at += groups.x * 64u) { copied[at] = source[at]; }
}
`;

function copyJob(words: Uint32Array, options: { capacity?: number; workgroups?: number } = {}): GpuJob {
  const { capacity = words.length, workgroups = 1 } = options;
  return {
    label: 'copy',
    code: WGSL_COPY,
    entryPoint: 'main',
    buffers: [
      { binding: 0, kind: 'read-only-storage', bytes: capacity * 4, data: bytesOf(words), read: false },
      { binding: 1, kind: 'storage', bytes: capacity * 4, read: true },
    ],
    workgroups: [workgroups, 1, 1],
  };
}

/**
 * A job with one workgroup of 64 invocations. Each writes a row of `width` u32 words to binding 0,
 * which is filled with a sentinel before the run.
 */
function rowsJob(label: string, width: number, body: string): GpuJob {
  const bytes = 64 * width * 4;
  return {
    label,
    code: `enable subgroups;
@group(0) @binding(0) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32, @builtin(subgroup_invocation_id) id: u32, @builtin(subgroup_size) size: u32) {
${body}
}`,
    entryPoint: 'main',
    buffers: [{ binding: 0, kind: 'storage', bytes, data: new Uint8Array(bytes).fill(0xee), read: true }],
    workgroups: [1, 1, 1],
  };
}

/**
 * A job that never ends. The compiler cannot know this, because the loop reads the exit word
 * atomically.
 */
const WAITING = rowsJob(
  'endless',
  1,
  'loop { if (atomicLoad(&stop) == 1u) { break; } atomicAdd(&stop, 2u); }\nfound[index] = id;',
);
const ENDLESS_JOB: GpuJob = {
  ...WAITING,
  code: WAITING.code.replace('@compute', 'var<workgroup> stop: atomic<u32>;\n@compute'),
};

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

async function wordsOf(session: GpuSession, job: GpuJob, binding: number): Promise<Uint32Array> {
  const bytes = (await session.run(job)).buffers.get(binding);
  if (!bytes) throw new Error(`no contents for binding ${binding}`);
  expect(bytes.byteOffset).toBe(0);
  return new Uint32Array(bytes.buffer, 0, bytes.byteLength / 4);
}

describe.each(SUBJECTS)('$name', ({ present, subgroupSize, denormals, megabytes, open }) => {
  let session: GpuSession;

  describe.skipIf(!present)('session', () => {
    beforeAll(async () => {
      session = await open();
    });
    afterAll(async () => {
      await session?.close();
    });

    test('describes the adapter', () => {
      expect(session.adapter).toMatchObject({
        software: true,
        subgroupMinSize: subgroupSize,
        subgroupMaxSize: subgroupSize,
      });
      expect(session.adapter.features).toContain('subgroups');
      expect(session.adapter.host).not.toBe('');
    });

    test('copies data, and clears the rest of each buffer', async () => {
      const words = Uint32Array.from({ length: 64 }, (_, i) => (i * 0x9e3779b9) >>> 0);
      expect(await wordsOf(session, copyJob(words), 1)).toEqual(words);
      // This job reuses the first job's buffers, and none of their data may remain.
      const short = await wordsOf(session, copyJob(words.subarray(0, 10), { capacity: 64 }), 1);
      expect([...short]).toEqual([...words.subarray(0, 10), ...new Array<number>(54).fill(0)]);
    });

    test('compiles the next job in parallel, and reports its error in order', async () => {
      const words = Uint32Array.of(3, 1, 4);
      const next: GpuJob = { ...copyJob(words), label: 'next', code: `${WGSL_COPY}// another` };
      const broken: GpuJob = { ...copyJob(words), label: 'broken', code: WGSL_COPY.replace('main', 'main main') };
      expect(await wordsOf(session, { ...copyJob(words), ahead: [broken] }, 1)).toEqual(words);
      await expect(session.run({ ...broken, ahead: [next] })).rejects.toMatchObject({ kind: 'shader' });
      expect(await wordsOf(session, next, 1)).toEqual(words);
    });

    test('prepares several jobs at once, and reports an error when its job runs', async () => {
      const words = Uint32Array.of(1, 5, 9);
      const jobs = ['x', 'y', 'z'].map((label) => ({ ...copyJob(words), label, code: `${WGSL_COPY}// ${label}` }));
      const broken: GpuJob = { ...copyJob(words), label: 'broken', code: WGSL_COPY.replace('fn', 'fn fn') };
      for (const job of [...jobs, broken]) session.prepare(job);
      for (const job of jobs) expect(await wordsOf(session, job, 1)).toEqual(words);
      await expect(session.run(broken)).rejects.toMatchObject({ kind: 'shader' });
      expect(await wordsOf(session, copyJob(words), 1)).toEqual(words);
    });

    test('data of any length is followed by zeros', async () => {
      const job = copyJob(new Uint32Array(2));
      const [source, target] = job.buffers;
      if (!source || !target) throw new Error('the copy has two buffers');
      const odd = { ...job, buffers: [{ ...source, data: Uint8Array.of(1, 2, 3, 4, 5) }, target] };
      expect([...(await wordsOf(session, odd, 1))]).toEqual([0x04030201, 5]);
    });

    test('ballots and shuffles over whole subgroups', async () => {
      const body = `
  let odd = subgroupBallot((id & 1u) == 1u);
  found[index * 3u] = odd.x;
  found[index * 3u + 1u] = subgroupShuffle(index, size - 1u - id);
  found[index * 3u + 2u] = size;`;
      const words = await wordsOf(session, rowsJob('subgroups', 3, body), 0);
      const odd = 0xaaaaaaaa & (2 ** subgroupSize - 1);
      for (let index = 0; index < 64; index += 1) {
        const id = index % subgroupSize;
        const mirrored = index - id + (subgroupSize - 1 - id);
        expect([...words.subarray(index * 3, index * 3 + 3)], `invocation ${index}`).toEqual([
          odd >>> 0,
          mirrored,
          subgroupSize,
        ]);
      }
    });

    test('runs jobs in the order of their requests', async () => {
      const jobs = Array.from({ length: 20 }, (_, i) => wordsOf(session, copyJob(Uint32Array.of(i, i + 1)), 1));
      expect((await Promise.all(jobs)).map(([first]) => first)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    });

    test('shows the place of a shader error, and continues', async () => {
      const broken = rowsJob('broken', 1, '  let x: u32 = 1.5;');
      await expect(session.run(broken)).rejects.toMatchObject({
        kind: 'shader',
        message: expect.stringMatching(/^broken:5:16: .*u32[\s\S]*5 \| {3}let x: u32 = 1\.5;\n.*\^/),
      });
      const missing = { ...copyJob(Uint32Array.of(1)), entryPoint: 'nowhere' };
      await expect(session.run(missing)).rejects.toMatchObject({
        kind: 'shader',
        message: expect.stringContaining('nowhere'),
      });
      expect([...(await wordsOf(session, copyJob(Uint32Array.of(7)), 1))]).toEqual([7]);
    });

    test('reports an invalid dispatch, and continues', async () => {
      const job = copyJob(Uint32Array.of(1));
      await expect(session.run({ ...job, workgroups: [70_000, 1, 1] })).rejects.toMatchObject({ kind: 'validation' });
      const large = { ...job, buffers: job.buffers.map((buffer) => ({ ...buffer, bytes: 2 })) };
      await expect(session.run(large)).rejects.toMatchObject({ kind: 'validation' });
      expect([...(await wordsOf(session, copyJob(Uint32Array.of(7)), 1))]).toEqual([7]);
    });

    test(`transfers ${megabytes} MB in both directions`, async () => {
      const words = new Uint32Array(megabytes << 18);
      for (let i = 0; i < words.length; i += 4093) words[i] = i + 1;
      const back = await wordsOf(session, copyJob(words, { workgroups: 256 }), 1);
      expect(Buffer.compare(bytesOf(back), bytesOf(words))).toBe(0);
    });

    test('measures the known behavior of the software adapters', async () => {
      expect(await preflight(session)).toEqual({
        subgroupSize,
        explicitSizes: [subgroupSize],
        subgroupId: true,
        linear: true,
        problems: [],
        float: {
          denormals,
          add: 'exact',
          mul: 'exact',
          fma: 'unfused',
          contracts: false,
          div: 'exact',
          sqrt: 'exact',
          extremes: 'approx',
          exp2: expect.stringMatching(/^(close|approx)$/),
          nans: expect.stringMatching(/^(canonical|any)$/),
          packHalf: expect.stringMatching(/^(exact|approx)$/),
          nanPayload: true,
        },
      });
    });

    // This test is the last one because it ends the session.
    test('ends a kernel that never returns, and a new session works', async () => {
      await expect(session.run(ENDLESS_JOB, { timeoutMs: 1_000 })).rejects.toMatchObject({ kind: 'timeout' });
      await expect(session.run(copyJob(Uint32Array.of(1)))).rejects.toMatchObject({ kind: 'lost' });
      await session.close();
      session = await open();
      expect([...(await wordsOf(session, copyJob(Uint32Array.of(7)), 1))]).toEqual([7]);
    });
  });
});
