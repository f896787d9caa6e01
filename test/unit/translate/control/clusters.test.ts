// Clusters of one block, and asynchronous stores and reductions that complete on an mbarrier: the
// reference against the manual, and WGSL against the reference.
import { describe, expect, it, test } from 'vitest';
import { missing } from '../../../../src/base/invariants.ts';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { parsePtx } from '../../../../src/ptx/index.ts';
import { KernelError } from '../../../../src/runtime/launch/kernel-error.ts';
import { drawn, inTurn } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { type KernelOptions, kernelLaunch, runKernel } from '../../cpu-ref/interpreter/interpreter-support.ts';

const module = '.shared .align 8 .b64 bar[4];\n.shared .align 16 .b8 s[1024];';
const whole = (body: string) => `mov.u32 %r1, %tid.x; mov.u32 %r20, 0;\n${body}\nst.global.u32 [%rd1], %r20;`;
/**
 * `%r3` is the address of the thread's word of `s`, which receives 7 times the thread's number in
 * the grid, plus 3.
 */
const store =
  'shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; mad.lo.u32 %r4, %r0, 7, 3; st.shared.u32 [%r3], %r4;';
const load = (other: string) =>
  `xor.b32 %r2, %r1, ${other}; shl.b32 %r2, %r2, 2; mov.u32 %r5, s; add.u32 %r5, %r5, %r2; ld.shared.u32 %r5, [%r5]; add.u32 %r20, %r20, %r5;`;
const init = (count: string) => `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [bar], ${count}; bar.sync 0;`;
const wait = (label: string) => `${label}: mbarrier.try_wait.parity.shared.b64 %p6, [bar], 0; @!%p6 bra ${label};`;
const last = 'cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;';

/**
 * Each thread starts `instruction` on one mbarrier, with its address in `%r6` and a value in `%r4`
 * or `%rd4`. All threads wait, then read a word.
 */
const toBarrier = (instruction: string, bytes: number) =>
  `${init('64')} ${store} bar.sync 0; mapa.shared::cluster.u32 %r6, %r3, 0; mapa.shared::cluster.u32 %r7, bar, 0; cvt.u64.u32 %rd4, %r4; mul.lo.u64 %rd4, %rd4, 0x100000003;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], ${bytes}; ${instruction} ${wait('W')} ${load('9')}`;
/**
 * Returns PTX: `fill` stores the operands, and then one thread executes `instruction`, which
 * reduces 64 bytes from `s+256` to the address in `%rd6` or to `s`.
 */
const reduction = (instruction: string, fill: string) =>
  `shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ${fill} mov.u32 %r12, %ctaid.x; mul.wide.u32 %rd6, %r12, 256; add.u64 %rd6, %rd0, %rd6; st.global.u32 [%rd1], %r4; fence.proxy.async; bar.sync 0;
setp.ne.u32 %p1, %r1, 0; @%p1 bra E; ${instruction} ${last} E: bar.sync 0; ld.global.u32 %r20, [%rd1];`;
const words =
  'mad.lo.u32 %r4, %r0, 0x8765437, 0x10203; st.shared.u32 [%r3], %r4; mad.lo.u32 %r5, %r1, 0x71350a9, 77; st.shared.u32 [%r3+256], %r5;';
const floats =
  'cvt.rn.f32.u32 %f1, %r1; mul.f32 %f2, %f1, 0f3fa00000; mov.b32 %r5, %f2; st.shared.u32 [%r3+256], %r5; sub.f32 %f1, 0f41200000, %f1; mov.b32 %r4, %f1;';
/**
 * Operands whose sums are subnormal, subnormal operands with normal sums, and normal operands with
 * subnormal differences.
 */
const subnormals =
  'mul.lo.u32 %r4, %r1, 0x31415; shl.b32 %r5, %r1, 31; mad.lo.u32 %r5, %r1, 0x20003, %r5; st.shared.u32 [%r3+256], %r5;';
const halves =
  'cvt.rn.f32.u32 %f1, %r1; cvt.rn.f16x2.f32 %r5, %f1, 0fc0200000; st.shared.u32 [%r3+256], %r5; neg.f32 %f1, %f1; cvt.rn.f16x2.f32 %r4, %f1, 0f41100000;';
const bulk = (op: string) => `cp.reduce.async.bulk.global.shared::cta.bulk_group.${op} [%rd6], [s+256], 256;`;

