// Mbarriers: the reference against the manual, and WGSL on the lane plans, in rotation, against the
// reference.
import { describe, expect, it, test } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { planFor } from '../../../../src/translate/index.ts';
import { inTurn } from '../../../effort.ts';
import { lockstepExecutor, translateLaunch } from '../../../lockstep/lockstep-executor.ts';
import { type KernelOptions, kernelLaunch, runKernel } from '../../cpu-ref/interpreter/interpreter-support.ts';

const module = '.shared .align 8 .b64 bar[4];\n.shared .align 16 .b8 s[1024];';
/**
 * Returns a whole kernel. `%r1` is the thread's number in its block, and the result is in `%r20`.
 */
const whole = (body: string) => `mov.u32 %r1, %tid.x; mov.u32 %r20, 0;\n${body}\nst.global.u32 [%rd1], %r20;`;
const init = (count: string, at = 'bar') =>
  `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [${at}], ${count}; bar.sync 0;`;
/** Returns a loop that waits until the phase of a state, or of a parity, is complete. */
const wait = (label: string, test: string, at: string, asked: string) =>
  `${label}: mbarrier.${test}.shared::cta.b64 %p6, [${at}], ${asked}; @!%p6 bra ${label};`;
const store =
  'shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; mad.lo.u32 %r4, %r0, 7, 3; st.shared.u32 [%r3], %r4;';
const load = (other: string) =>
  `xor.b32 %r2, %r1, ${other}; shl.b32 %r2, %r2, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ld.shared.u32 %r5, [%r3]; add.u32 %r20, %r20, %r5;`;

interface Kernel {
  readonly name: string;
  readonly body: string;
  readonly threads?: number;
}

