// Clusters of several blocks: the reference against the manual, and WGSL against the reference.
import { describe, expect, it, test } from 'vitest';
import { missing } from '../../../../src/base/invariants.ts';
import { type LanePlan, portablePlan } from '../../../../src/base/lane-plan.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import type { Diagnostic } from '../../../../src/ptx/index.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { drawn, effort, inTurn } from '../../../effort.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { type KernelOptions, kernelLaunch, runKernel } from '../../cpu-ref/interpreter/interpreter-support.ts';

const module = '.shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[1024];\n.shared .align 16 .b8 other[512];';
const whole = (body: string) =>
  `mov.u32 %r1, %tid.x; mov.u32 %r20, 0; mov.u32 %r21, %cluster_ctarank; mov.u32 %r22, %cluster_nctarank;
add.u32 %r23, %r21, 1; rem.u32 %r23, %r23, %r22;
${body}\nst.global.u32 [%rd1], %r20;`;
/** Each thread stores 7 times its number in the grid, plus 3, to its word of `s`, whose address is `%r3`. */
const store =
  'shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; mad.lo.u32 %r4, %r0, 7, 3; st.shared.u32 [%r3], %r4;';
const sync = 'barrier.cluster.arrive; barrier.cluster.wait;';
/** Adds the word at the thread's place in block `rank`. */
const loadFrom = (rank: string) =>
  `mapa.shared::cluster.u32 %r5, %r3, ${rank}; ld.shared::cluster.u32 %r5, [%r5]; add.u32 %r20, %r20, %r5;`;
const init = (count: number) =>
  `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [bar], ${count}; @%p7 fence.mbarrier_init.release.cluster; ${sync}`;
const wait = 'W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p6, [bar], 0; @!%p6 bra W;';

interface Kernel {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
  /** The expected word of a thread, from its number in the grid. */
  readonly expected: (thread: number) => number;
}

const threads = 64;
const value = (thread: number) => 7 * thread + 3;
/** The thread with the same number in the next block of its cluster of two. */
const next = (thread: number) => thread ^ threads;
const rankOf = (thread: number) => Math.floor(thread / threads) % 2;

