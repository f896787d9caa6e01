// The undefined bits of a result. By definition, these are the bits that change if unwritten
// registers hold other values.
import { describe, expect, test } from 'vitest';
import { interpret } from '../../../../src/cpu-ref/interpreter/interpret.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { kernelLaunch, runKernel } from './interpreter-support.ts';

/**
 * `%r1` and `%r2` have undefined bits; `%r4` has a small number. The result is `%r10` or `%rd5`.
 */
const lines: readonly string[] = [
  'and.b32 %r10, %r1, %r2',
  'or.b32 %r10, %r1, %r2',
  'xor.b32 %r10, %r1, %r2',
  'not.b32 %r10, %r1',
  'and.b32 %r10, %r1, 0x0ff0ff0f',
  'lop3.b32 %r10, %r1, %r2, %r0, 0x96',
  'lop3.b32 %r10, %r1, %r2, %r0, 0xe2',
  'shl.b32 %r10, %r1, %r4',
  'shr.u32 %r10, %r1, %r4',
  'shr.s32 %r10, %r1, %r4',
  'shf.l.wrap.b32 %r10, %r1, %r2, %r4',
  'shf.r.clamp.b32 %r10, %r1, %r2, %r4',
  'bfe.u32 %r10, %r1, %r4, 11',
  'bfe.s32 %r10, %r1, %r4, 11',
  'bfi.b32 %r10, %r1, %r2, %r4, 9',
  'bfi.b32 %r1, %r0, %r1, 3, 5; mov.b32 %r10, %r1',
  'brev.b32 %r10, %r1',
  'prmt.b32 %r10, %r1, %r2, 0x5b20',
  'prmt.b32.b4e %r10, %r1, %r2, %r4',
  'selp.b32 %r10, %r1, %r2, %p1',
  'slct.b32.s32 %r10, %r1, %r2, %r5',
  'mov.b32 {%h1, %h2}, %r1; mov.b32 %r10, {%h2, %h1}',
  'cvt.u32.u8 %r10, %r1',
  'cvt.s32.s8 %r10, %r1',
  'cvt.u16.u32 %h1, %r1; cvt.s32.s16 %r10, %h1',
  'mov.b64 %rd5, {%r1, %r2}; shr.u64 %rd5, %rd5, 13; cvt.u32.u64 %r10, %rd5',
  'st.local.u32 [l], %r1; ld.local.u8 %r6, [l+1]; ld.local.s8 %r10, [l]; bfi.b32 %r10, %r6, %r10, 16, 8',
  'st.local.u8 [l+4], %r1; ld.local.u32 %r10, [l+4]; and.b32 %r10, %r10, 0xff',
  'st.local.u32 [l], %r1; ld.local.v2.u16 {%h1, %h2}, [l]; mov.b32 %r10, {%h2, %h1}',
  'call (%r10), keep, (%r1)',
  'add.u32 %r10, %r1, 1',
  'or.b32 %r7, %r0, 1; and.b32 %r1, %r1, 31; shl.b32 %r10, %r7, %r1',
  'popc.b32 %r10, %r1',
  'and.b32 %r7, %r1, 0x80000000; setp.ne.u32 %p2, %r7, 0; mov.u32 %r10, 1; @%p2 mov.u32 %r10, 2',
  'and.b32 %r7, %r1, 0x80000000; setp.ne.u32 %p2, %r7, 0; selp.b32 %r10, 1, 2, %p2',
];

/** Matches lines whose result the reference treats as undefined as a whole. */
const byValue = /^(add|popc|or.b32 %r7|and.b32 %r7)/;

/**
 * Returns a kernel's body. `%r1` and `%r2` receive undefined bits of two unwritten registers, and
 * other bits in each lane.
 */
const bodyOf = (line: string, index: number): string => `
  mul.lo.u32 %r3, %r0, 0x9e3779b1; xor.b32 %r4, %r3, 0x5bd1e995;
  and.b32 %r1, %r20, %r4; not.b32 %r7, %r4; and.b32 %r8, %r3, %r7; or.b32 %r1, %r1, %r8;
  mul.lo.u32 %r9, %r0, 0x85ebca6b; and.b32 %r2, %r21, %r9; not.b32 %r7, %r9; and.b32 %r8, %r4, %r7; or.b32 %r2, %r2, %r8;
  setp.lt.u32 %p1, %lane, 11; sub.s32 %r5, %lane, 16; and.b32 %r4, %lane, 31;
  ${line};
  st.global.u32 [%rd1+${128 * index}], %r10;`;