const kernels: readonly { readonly name: string; readonly body: string }[] = [
  {
    name: 'a barrier in two parts',
    body: `${store} barrier.cluster.arrive.release; mul.lo.u32 %r20, %r1, 5; barrier.cluster.wait.acquire; ${load('40')}`,
  },
  {
    name: 'a different arm for each half',
    body: `${store} and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 1; @%p1 bra A; barrier.cluster.arrive; barrier.cluster.wait; ${load('1')} bra E; A: barrier.cluster.arrive; barrier.cluster.wait; ${load('33')} E:`,
  },
  {
    name: 'threads that have ended',
    body: `${store} st.global.u32 [%rd1], %r4; setp.gt.u32 %p1, %r1, 47; @%p1 exit; barrier.cluster.arrive; barrier.cluster.wait; ${load('8')}`,
  },
  {
    name: 'a thread passes another barrier between its arrival and its wait',
    body: `${store} barrier.cluster.arrive; setp.lt.u32 %p1, %r1, 32; @%p1 bra A; barrier.cluster.wait; bar.sync 1; bra E; A: bar.sync 1; barrier.cluster.wait; E: ${load('32')}`,
  },
  {
    name: 'three phases',
    body: `mov.u32 %r10, 0; L: ${store} barrier.cluster.arrive; barrier.cluster.wait; ${load('63')} barrier.cluster.arrive; barrier.cluster.wait; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra L;`,
  },
  {
    name: 'special registers',
    body: 'mov.u32 %r2, %clusterid.x; mov.u32 %r3, %nclusterid.x; mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank; mov.u32 %r6, %cluster_nctaid.z; mad.lo.u32 %r20, %r2, 100, %r3; mad.lo.u32 %r20, %r20, 10, %r4; mad.lo.u32 %r20, %r20, 10, %r5; mad.lo.u32 %r20, %r20, 10, %r6; mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r20, %r20, 5000;',
  },
  {
    name: 'addresses',
    body: `${store} mapa.shared::cluster.u32 %r6, %r3, 0; st.shared::cluster.u32 [%r6], 17; atom.shared::cluster.add.u32 %r20, [%r6], %r1; red.relaxed.cluster.shared::cluster.max.u32 [%r6], 40; cvt.u64.u32 %rd4, %r3; cvta.shared.u64 %rd4, %rd4; mapa.u64 %rd5, %rd4, 0; ld.u32 %r7, [%rd5]; add.u32 %r20, %r20, %r7; getctarank.u64 %r8, %rd5; add.u32 %r20, %r20, %r8; isspacep.shared::cluster %p1, %rd5; @%p1 add.u32 %r20, %r20, 1000; isspacep.shared::cluster %p1, %rd1; @%p1 add.u32 %r20, %r20, 1000; mapa.shared::cluster.u32 %r9, s+4, 0; getctarank.shared::cluster.u32 %r8, %r9; add.u32 %r20, %r20, %r8;`,
  },
  {
    name: 'an arrival through a cluster address',
    body: `${init('64')} ${store} mapa.shared::cluster.u32 %r7, bar, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7]; ${wait('W')} ${load('40')}`,
  },
  {
    name: 'st.async',
    body: toBarrier('st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6], %r1, [%r7];', 4),
  },
  {
    name: 'st.async of a vector by some threads',
    body: `${init('64')} ${store} bar.sync 0; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4; and.b32 %r10, %r1, 3; setp.eq.u32 %p1, %r10, 2; and.b32 %r6, %r1, 0xfc; shl.b32 %r6, %r6, 2; mov.u32 %r11, s; add.u32 %r6, %r6, %r11; mov.u32 %r7, bar; @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r6], {%r1, %r0, 5, %r4}, [%r7]; ${wait('W')} ${load('9')}`,
  },
  {
    name: 'st.async of 64 bits through generic addresses',
    body: `${init('64')} shl.b32 %r2, %r1, 3; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; cvt.u64.u32 %rd4, %r3; cvta.shared.u64 %rd4, %rd4; mov.u64 %rd5, bar; cvta.shared.u64 %rd5, %rd5; mul.wide.u32 %rd6, %r0, 0x12345677; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8; st.async.mbarrier::complete_tx::bytes.s64 [%rd4], %rd6, [%rd5]; ${wait('W')} xor.b32 %r2, %r2, 264; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ld.shared.u64 %rd6, [%r3]; cvt.u32.u64 %r20, %rd6; shr.u64 %rd6, %rd6, 32; cvt.u32.u64 %r5, %rd6; xor.b32 %r20, %r20, %r5;`,
  },
  ...(['add.u32', 'min.s32', 'inc.u32', 'xor.b32'] as const).map((op) => ({
    name: `red.async.${op}`,
    body: toBarrier(
      `and.b32 %r6, %r1, 7; shl.b32 %r6, %r6, 2; mov.u32 %r11, s; add.u32 %r6, %r6, %r11; red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.${op} [%r6], ${/inc|dec/.test(op) ? '300' : '%r4'}, [%r7];`,
      4,
    ),
  })),
  {
    name: 'red.async.add.u64',
    body: toBarrier(
      'and.b32 %r6, %r1, 3; shl.b32 %r6, %r6, 3; mov.u32 %r11, s; add.u32 %r6, %r6, %r11; red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u64 [%r6], %rd4, [%r7];',
      8,
    ),
  },
  {
    name: 'cp.reduce.async.bulk within shared memory',
    body: `${init('1')} ${store} add.u32 %r4, %r4, 1000; st.shared.u32 [%r3+256], %r4; fence.proxy.async; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra K; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 160; cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [s], [s+256], 96, [bar]; cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [s+128], [s+272], 64, [bar]; K: ${wait('W')} ${load('3')}`,
  },
  ...['add.u64', 'min.s64', 'max.u32', 'dec.u32', 'and.b32', 'or.b64'].map((op) => ({
    name: `cp.reduce.async.bulk.${op}`,
    body: reduction(bulk(op), words),
  })),
  { name: 'cp.reduce.async.bulk.add.f32', body: reduction(bulk('add.f32'), floats) },
  { name: 'subnormals in global memory', body: reduction(bulk('add.f32'), subnormals) },
  { name: 'cp.reduce.async.bulk.add.f16', body: reduction(bulk('add.noftz.f16'), halves) },
  { name: 'cp.reduce.async.bulk.min.f16', body: reduction(bulk('min.f16'), halves) },
  { name: 'cp.reduce.async.bulk.max.bf16', body: reduction(bulk('max.bf16'), halves) },
];