const kernels: readonly Kernel[] = [
  {
    name: 'the next block',
    body: `${store} ${sync} ${loadFrom('%r23')} ${sync}`,
    expected: (thread) => value(next(thread)),
  },
  {
    name: 'a barrier in two parts',
    body: `${store} barrier.cluster.arrive.release.aligned; mul.lo.u32 %r20, %r1, 5; barrier.cluster.wait.acquire.aligned; ${loadFrom('%r23')} ${sync}`,
    expected: (thread) => (thread % threads) * 5 + value(next(thread)),
  },
  {
    name: 'a reduction in the first block',
    body: `${store} ${sync} setp.ne.u32 %p1, %r21, 0; @%p1 bra E; mov.u32 %r6, 0; L: ${loadFrom('%r6')} add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r22; @%p2 bra L; E: ${sync}`,
    options: { cluster: [4, 1, 1], blocks: 8 },
    expected: (thread) => {
      const first = thread - (Math.floor(thread / threads) % 4) * threads;
      return first === thread ? [0, 1, 2, 3].reduce((sum, rank) => sum + value(first + rank * threads), 0) : 0;
    },
  },
  {
    name: 'remote arrivals around a ring',
    body: `${init(64)} ${store} mapa.shared::cluster.u32 %r5, %r3, %r23; add.u32 %r4, %r4, 1; st.shared::cluster.u32 [%r5+256], %r4; mapa.shared::cluster.u32 %r7, bar, %r23; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7]; ${wait} ld.shared.u32 %r20, [%r3+256]; ${sync}`,
    options: { cluster: [3, 1, 1], blocks: 6 },
    expected: (thread) => {
      const block = Math.floor(thread / threads);
      return value(thread + (block % 3 === 0 ? 2 : -1) * threads) + 1;
    },
  },
  {
    name: 'atomics in all blocks',
    body: `setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s], 100; ${sync} mov.u32 %r6, 0; L: mapa.shared::cluster.u32 %r5, s, %r6; red.relaxed.cluster.shared::cluster.add.u32 [%r5], 2; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r22; @%p2 bra L; ${sync} ld.shared.u32 %r20, [s]; ${sync}`,
    expected: () => 100 + 2 * 2 * threads,
  },
  {
    name: 'generic addresses',
    body: `${store} ${sync} cvt.u64.u32 %rd4, %r3; cvta.shared.u64 %rd4, %rd4; mapa.u64 %rd5, %rd4, %r23; ld.u32 %r20, [%rd5]; getctarank.u64 %r8, %rd5; mad.lo.u32 %r20, %r8, 10000, %r20; isspacep.shared::cluster %p1, %rd5; @%p1 add.u32 %r20, %r20, 100000; isspacep.shared::cta %p1, %rd5; @%p1 add.u32 %r20, %r20, 200000; isspacep.shared::cta %p1, %rd4; @%p1 add.u32 %r20, %r20, 400000; getctarank.shared::cluster.u32 %r8, %r3; mad.lo.u32 %r20, %r8, 1000000, %r20; ${sync}`,
    expected: (thread) => value(next(thread)) + rankOf(next(thread)) * 10_000 + 500_000 + rankOf(thread) * 1_000_000,
  },
  {
    name: 'special registers',
    body: 'mov.u32 %r2, %clusterid.x; mov.u32 %r3, %nclusterid.x; mov.u32 %r4, %cluster_ctaid.x; mov.u32 %r5, %cluster_nctaid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %nctaid.x; mov.u32 %r8, %ntid.x; mov.u32 %r9, %warpid; mov.u32 %r10, %cluster_nctaid.y; mad.lo.u32 %r20, %r2, 10, %r3; mad.lo.u32 %r20, %r20, 10, %r4; mad.lo.u32 %r20, %r20, 10, %r5; mad.lo.u32 %r20, %r20, 10, %r6; mad.lo.u32 %r20, %r20, 10, %r7; mad.lo.u32 %r20, %r20, 100, %r8; mad.lo.u32 %r20, %r20, 10, %r9; mad.lo.u32 %r20, %r20, 10, %r10; mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r20, %r20, 5;',
    expected: (thread) => {
      const block = Math.floor(thread / threads);
      const list = [[10, Math.floor(block / 2)], [10, 2], [10, block % 2], [10, 2], [10, block], [10, 4], [100, 64], [10, Math.floor((thread % threads) / 32)], [10, 1]] as const; // biome-ignore format: one list
      return list.reduce((sum, [base, digit]) => sum * base + digit, 0) + 5;
    },
  },
  {
    name: 'barriers of single blocks',
    body: `setp.eq.u32 %p1, %r21, 0; @%p1 bra A; mov.u32 %r10, 3; bra L; A: mov.u32 %r10, 2; L: ${store} add.u32 %r4, %r4, %r10; st.shared.u32 [%r3], %r4; bar.sync 0; xor.b32 %r5, %r3, 128; ld.shared.u32 %r5, [%r5]; add.u32 %r20, %r20, %r5; bar.sync 0; sub.u32 %r10, %r10, 1; setp.ne.u32 %p2, %r10, 0; @%p2 bra L;`,
    expected: (thread) => {
      const other = value(thread ^ 32);
      return rankOf(thread) === 0 ? 2 * other + 3 : 3 * other + 6;
    },
  },
  {
    name: 'reductions of single blocks',
    body: `setp.lt.u32 %p1, %r1, 10; setp.eq.u32 %p2, %r21, 1; or.pred %p1, %p1, %p2; bar.red.popc.u32 %r20, 0, %p1; bar.red.and.pred %p3, 0, %p1; @%p3 add.u32 %r20, %r20, 1000;`,
    expected: (thread) => (rankOf(thread) === 0 ? 10 : 1064),
  },
  {
    name: 'a warp of one block that exits',
    body: `${store} st.global.u32 [%rd1], 1; setp.gt.u32 %p1, %r0, 95; @%p1 exit; bar.sync 0; ${sync} xor.b32 %r5, %r3, 64; ld.shared.u32 %r20, [%r5]; setp.eq.u32 %p2, %r21, 1; @%p2 mov.u32 %r20, 5;`,
    options: { blocks: 2 },
    expected: (thread) => (thread > 95 ? 1 : thread < threads ? value(thread ^ 16) : 5),
  },
  {
    name: 'st.async to the next block',
    body: `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [bar], 1; @%p7 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; ${sync} ${store} mapa.shared::cluster.u32 %r5, %r3, %r23; add.u32 %r5, %r5, 256; mapa.shared::cluster.u32 %r7, bar, %r23; st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r4, [%r7]; ${wait} ld.shared.u32 %r20, [%r3+256]; ${sync}`,
    expected: (thread) => value(next(thread)),
  },
  {
    name: 'a bulk copy to the next block',
    body: `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [bar], 1; @%p7 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; ${store} fence.proxy.async; ${sync} mov.u32 %r5, s; mapa.shared::cluster.u32 %r6, other, %r23; mapa.shared::cluster.u32 %r7, bar, %r23; @%p7 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r5], 256, [%r7]; ${wait} mov.u32 %r6, other; add.u32 %r6, %r6, %r2; ld.shared.u32 %r20, [%r6]; ${sync}`,
    expected: (thread) => value(next(thread)),
  },
  {
    name: 'a bulk copy to two of three blocks',
    body: `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [bar], 1; setp.ne.and.u32 %p1, %r21, 1, %p7; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512; ${store} fence.proxy.async; ${sync} mov.u16 %h1, 5; setp.eq.and.u32 %p2, %r21, 1, %p7; @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd0], 512, [bar], %h1; setp.eq.u32 %p3, %r21, 1; @%p3 bra E; ${wait} E: ld.shared.u64 %rd4, [s+8]; cvt.u32.u64 %r20, %rd4; ${sync}`,
    options: { cluster: [3, 1, 1], blocks: 3 },
    expected: (thread) => (Math.floor(thread / threads) === 1 ? value(thread - (thread % threads) + 2) : 0),
  },
  {
    name: 'blocks of partial warps',
    body: `${store} bar.sync 0; bar.red.popc.u32 %r20, 0, 1; ${sync} ${loadFrom('%r23')} ${sync}`,
    options: { threads: 40, blocks: 2 },
    expected: (thread) => 40 + value(thread < 40 ? thread + 40 : thread - 40),
  },
  {
    name: 'dynamic shared memory',
    body: `shl.b32 %r2, %r1, 2; mov.u32 %r3, dyn; add.u32 %r3, %r3, %r2; mad.lo.u32 %r4, %r0, 7, 3; st.shared.u32 [%r3], %r4; ${sync} ${loadFrom('%r23')} ${sync}`,
    options: { module: '.extern .shared .align 16 .b8 dyn[];\n.shared .b32 one;', sharedBytes: 256 },
    expected: (thread) => value(next(thread)),
  },
  {
    name: 'the alignment of dynamic shared memory',
    body: `mov.u32 %r3, dyn; mapa.shared::cluster.u32 %r5, %r3, %r23; and.b32 %r3, %r3, 511; and.b32 %r5, %r5, 511; mad.lo.u32 %r20, %r3, 1000, %r5; add.u32 %r20, %r20, 7;`,
    options: { module: '.extern .shared .align 512 .b8 dyn[];\n.shared .b32 one;', sharedBytes: 256 },
    expected: () => 7,
  },
];

