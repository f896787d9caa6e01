// Recursive functions, on the lane plans in lockstep and in the reference.
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { parsePtx } from '../../../../src/ptx/index.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const head = '.version 8.0\n.target sm_80\n.address_size 64\n';
const sizes = [1, 4, 32, 64];

const launchOf = (functions: string, call: string): Launch => ({
  id: 'recursion',
  group: '',
  ptx: `${head}${functions}
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %tid.x;
  ${call}
  ld.param.u64 %rd6, [out];
  mad.wide.u32 %rd7, %r1, 4, %rd6;
  st.global.u32 [%rd7], %r2;
  ret;
}`,
  ptxFile: 'recursion.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [72, 1, 1],
  sharedBytes: 0,
  params: [{ name: 'out', kind: 'buffer', type: 's32', bytes: 288 }],
});

async function check(launch: Launch, expected: (thread: number) => number): Promise<void> {
  const { outputs, failure } = runOnCpu(launch);
  expect(failure).toBeUndefined();
  const out = [...new Int32Array(outputs.get(0)?.slice().buffer ?? new ArrayBuffer(0))];
  expect(out).toEqual(Array.from({ length: 72 }, (_, thread) => expected(thread)));
  for (const size of sizes) expect((await lockstepExecutor(size).run(launch)).outputs).toEqual(outputs);
}

/**
 * A function in which each lane has its own depth of recursion, and votes with the lanes that are
 * still active.
 */
const voting = `.func (.param .b32 r) down(.param .b32 level, .param .b32 last, .param .b32 mask) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  ld.param.b32 %r1, [level];
  ld.param.b32 %r2, [last];
  ld.param.b32 %r3, [mask];
  setp.lt.u32 %p1, %r1, %r2;
  vote.sync.ballot.b32 %r4, %p1, %r3;
  popc.b32 %r5, %r4;
  @!%p1 bra done;
  add.u32 %r6, %r1, 1;
  { .param .b32 a; .param .b32 b; .param .b32 c; .param .b32 d;
    st.param.b32 [a], %r6; st.param.b32 [b], %r2; st.param.b32 [c], %r4;
    call.uni (d), down, (a, b, c);
    ld.param.b32 %r7, [d]; }
  mad.lo.u32 %r5, %r7, 3, %r5;
done:
  st.param.b32 [r], %r5;
  ret;
}`;

/**
 * A function with values that are needed after its recursive call: a word, a pair, a predicate, 16
 * bits, a float, and an array that each call owns.
 */
const keeping = `.func (.param .b32 r) keep(.param .b32 n) {
  .local .align 8 .b8 own[12];
  .reg .pred %p<3>;
  .reg .b16 %h<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .f32 %f<3>;
  ld.param.b32 %r1, [n];
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r7, 1;
  @%p1 bra done;
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p2, %r2, 1;
  mul.wide.u32 %rd1, %r1, 1000003;
  cvt.u16.u32 %h1, %r1;
  cvt.rn.f32.u32 %f1, %r1;
  mov.u64 %rd2, own;
  st.local.u32 [%rd2+4], %r1;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 d; st.param.b32 [a], %r3; call.uni (d), keep, (a); ld.param.b32 %r4, [d]; }
  ld.local.u32 %r5, [%rd2+4];
  mad.lo.u32 %r7, %r4, 7, %r5;
  @%p2 add.u32 %r7, %r7, 1;
  cvt.u32.u64 %r6, %rd1;
  xor.b32 %r7, %r7, %r6;
  cvt.u32.u16 %r6, %h1;
  add.u32 %r7, %r7, %r6;
  cvt.rzi.u32.f32 %r6, %f1;
  sub.u32 %r7, %r7, %r6;
done:
  st.param.b32 [r], %r7;
  ret;
}`;

function kept(n: number): number {
  if (n === 0) return 1;
  return ((Math.imul(kept(n - 1), 7) + n + (n & 1)) ^ Math.imul(n, 1000003)) | 0;
}

/** Two functions that call each other, one of them through its address. */
const mutual = `.func (.param .b32 r) odd(.param .b32 n);
.global .u64 next[1] = {odd};
.func (.param .b32 r) even(.param .b32 n) {
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.b32 %r1, [n];
  mov.u32 %r2, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra done;
  sub.u32 %r3, %r1, 1;
  ld.global.u64 %rd1, [next];
  p: .callprototype (.param .b32 _) _ (.param .b32 _);
  { .param .b32 a; .param .b32 d; st.param.b32 [a], %r3; call (d), %rd1, (a), p; ld.param.b32 %r2, [d]; }
done:
  st.param.b32 [r], %r2;
  ret;
}
.func (.param .b32 r) odd(.param .b32 n) {
  .reg .pred %p<3>; .reg .b32 %r<5>;
  ld.param.b32 %r1, [n];
  mov.u32 %r2, 0;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra done;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 d; st.param.b32 [a], %r3; call.uni (d), even, (a); ld.param.b32 %r2, [d]; }
done:
  st.param.b32 [r], %r2;
  ret;
}`;

const calling = (name: string, ...args: readonly string[]): string => {
  const names = args.map((_, index) => `a${index}`);
  const given = args.map((arg, index) => `.param .b32 a${index}; st.param.b32 [a${index}], ${arg};`).join(' ');
  return `{ ${given} .param .b32 d; call.uni (d), ${name}, (${names.join(', ')}); ld.param.b32 %r2, [d]; }`;
};

describe('a recursive function', () => {
  test('votes with the lanes of the same depth', async () => {
    const depth = (thread: number) => thread % 5;
    const sum = (thread: number, level: number): number => {
      const first = thread & ~31;
      const there = (lane: number) => first + lane < 72 && depth(first + lane) > level;
      const count = Array.from({ length: 32 }, (_, lane) => lane).filter(there).length;
      return depth(thread) > level ? count + 3 * sum(thread, level + 1) : count;
    };
    const call = `rem.u32 %r3, %r1, 5; activemask.b32 %r4; ${calling('down', '0', '%r3', '%r4')}`;
    await check(launchOf(voting, call), (thread) => sum(thread, 0));
  });

  test('keeps the values that it needs after the call', async () => {
    await check(launchOf(keeping, `and.b32 %r3, %r1, 15; ${calling('keep', '%r3')}`), (thread) => kept(thread & 15));
  });

  test('may call itself in several places, and through other functions', async () => {
    const call = `${calling('even', '%r1')} mov.u32 %r3, %r2; ${calling('odd', '%r1')} mad.lo.u32 %r2, %r3, 2, %r2;`;
    await check(launchOf(mutual, call), (thread) => (thread % 2 === 0 ? 2 : 1));
  });

  test('ends the launch when the stack overflows', async () => {
    const launch = launchOf(keeping, calling('keep', '-1'));
    expect(runOnCpu(launch).failure).toMatchObject({ code: 'RUN016' });
    for (const size of sizes) await expect(lockstepExecutor(size).run(launch)).rejects.toThrow('calls nest too deeply');
  });
});

test('a call of a kernel is rejected', () => {
  const { module } = parsePtx(`${head}.visible .entry k() { call.uni k; ret; }`);
  if (module === undefined) throw new Error('no module');
  const { diagnostics } = translate(module, { block: [32, 1, 1], plan: planFor(32), float: exactFloats });
  expect(diagnostics.map(({ code }) => code)).toEqual(['LW2003']);
});