const options = (blocks: number): KernelOptions => ({ maxSteps: 100_000, threads: 64, blocks, module });

describe('kernels', () => {
  const reference = cpuExecutor();
  const executors = inTurn(
    [32, 1, 64, 8].map((size) => lockstepExecutor(size, { maxSteps: 1_000_000 })),
    1,
  );
  it.each(drawn(kernels, Math.ceil(kernels.length / 2)))('$name', async ({ body }) => {
    expect(runKernel(whole(body), { ...options(2), sanitize: true }).findings).toEqual([]);
    const launch = kernelLaunch(whole(body), options(2));
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    expect(undefinedMasks?.size ?? 0, 'PTX defines all results').toBe(0);
    for (const executor of executors()) {
      const { mismatches, first } = compareOutputs(launch, expected, (await executor.run(launch)).outputs, {});
      expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
    }
  });
});

test('the reference returns the expected results', () => {
  const out = (name: string) =>
    runKernel(whole(kernels.find((kernel) => kernel.name === name)?.body ?? ''), options(2)).out;
  expect(out('a barrier in two parts').slice(0, 2)).toEqual([283, 5 + 41 * 7 + 3]);
  expect(out('special registers')[64]).toBe(102_011);
  expect(out('addresses').slice(0, 2)).toEqual([17 + 40 + 1000, 17 + 40 + 1000]);
  expect(out('st.async')[3]).toBe(3 ^ 9);
  expect(out('red.async.add.u32')[9]).toBe(8 * 3 + 7 * (8 + 16 + 24 + 32 + 40 + 48 + 56) + 3);
  expect(out('cp.reduce.async.bulk within shared memory')[0]).toBe(2 * (3 * 7 + 3) + 1000);
  expect(new Float32Array(Uint32Array.from(out('cp.reduce.async.bulk.add.f32')).buffer)[4]).toBe(10 - 4 + 4 * 1.25);
});

test('bulk sums of f32 keep subnormals, and red flushes them', () => {
  const operands = Array.from({ length: 64 }, (_, t) => [t * 0x31415, ((t << 31) + t * 0x20003) >>> 0] as const);
  const sum = (...bits: number[]) => {
    const [a = 0, b = 0] = new Float32Array(Uint32Array.from(bits).buffer);
    return new Uint32Array(Float32Array.of(a + b).buffer)[0] ?? 0;
  };
  const flush = (bits: number) => ((bits & 0x7f80_0000) === 0 ? (bits & 0x8000_0000) >>> 0 : bits);
  const run = (body: string) => runKernel(whole(body), options(2)).out.slice(0, 64);
  expect(run(reduction(bulk('add.f32'), subnormals))).toEqual(operands.map(([a, b]) => sum(a, b)));
  const red = `${subnormals} st.global.u32 [%rd1], %r4; mov.b32 %f1, %r5; red.global.add.f32 [%rd1], %f1; ld.global.u32 %r20, [%rd1];`;
  const own = 'shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;';
  expect(run(`${own} ${red}`)).toEqual(operands.map(([a, b]) => flush(sum(flush(a), flush(b)))));
});