const optionsOf = ({ options }: Kernel): KernelOptions => ({
  maxSteps: 200_000, threads, blocks: 4, cluster: [2, 1, 1], module, ...options,
}); // biome-ignore format: one record

describe('the reference', () => {
  it.each(kernels)('$name', (kernel) => {
    const options = optionsOf(kernel);
    for (const seed of effort([5], [undefined, 5])) {
      const { out, findings } = runKernel(whole(kernel.body), { ...options, sanitize: true, ...(seed && { seed }) });
      expect(findings).toEqual([]);
      expect(out).toEqual(Array.from(out, (_, t) => kernel.expected(t) >>> 0));
    }
  });
});

describe('shaders', () => {
  const executors = inTurn(
    [32, 1, 64, 8].map((size) => lockstepExecutor(size, { maxSteps: 4_000_000 })),
    1,
  );
  it.each(drawn(kernels, 5))('$name', async (kernel) => {
    const launch = kernelLaunch(whole(kernel.body), optionsOf(kernel));
    for (const executor of executors()) {
      const { outputs } = await executor.run(launch);
      const out = new Uint32Array((outputs.get(0) ?? missing('the output')).slice().buffer);
      expect([...out], executor.name).toEqual(Array.from(out, (_, t) => kernel.expected(t) >>> 0));
    }
  });
});

test.each(drawn(kernels, 2))('$name, with a warp in each invocation', async (kernel) => {
  const plans: LanePlan[] = [];
  const executor = lockstepExecutor(32, {
    maxSteps: 4_000_000,
    maxInvocations: 32,
    onProgram: ({ plan }) => plans.push(plan),
  });
  const { outputs } = await executor.run(kernelLaunch(whole(kernel.body), optionsOf(kernel)));
  const out = new Uint32Array((outputs.get(0) ?? missing('the output')).slice().buffer);
  expect([...out]).toEqual(Array.from(out, (_, t) => kernel.expected(t) >>> 0));
  expect(plans).toEqual([portablePlan('warp')]);
});

