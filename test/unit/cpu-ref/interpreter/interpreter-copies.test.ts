// Asynchronous copies in the reference: the bytes that they move, and the sanitizer's findings for
// a missing wait or barrier.
import { describe, expect, test } from 'vitest';
import { each, type KernelOptions, runKernel } from './interpreter-support.ts';

const shared = '.shared .align 16 .b8 s[2048];';
/**
 * `%r1` is the address of the thread's 16 bytes of `s`, `%rd2` of the input, and `%rd3` of the
 * output.
 */
const places =
  'mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r1, %r1, %r2; cvt.u64.u32 %rd4, %r2; ld.param.u64 %rd2, [in]; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd0, %rd4;';
const show = 'ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1]; st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};';

const input = (threads: number) =>
  new Uint8Array(new Uint32Array(each(4 * threads, (i) => 0x01010101 * (i & 63) + i)).buffer);

function run(body: string, options: KernelOptions = {}) {
  const { threads = 2 } = options;
  const data = input(threads);
  return runKernel(`${places} ${body}`, {
    threads,
    words: 4 * threads,
    module: shared,
    paramText: ', .param .u64 in',
    params: [{ name: 'in', kind: 'buffer', type: 'u32', bytes: data.length, data }],
    sanitize: true,
    ...options,
  });
}

const words = new Uint32Array(input(2).buffer);
const cell = (thread: number, ...bytes: readonly number[]): number[] =>
  bytes.map((count, i) => {
    const word = words[4 * thread + i] ?? 0;
    return count >= 4 ? word : (word & (2 ** (8 * count) - 1)) >>> 0;
  });
const whole = [...cell(0, 4, 4, 4, 4), ...cell(1, 4, 4, 4, 4)];

describe('the bytes that a copy moves', () => {
  test.each<readonly [name: string, copy: string, expected: readonly number[]]>([
    ['16 bytes', 'cp.async.cg.shared.global [%r1], [%rd2], 16;', whole],
    [
      '16 bytes in pieces',
      'cp.async.ca.shared.global [%r1], [%rd2], 8; cp.async.ca.shared::cta.global.L2::128B [%r1+8], [%rd2+8], 4; cp.async.ca.shared.global [%r1+12], [%rd2+12], 4;',
      whole,
    ],
    [
      '5 of 16 bytes',
      'cp.async.ca.shared.global [%r1], [%rd2], 16, 5;',
      [...cell(0, 4, 1, 0, 0), ...cell(1, 4, 1, 0, 0)],
    ],
    ['no byte', 'cp.async.ca.shared.global [%r1], [%rd2], 16, 0;', each(8, () => 0)],
    [
      'a number of bytes from a register',
      'mad.lo.u32 %r8, %r0, 8, 3; cp.async.cg.shared.global [%r1], [%rd2], 16, %r8;',
      [...cell(0, 3, 0, 0, 0), ...cell(1, 4, 4, 3, 0)],
    ],
    [
      'with a predicate that ignores the source',
      'setp.eq.u32 %p1, %r0, 0; cp.async.cg.shared.global [%r1], [%rd2], 16, %p1;',
      [0, 0, 0, 0, ...cell(1, 4, 4, 4, 4)],
    ],
    [
      'with a negated predicate that ignores the source',
      'setp.eq.u32 %p1, %r0, 0; cp.async.cg.shared.global [%r1], [%rd2], 16, !%p1;',
      [...cell(0, 4, 4, 4, 4), 0, 0, 0, 0],
    ],
    [
      'with a cache policy',
      'mov.b64 %rd5, 0; cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd2], 16, 4, %rd5;',
      [...cell(0, 4, 0, 0, 0), ...cell(1, 4, 0, 0, 0)],
    ],
  ])('%s', (_, copy, expected) => {
    const { out, findings } = run(`${copy} cp.async.wait_all; ${show}`);
    expect(findings).toEqual([]);
    expect(out).toEqual(expected);
  });

  test('a guard excludes lanes', () => {
    const guarded = 'setp.eq.u32 %p1, %r0, 1; @%p1 cp.async.cg.shared.global [%r1], [%rd2], 16;';
    expect(run(`st.shared.v4.u32 [%r1], {1, 2, 3, 4}; ${guarded} cp.async.wait_all; ${show}`).out).toEqual([
      1,
      2,
      3,
      4,
      ...cell(1, 4, 4, 4, 4),
    ]);
  });
});