test('a shader reports the rank of a block that the cluster lacks', async () => {
  const launch = (rank: string) =>
    kernelLaunch(
      whole(`mov.u32 %r20, 9; setp.lt.u32 %p1, %r1, 60; @!%p1 mapa.shared::cluster.u32 %r6, s, ${rank};`),
      options(2),
    );
  const failureOf = async (rank: string) => {
    try {
      await lockstepExecutor(32).run(launch(rank));
      return undefined;
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      const [{ code, message, span } = missing('a diagnostic')] = error.diagnostics;
      return `${code} at ${launch(rank).ptx.slice(span.start, span.end)}: ${message}`;
    }
  };
  const reported = (rank: string, number: number, thread: number, more: string) =>
    `RUN024 at @!%p1 mapa.shared::cluster.u32 %r6, s, ${rank};: invalid block rank ${number}: the cluster has one block, block: [0,0,0], thread: [${thread},0,0]${more}`;
  expect(await failureOf('0')).toBeUndefined();
  expect(await failureOf('1')).toBe(reported('1', 1, 60, ' (8 threads)'));
  expect(await failureOf('%r1')).toBe(reported('%r1', 60, 60, ' (8 threads)'));
});

describe('findings of the sanitizer', () => {
  const run = (body: string) => runKernel(whole(body), { ...options(1), sanitize: true }).findings;
  const pending = reduction(bulk('add.u32'), words).replace(
    last,
    'ld.global.u32 %r9, [%rd6]; cp.async.bulk.commit_group;',
  );
  test.each<readonly [name: string, body: string, expected: RegExp]>([
    [
      'two arrivals',
      'barrier.cluster.arrive; barrier.cluster.arrive; barrier.cluster.wait;',
      /^RUN024 .* arrive twice/,
    ],
    [
      'a wait without an arrival',
      'setp.eq.u32 %p1, %r1, 5; @!%p1 barrier.cluster.arrive; barrier.cluster.wait;',
      /^RUN024 lane 5 .* before they arrive/,
    ],
    [
      'a block that does not exist',
      'mapa.shared::cluster.u32 %r6, s, 1;',
      /^RUN024 invalid block rank 1: the cluster has one block/,
    ],
    [
      'a store between arrival and wait',
      `barrier.cluster.arrive; ${store} barrier.cluster.wait; ${load('40')}`,
      /^RUN010 race on 's'/,
    ],
    [
      'a relaxed arrival',
      `${store} barrier.cluster.arrive.relaxed; barrier.cluster.wait; ${load('40')}`,
      /^RUN010 race on 's'/,
    ],
    ['a read before the update completes', pending, /^RUN020 load of out/],
    [
      'a read before the store completes',
      `${init('64')} ${store} bar.sync 0; mov.u32 %r7, bar; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4; st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r3], %r1, [%r7]; ld.shared.u32 %r9, [%r3]; ${wait('W')}`,
      /^RUN020 load of 's'/,
    ],
  ])('%s', (_, body, expected) => {
    expect(run(body).some((finding) => expected.test(finding))).toBe(true);
  });
});

describe('diagnostics of the front end', () => {
  const text = (header: string, body: string) =>
    `.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n${header}\n{\n.reg .b32 %r<8>; .reg .b64 %rd<8>;\n${body}\nret;\n}\n`;
  test.each<readonly [header: string, body: string, expected: string]>([
    ['.reqnctapercluster 1, 1, 1', '', ''],
    ['.explicitcluster\n.maxclusterrank 8', '', ''],
    ['', 'mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];', 'PTX0504'],
    ['', 'mapa.shared::cta.u32 %r1, %r2, 0;', 'PTX0502'],
    ['', 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%rd1], [%r1], 16;', 'PTX0504'],
    ['', 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r1], 16;', 'PTX0504'],
    ['', 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 20;', 'PTX0504'],
    [
      '',
      'st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r1], {%rd1, %rd1, %rd1, %rd1}, [%r1];',
      'PTX0504',
    ],
  ])('%s %s', (header, body, expected) => {
    expect(
      parsePtx(text(header, body))
        .diagnostics.map(({ code }) => code)
        .join(),
    ).toBe(expected);
  });
});