/** Returns the diagnostics of a kernel, whose IR must be well-formed after each pass. */
function diagnosticsOf(launch: Launch, maxInvocations = 1024): readonly Diagnostic[] {
  const { entry, block, grid, cluster, sharedBytes } = launch;
  const options = {
    entry,
    block,
    grid,
    cluster,
    sharedBytes,
    maxInvocations,
    plan: planFor(32),
    float: exactFloats,
    verify: true,
  };
  return translate(loadKernel(launch), options).diagnostics;
}

test.each(drawn(kernels, 2))('$name: the IR is well-formed after each pass', (kernel) => {
  expect(diagnosticsOf(kernelLaunch(whole(kernel.body), optionsOf(kernel)))).toEqual([]);
});

describe('rejected clusters', () => {
  const rejected = (change: Partial<Launch>, ptx = (text: string) => text, maxInvocations = 1024) => {
    const made = kernelLaunch(whole(''), { threads, blocks: 4, module });
    const launch = { ...made, ptx: ptx(made.ptx), ...change };
    return diagnosticsOf(launch, maxInvocations).map(
      ({ code, message, span }) => `${code} ${launch.ptx.slice(span.start, span.end)}: ${message}`,
    );
  };
  const declared = (size: string) => (text: string) => text.replace(/(out\))(\s*{)/, `$1 .reqnctapercluster ${size}$2`);

  test('a cluster with more threads than a workgroup names the directive and the numbers', () => {
    expect(rejected({ block: [512, 1, 1] }, declared('4'), 32)).toEqual([
      'LW2017 .reqnctapercluster 4: a cluster of 4 x 1 x 1 blocks of 512 x 1 x 1 threads needs a workgroup of 2048 threads: the adapter runs at most 1024',
    ]);
    expect(rejected({ block: [512, 1, 1] }, declared('4'))).toEqual([]);
  });

  test('a size that differs from the declared one', () => {
    const change: Partial<Launch> = { cluster: [2, 1, 1] };
    expect(rejected(change, declared('4, 1, 1'))[0]).toMatch(
      /^LW2018 .reqnctapercluster 4, 1, 1: .* clusters of 2 x 1 x 1/,
    );
    const launch = kernelLaunch(whole(''), { module });
    expect(() => runOnCpu({ ...launch, ...change, ptx: declared('4')(launch.ptx) })).toThrow(/clusters of 2 x 1 x 1/);
  });

  test('a grid that is not a multiple of the clusters', () => {
    expect(rejected({ cluster: [3, 1, 1] })[0]).toMatch(
      /^LW2018 .*a grid of 4 x 1 x 1 blocks is not a multiple of clusters of 3 x 1 x 1/s,
    );
  });
});

describe('findings', () => {
  test.each<readonly [name: string, body: string, expected: RegExp]>([
    ['no barrier before a load', `${store} ${loadFrom('%r23')} ${sync}`, /^RUN010 race on 's'.*thread \d+ of the block and thread \d+/],
    ['a block that may exit', `${store} ${sync} ${loadFrom('%r23')}`, /^RUN024 load of (4 bytes in )?shared memory of block \d of the cluster, wh/],
    ['a rank that the cluster lacks', `mapa.shared::cluster.u32 %r6, s, 2;`, /^RUN024 invalid block rank 2: the cluster has 2 blocks/],
    ['shared::cta', `mapa.shared::cluster.u32 %r6, s, %r23; st.shared.u32 [%r6], 1; ${sync}`, /^RUN024 store of 4 bytes .*not shared::cluster/],
    ['a barrier that one block leaves out', `setp.eq.u32 %p1, %r21, 1; @%p1 bra E; barrier.cluster.arrive; E: barrier.cluster.wait;`, /^RUN024 .* before they arrive/],
    ['a block that waits forever', `setp.eq.u32 %p1, %r21, 1; @%p1 bra E; ${sync} E: bar.sync 1, 96;`, /^RUN002 deadlock: lanes 0-31 of warp 0 of block 0 wait at the cluster's barrier, for lanes 0-31 of warp 0 of block 1/],
  ])('%s', (_, body, expected) => {
    const { findings } = runKernel(whole(body), { maxSteps: 200_000, threads, blocks: 2, cluster: [2, 1, 1], module, sanitize: true });
    expect(findings.find((finding) => expected.test(finding)), findings.join('\n')).toBeDefined();
  }); // biome-ignore format: one list
});