describe('groups', () => {
  const two =
    'cp.async.ca.shared.global [%r1], [%rd2], 8; cp.async.commit_group; cp.async.ca.shared.global [%r1+8], [%rd2+8], 8; cp.async.commit_group;';
  const both = 'st.shared.v4.u32 [%r1], {1, 2, 3, 4};';

  test('a wait leaves the last groups pending', () => {
    const { out, findings } = run(`${both} ${two} cp.async.wait_group 1; ${show}`);
    expect(out.slice(0, 4)).toEqual([...cell(0, 4, 4), 3, 4]);
    expect(findings).toEqual(["RUN020 load of 's', byte 0 by thread 0: its own copy may not have written it yet"]);
  });

  test('without a wait no copy completes', () => {
    expect(run(`${both} ${two} ${show}`).out.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(run(`${both} ${two} cp.async.wait_group 2; ${show}`).out.slice(0, 4)).toEqual([1, 2, 3, 4]);
  });

  test('a wait does not cover a copy without a group', () => {
    const open = 'cp.async.ca.shared.global [%r1], [%rd2], 16;';
    expect(run(`${both} ${open} cp.async.wait_group 0; ${show}`).findings).toHaveLength(1);
    expect(run(`${both} ${open} cp.async.wait_all; ${show}`).findings).toEqual([]);
  });
});

describe('findings of missing synchronization', () => {
  const copy = 'cp.async.cg.shared.global [%r1], [%rd2], 16;';
  const other = 'xor.b32 %r1, %r1, 16;';
  test.each<readonly [name: string, body: string, expected: readonly string[]]>([
    ['nothing', `${copy} cp.async.wait_all; bar.sync 0; ${other} ${show}`, []],
    [
      'a wait',
      `${copy} bar.sync 0; ${other} ${show}`,
      ["RUN020 load of 's', byte 16 by thread 0: thread 1's copy may not have written it yet"],
    ],
    [
      'a wait for the second of two copies to a place',
      `${copy} ${copy} cp.async.wait_all; ${show}`,
      ["RUN020 store of 's', byte 0 by thread 0: its own copy may not have written it yet"],
    ],
    [
      'a barrier',
      `${copy} cp.async.wait_all; ${other} ${show}`,
      [
        "RUN010 race on 's', byte 16: thread 0 and thread 1 (warp 0, lane 1) of the block access it with no barrier in between, and one writes",
      ],
    ],
    [
      'a barrier after the wait',
      `${copy} bar.sync 0; cp.async.wait_all; ${other} ${show}`,
      [
        "RUN010 race on 's', byte 16: thread 0 and thread 1 (warp 0, lane 1) of the block access it with no barrier in between, and one writes",
      ],
    ],
    [
      'a wait before the source is written',
      `${copy} st.global.u32 [%rd2], 7; cp.async.wait_all; ${show}`,
      ['RUN020 store of in, byte 0 by thread 0: its own copy may not have read it yet'],
    ],
    [
      'an aligned source',
      `cp.async.cg.shared.global [%r1], [%rd2+4], 16, 8; cp.async.wait_all; ${show}`,
      ['RUN009 misaligned load of 8 bytes at in, byte 4 (address 0x7f0400000204)'],
    ],
  ])('%s', (_, body, expected) => expect(run(body).findings).toEqual(expected));

  test('the finding names both lines', () => {
    const { result } = run(`${copy} bar.sync 0; ${other} ${show}`);
    expect(result.findings[0]?.labels.map(({ text }) => text)).toEqual(['the pending copy']);
  });
});

describe('a bulk copy of stores of all threads', () => {
  const fence = 'fence.proxy.async.shared::cta;';
  const store = 'st.shared.v4.u32 [%r1], {%r0, %r0, %r0, %r0};';
  const leads = 'setp.eq.u32 %p1, %r0, 0;';
  const copy = `@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r1], 32;
    @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;`;

  test.each([
    ['needs no further fence after one of each thread', `${store} ${fence} bar.sync 0; ${leads} ${copy}`, []],
    ['needs no further fence after one of its thread', `${store} bar.sync 0; ${leads} @%p1 ${fence} ${copy}`, []],
    ['needs a fence', `${store} bar.sync 0; ${leads} ${copy}`, ['RUN031']],
    ['needs a fence after the stores', `${fence} ${store} bar.sync 0; ${leads} ${copy}`, ['RUN031']],
    ['needs more than a fence of one thread', `${store} ${leads} @%p1 ${fence} bar.sync 0; ${copy}`, ['RUN031']],
    ['needs a fence of the right kind', `${store} fence.proxy.alias; bar.sync 0; ${leads} ${copy}`, ['RUN031']],
  ])('%s', (_, body, expected) => {
    expect(run(body).findings.map((finding) => finding.slice(0, 6))).toEqual(expected);
  });
});
