// Counters of the reference: the expected counts follow from the addresses and from the manual's
// description of banks and sectors.
import { describe, expect, it } from 'vitest';
import { type Counts, KernelCounters } from '../../../src/cpu-ref/counters.ts';
import type { StepEvent } from '../../../src/cpu-ref/executor.ts';
import { interpret } from '../../../src/cpu-ref/interpreter/interpret.ts';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';

function run(body: string, threads = 32, observe: (event: StepEvent) => void = () => undefined): Counts {
  const ptx = `.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<10>;
  .reg .b64 %rd<10>;
  .reg .pred %p<4>;
  .shared .align 16 .b8 tile[16384];
  .local .align 4 .b8 own[64];
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  mov.u32 %r9, tile;
${body}
  ret;
}`;
  const module = parsePtxOrThrow(ptx, { file: 'k.ptx' });
  const counters = new KernelCounters();
  const params = [{ name: 'out', kind: 'buffer', type: 'u32', bytes: 32768 }] as const;
  const launch = {
    id: '', group: '', ptx, ptxFile: 'k.ptx', entry: 'k', grid: [1, 1, 1], block: [threads, 1, 1], sharedBytes: 0, params,
  } as const; // biome-ignore format: a launch
  const seen = (event: StepEvent): void => {
    counters.observe(event);
    observe(event);
  };
  expect(interpret(module, launch, { observe: seen }).status).toBe('done');
  return counters.counts.total;
}

/**
 * Returns instructions in which each lane stores to shared memory at its number times `stride`
 * bytes.
 */
const sharedStore = (stride: number, store: string): string =>
  `mad.lo.u32 %r2, %r1, ${stride}, %r9;\n${store.replace('ADDRESS', '%r2')};`;

describe('bank conflicts', () => {
  it.each([
    [0, 4, 'st.shared.b32 [ADDRESS], %r1'], // consecutive words
    [31, 128, 'st.shared.b32 [ADDRESS], %r1'], // all in one bank
    [1, 8, 'st.shared.b32 [ADDRESS], %r1'], // two lanes in each bank
    [0, 132, 'st.shared.b32 [ADDRESS], %r1'], // a padded row
    [0, 0, 'st.shared.b32 [ADDRESS], %r1'], // the same word
    [0, 1, 'st.shared.b8 [ADDRESS], %r1'], // four lanes in each word
    [0, 8, 'st.shared.v2.b32 [ADDRESS], {%r1, %r1}'], // 16 lanes at a time
    [0, 16, 'st.shared.v4.b32 [ADDRESS], {%r1, %r1, %r1, %r1}'], // 8 lanes at a time
    [2, 16, 'st.shared.v2.b32 [ADDRESS], {%r1, %r1}'], // 16 lanes, two in each pair of banks
  ])('are %i for a stride of %i bytes with %s', (conflicts, stride, store) => {
    const { sharedRequests, bankConflicts } = run(sharedStore(stride, store));
    expect({ sharedRequests, bankConflicts }).toEqual({ sharedRequests: 1, bankConflicts: conflicts });
  });
});

describe('sectors', () => {
  const load = (stride: number, type = 'u32', offset = 0): string =>
    `mul.wide.u32 %rd2, %r1, ${stride};\nadd.s64 %rd2, %rd1, %rd2;\nld.global.${type} %r2, [%rd2+${offset}];`;

  it.each([
    [4, 4, load(4)], // consecutive words
    [5, 4, load(4, 'u32', 4)], // shifted by a word
    [32, 4, load(128)], // one word of each line
    [1, 1, load(0)], // the same word
    [1, 1, load(1, 'u8')], // consecutive bytes
  ])('are %i, ideally %i, for %j', (globalSectors, idealSectors, body) => {
    const counts = run(body);
    expect(counts).toMatchObject({ globalRequests: 1, globalSectors, idealSectors });
  });
});

describe('control flow', () => {
  const branch = (bound: number): string =>
    `setp.lt.u32 %p1, %r1, ${bound};\n@%p1 bra SKIP;\nadd.u32 %r2, %r1, 1;\nSKIP:\n`;

  it('counts a branch as divergent only if its lanes part', () => {
    expect(run(branch(16)).divergentBranches).toBe(1);
    expect(run(branch(32)).divergentBranches).toBe(0);
    expect(run(branch(0)).divergentBranches).toBe(0);
    // The lanes of the first warp diverge, and those of the second warp do not.
    expect(run(branch(16), 64).divergentBranches).toBe(1);
  });

  it('counts the lanes of each step', () => {
    const whole = run('');
    const part = run('setp.lt.u32 %p1, %r1, 4;\n@%p1 add.u32 %r2, %r1, 1;');
    expect(part.steps - whole.steps).toBe(2);
    expect(part.lanes - whole.lanes).toBe(32 + 4);
  });

  it('counts barriers by warp, and no fences', () => {
    expect(run('bar.sync 0;\nmembar.cta;\nbar.sync 0;', 96).barriers).toBe(6);
  });

  it('counts requests to local memory', () => {
    const counts = run('mov.u64 %rd2, own;\nst.local.u32 [%rd2], %r1;\nld.local.u32 %r2, [%rd2];');
    expect(counts).toMatchObject({ localRequests: 2, globalRequests: 0, sharedRequests: 0 });
  });
});

describe('a step', () => {
  it('reports the lanes that wait, and their places', () => {
    const body = `setp.lt.u32 %p1, %r1, 16;
@%p1 bra LOW;
shfl.sync.bfly.b32 %r3, %r1, 1, 0x1f, 0xffffffff;
bra END;
LOW:
xor.b32 %r4, %r1, 1;
shfl.sync.bfly.b32 %r3, %r1, 2, 0x1f, 0xffffffff;
END:`;
    const seen: unknown[] = [];
    run(body, 32, (event) => {
      if (event.instruction.row.name !== 'xor') return;
      const { next } = event.inspect();
      const [low, high] = [next[0], next[31]];
      const isSameInGroup = next.every((span, lane) => span?.start === (lane < 16 ? low : high)?.start);
      seen.push(event.waiting, event.lanes, isSameInGroup, (low?.start ?? 0) > (high?.start ?? 0));
    });
    // The lanes from 16 on wait at the first shuffle. The others reach the second shuffle.
    expect(seen).toEqual([{ sync: 0xffff0000, converge: 0, barrier: 0 }, 0xffff, true, true]);
  });

  it('reports memory as it is after the step', () => {
    const after: number[][] = [];
    run(
      'mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r1;\nst.shared.u32 [tile], 7;',
      32,
      (event) => {
        const { buffers, shared } = event.inspect();
        const words = new Uint32Array(buffers.get(0)?.bytes.buffer ?? new ArrayBuffer(0));
        if (event.instruction.row.name.startsWith('st'))
          after.push([words[5] ?? -1, shared.bytes[0] ?? -1, shared.defined[0] ?? -1, shared.defined[4] ?? -1]);
      },
    );
    expect(after).toEqual([
      [5, 0, 0, 0],
      [5, 7, 1, 0],
    ]);
  });
});