const kernels: readonly Kernel[] = [
  {
    name: 'all threads arrive, and wait by state',
    body: `${init('64')} ${store} mbarrier.arrive.shared.b64 %rd5, [bar]; ${wait('W', 'test_wait', 'bar', '%rd5')} ${load('40')}`,
  },
  {
    name: 'all threads arrive, and wait by parity',
    body: `${init('64')} ${store} mbarrier.arrive.shared.b64 _, [bar]; ${wait('W', 'try_wait.parity', 'bar', '0')} ${load('33')}`,
  },
  {
    name: 'one warp produces and another consumes, phase after phase',
    body: `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [bar], 32; @%p7 mbarrier.init.shared.b64 [bar+8], 32; bar.sync 0;
mov.u32 %r10, 0; and.b32 %r11, %r1, 31; shl.b32 %r12, %r11, 2; mov.u32 %r13, s; add.u32 %r12, %r12, %r13; add.u32 %r14, %r13, %r13; add.u32 %r14, %r14, 124; sub.u32 %r14, %r14, %r12; setp.lt.u32 %p1, %r1, 32; @%p1 bra P;
C: and.b32 %r15, %r10, 1; ${wait('CW', 'test_wait.parity', 'bar', '%r15')} ld.shared.u32 %r5, [%r14]; mad.lo.u32 %r20, %r20, 3, %r5; mbarrier.arrive.shared.b64 _, [bar+8];
add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 4; @%p2 bra C; bra E;
P: and.b32 %r15, %r10, 1; xor.b32 %r15, %r15, 1; ${wait('PW', 'test_wait.parity', 'bar+8', '%r15')} mad.lo.u32 %r16, %r10, 100, %r11; st.shared.u32 [%r12], %r16; mbarrier.arrive.shared.b64 _, [bar];
add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 4; @%p2 bra P;
E:`,
  },
  {
    name: 'a lane waits for others of its warp, in the other arm',
    body: `${init('31')} ${store} and.b32 %r10, %r1, 31; setp.eq.u32 %p1, %r10, 5; @%p1 bra W; mbarrier.arrive.shared.b64 _, [bar]; bra E; ${wait('W', 'test_wait.parity', 'bar', '0')} ${load('7')} E:`,
    threads: 32,
  },
  {
    name: 'several arrivals at once',
    body: `${init('96')} ${store} and.b32 %r10, %r1, 1; add.u32 %r10, %r10, 1; mbarrier.arrive.shared.b64 %rd5, [bar], %r10; ${wait('W', 'try_wait', 'bar', '%rd5')} ${load('50')}`,
  },
  {
    name: 'a barrier does not wait for dropped threads',
    body: `${init('64')} ${store} setp.lt.u32 %p1, %r1, 48; @%p1 bra K; mbarrier.arrive_drop.shared.b64 _, [bar]; bra E;
K: mbarrier.arrive.shared.b64 %rd5, [bar]; ${wait('W', 'test_wait', 'bar', '%rd5')} ${load('48')} mbarrier.arrive.shared.b64 %rd5, [bar]; ${wait('V', 'test_wait', 'bar', '%rd5')} mbarrier.arrive.shared.b64 _, [bar]; ${wait('U', 'test_wait.parity', 'bar', '0')} E:`,
  },
  {
    name: 'all threads drop',
    body: `${init('64')} ${store} setp.lt.u32 %p1, %r1, 48; @%p1 bra K; mbarrier.arrive_drop.shared.b64 _, [bar]; bra E;
K: mbarrier.arrive_drop.shared.b64 %rd5, [bar]; ${wait('W', 'test_wait', 'bar', '%rd5')} ${load('48')} E:`,
  },
  {
    name: 'expected arrivals beyond eleven bits',
    body: `${init('5000')} setp.eq.u32 %p1, %r1, 3; @!%p1 bra K; mbarrier.arrive.shared.b64 _, [bar], 1900; mbarrier.arrive_drop.shared.b64 _, [bar], 3037; bra F;
K: mbarrier.arrive.shared.b64 _, [bar]; F: ${wait('W', 'test_wait.parity', 'bar', '0')} mov.u32 %r20, 1; bar.sync 0; setp.eq.u32 %p1, %r1, 9; @%p1 mbarrier.arrive.shared.b64 _, [bar], 1963; ${wait('V', 'test_wait.parity', 'bar', '1')} add.u32 %r20, %r20, %r1;`,
  },
  {
    name: 'expected bytes that arrive',
    body: `${init('1')} ${store} setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 640; bar.sync 0; mbarrier.complete_tx.shared::cta.b64 [bar], 10; ${wait('W', 'try_wait.parity', 'bar', '0')} ${load('21')}`,
  },
  {
    name: 'bytes that arrive before they are expected',
    body: `${init('64')} ${store} mbarrier.complete_tx.shared::cta.b64 [bar], %r1; bar.sync 0; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 63; setp.ge.u32 %p1, %r1, 32; @%p1 mbarrier.complete_tx.shared::cta.b64 [bar], 63; mbarrier.arrive.shared.b64 _, [bar]; ${wait('W', 'try_wait.parity', 'bar', '0')} ${load('8')}`,
  },
  {
    name: 'the number of pending arrivals',
    body: `${init('65')} setp.eq.u32 %p1, %r1, 40; @!%p1 bra N; mbarrier.expect_tx.shared::cta.b64 [bar], 16; mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 5; mbarrier.pending_count.b64 %r20, %rd5; mbarrier.arrive.shared.b64 %rd5, [bar]; mbarrier.pending_count.b64 %r10, %rd5; mad.lo.u32 %r20, %r20, 100, %r10; N:`,
  },
  {
    name: 'a phase without a wait',
    body: `${init('1')} setp.eq.u32 %p1, %r1, 7; @%p1 mbarrier.arrive.shared.b64 _, [bar]; bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; mbarrier.test_wait.parity.shared.b64 %p3, [bar], 1; selp.b32 %r20, 1, 0, %p2; @%p3 add.u32 %r20, %r20, 2;`,
  },
  {
    name: 'arrivals after copies',
    body: `${init('128')} shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;
cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; mbarrier.arrive.shared.b64 %rd5, [bar]; cp.async.mbarrier.arrive.shared::cta.b64 [bar+8]; ${wait('W', 'try_wait', 'bar', '%rd5')} ${load('17')}`.replace(
      'bar.sync 0;',
      '@%p7 mbarrier.init.shared.b64 [bar+8], 1; bar.sync 0;',
    ),
  },
  {
    name: 'a bulk copy into shared memory',
    body: `${init('1')} ld.param.u64 %rd2, [in]; mov.u32 %r10, 64; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+64], [%rd2+128], %r10, [bar];
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd2], 64, [bar]; ${wait('W', 'try_wait.parity', 'bar', '0')} and.b32 %r11, %r1, 31; shl.b32 %r11, %r11, 2; mov.u32 %r12, s; add.u32 %r11, %r11, %r12; ld.shared.u32 %r20, [%r11];`,
  },
  {
    name: 'a bulk copy within shared memory, and one to global memory',
    body: `${init('1')} ${store} fence.proxy.async; bar.sync 0; mov.u64 %rd6, %rd0; mov.u32 %r12, %ctaid.x; mul.wide.u32 %rd7, %r12, 256; add.u64 %rd6, %rd6, %rd7; mov.u32 %r12, s; setp.ne.u32 %p1, %r1, 0; @%p1 bra K;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 96; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s+512], [%r12], 96, [bar];
cp.async.bulk.global.shared::cta.bulk_group [%rd6], [s], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; st.shared.u32 [s+132], 77; cp.async.bulk.wait_group 0; ld.global.u32 %r20, [%rd6+132];
K: ${wait('W', 'try_wait.parity', 'bar', '0')} rem.u32 %r11, %r1, 24; shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r12; ld.shared.u32 %r13, [%r11+512]; add.u32 %r20, %r20, %r13; bar.sync 0;`,
  },
  {
    name: 'through generic addresses',
    body: `${init('64')} ${store} mov.u64 %rd6, bar; cvta.shared.u64 %rd6, %rd6; mbarrier.arrive.b64 %rd5, [%rd6]; W: mbarrier.try_wait.b64 %p6, [%rd6], %rd5, 100; @!%p6 bra W; ${load('40')}`,
  },
  {
    name: 'fences around relaxed operations',
    body: `${init('64')} ${store} fence.acq_rel.cta; mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd5, [bar]; W: mbarrier.test_wait.relaxed.cta.shared::cta.b64 %p6, [bar], %rd5; @!%p6 bra W; fence.acq_rel.cta; ${load('40')}`,
  },
  {
    name: 'under guards',
    body: `${init('32')} ${store} and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 1; @%p1 mbarrier.arrive.shared.b64 %rd5, [bar]; W: setp.ne.u32 %p6, 0, 1; @!%p1 mbarrier.test_wait.parity.shared.b64 %p6, [bar], 0; @!%p6 bra W; @!%p1 bra L; bra E; L: ${load('1')} E:`,
  },
];