const launch = kernelLaunch(`.local .align 8 .b8 l[16];\n${lines.map(bodyOf).join('\n')}`, {
  module: '.func (.reg .b32 result) keep(.reg .b32 value) { shl.b32 result, value, 4; ret; }',
  words: 32 * lines.length,
});
const module = parsePtxOrThrow(launch.ptx, { file: 'bits.ptx' });
const wordsIn = (bytes: Uint8Array | undefined, index: number): number[] => [
  ...new Uint32Array((bytes ?? new Uint8Array()).slice(128 * index, 128 * (index + 1)).buffer),
];

describe('undefined bits', () => {
  const runs = Array.from({ length: 40 }, (_, seed) =>
    interpret(module, launch, { seed: Math.imul(seed + 1, 0x9e3779b1) }),
  );
  const [first] = runs;

  test.each(lines.map((line, index) => [line, index] as const))('of %s', (line, index) => {
    expect(first?.status).toBe('done');
    const masks = wordsIn(first?.undefinedMasks.get(0), index);
    const own = wordsIn(first?.outputs.get(0), index);
    const differing = own.map((word, lane) =>
      runs.reduce((bits, { outputs }) => (bits | (word ^ (wordsIn(outputs.get(0), index)[lane] ?? 0))) >>> 0, 0),
    );
    expect(differing.some((bits) => bits !== 0)).toBe(true);
    if (!byValue.test(line)) expect(masks).toEqual(differing);
    // If an undefined bit may decide a result, the whole result is undefined.
    else expect(masks).toEqual(differing.map((bits) => (bits === 0 ? 0 : 0xffff_ffff)));
  });
});

const row = (name: string, body: string, expected: readonly string[]) => ({ name, body, expected });

/** `check` reports unwritten bits only if a result depends on them. */
test.each([
  row(
    'a field of a register that is written and then read',
    'bfi.b32 %r1, %r0, %r1, 3, 5; bfe.u32 %r2, %r1, 3, 5; add.u32 %r2, %r2, 1;',
    [],
  ),
  row(
    'a field of local memory',
    `.local .align 4 .b8 l[4]; ld.local.u32 %r1, [l]; and.b32 %r1, %r1, -8; or.b32 %r1, %r1, 5;
    st.local.u32 [l], %r1; ld.local.u8 %r2, [l]; and.b32 %r2, %r2, 7; st.global.u32 [%rd1], %r2;`,
    [],
  ),
  row('a value with one written field', 'bfi.b32 %r1, %r0, %r1, 0, 5; st.global.u32 [%rd1], %r1;', []),
  row('a sum with a partly written value', 'bfi.b32 %r1, %r0, %r1, 0, 5; add.u32 %r2, %r1, 1;', [
    "RUN006 '%r1' is read, but its bits 0xffffffe0 were never written",
  ]),
  row(
    'a branch on a partly written value',
    'bfi.b32 %r1, %r0, %r1, 0, 5; setp.lt.u32 %p1, %r1, 7; @%p1 add.u32 %r2, %r0, 1;',
    ["RUN006 '%r1' is read, but its bits 0xffffffe0 were never written", "RUN011 the guard '%p1' is undefined"],
  ),
  row(
    'a field other than the written one',
    'bfi.b32 %r1, %r0, %r1, 0, 5; bfe.u32 %r2, %r1, 5, 3; add.u32 %r3, %r2, 1;',
    ["RUN006 '%r2' is read, but its bits 0x7 were never written"],
  ),
  row('an unwritten register, copied and stored', 'mov.u32 %r1, %r2; st.global.u32 [%rd1], %r1;', [
    "RUN006 '%r1' is stored before it is written",
  ]),
])('check, of $name', ({ body, expected }) => {
  expect(runKernel(body, { sanitize: true }).findings).toEqual(expected);
});