const data = new Uint8Array(new Uint32Array(Array.from({ length: 64 }, (_, i) => i * i)).buffer);
const options = (threads: number): KernelOptions => ({
  maxSteps: 100_000,
  threads,
  blocks: 2,
  module,
  paramText: ', .param .u64 in',
  params: [{ name: 'in', kind: 'buffer', type: 'u32', bytes: data.length, data }],
});

describe('kernels', () => {
  const reference = cpuExecutor();
  const executors = inTurn(
    [32, 1, 64, 8].map((size) => lockstepExecutor(size, { maxSteps: 1_000_000 })),
    2,
  );
  it.each(kernels)('$name', async ({ body, threads = 64 }) => {
    const { findings } = runKernel(whole(body), { ...options(threads), sanitize: true });
    expect(findings).toEqual([]);
    const launch = kernelLaunch(whole(body), options(threads));
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    expect(undefinedMasks?.size ?? 0, 'PTX defines all results').toBe(0);
    for (const executor of executors()) {
      const { mismatches, first } = compareOutputs(launch, expected, (await executor.run(launch)).outputs, {});
      expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
    }
  });
});

test('waits that the whole block reaches together need no dispatch', () => {
  const modeOf = (name: string) => {
    const kernel = kernels.find((each) => each.name === name);
    if (kernel === undefined) throw new RangeError(`no kernel ${name}`);
    return translateLaunch(kernelLaunch(whole(kernel.body), options(kernel.threads ?? 64)), planFor(32)).mode;
  };
  expect(modeOf('all threads arrive, and wait by parity')).toBe('structured');
  expect(modeOf('a bulk copy into shared memory')).toBe('structured');
  expect(modeOf('one warp produces and another consumes, phase after phase')).toBe('dispatch');
  expect(modeOf('a lane waits for others of its warp, in the other arm')).toBe('dispatch');
});

test('the reference returns the expected results', () => {
  const out = (name: string) => {
    const { body = '', threads = 64 } = kernels.find((kernel) => kernel.name === name) ?? {};
    return runKernel(whole(body), options(threads)).out;
  };
  expect(out('the number of pending arrivals')[40]).toBe(6560);
  expect(out('a phase without a wait')[0]).toBe(1);
  expect(out('all threads arrive, and wait by state')[0]).toBe(40 * 7 + 3);
});

describe('findings of the sanitizer', () => {
  const run = (body: string) => runKernel(whole(body), { ...options(64), blocks: 1, sanitize: true }).findings;
  test.each<readonly [name: string, body: string, expected: RegExp]>([
    ['no mbarrier', 'mbarrier.arrive.shared.b64 _, [bar];', /^RUN021 no mbarrier at this address/],
    [
      'an mbarrier that was invalidated',
      `${init('64')} setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.inval.shared.b64 [bar]; bar.sync 0; mbarrier.arrive.shared.b64 _, [bar];`,
      /^RUN021 no mbarrier at this address/,
    ],
    [
      'too many arrivals',
      `${init('20')} mbarrier.arrive.shared.b64 _, [bar], 21;`,
      /^RUN021 21 arrivals at an mbarrier whose phase expects 20 more/,
    ],
    ['none expected', init('0'), /^RUN021 invalid arrival count 0 of an mbarrier: expected 1 to/],
    [
      'no barrier after the initialization',
      `setp.eq.u32 %p7, %r1, 0; @%p7 mbarrier.init.shared.b64 [bar], 64; mbarrier.arrive.shared.b64 _, [bar];`,
      /^RUN010 race on 'bar'/,
    ],
    ['no wait', `${init('64')} ${store} mbarrier.arrive.shared.b64 _, [bar]; ${load('40')}`, /^RUN010 race on 's'/],
    [
      'no fence after a relaxed wait',
      `${init('64')} ${store} mbarrier.arrive.shared.b64 %rd5, [bar]; W: mbarrier.test_wait.relaxed.cta.shared::cta.b64 %p6, [bar], %rd5; @!%p6 bra W; ${load('40')}`,
      /^RUN010 race on 's'/,
    ],
    [
      'no fence before a relaxed arrival',
      `${init('64')} ${store} mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd5, [bar]; ${wait('W', 'test_wait', 'bar', '%rd5')} ${load('40')}`,
      /^RUN010 race on 's'/,
    ],
    [
      'a wait for the previous phase',
      `${init('64')} ${store} mbarrier.arrive.shared.b64 _, [bar]; ${wait('W', 'test_wait.parity', 'bar', '1')} ${load('40')}`,
      /^RUN010 race on 's'/,
    ],
    [
      'no wait for a copy',
      `${init('64')} shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ld.param.u64 %rd2, [in]; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; ld.shared.u32 %r20, [%r3];`,
      /^RUN020 load of 's', byte \d+ by thread \d+: its own copy/,
    ],
  ])('%s', (_, body, expected) => {
    expect(run(body)[0]).toMatch(expected);
  });
});
