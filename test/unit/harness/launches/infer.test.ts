// Facts that `infer` derives from a kernel's instructions: pointers and their elements, the roles
// of numbers, blocks.
import { describe, expect, test } from 'vitest';
import { type FieldUse, inferKernel, type KernelUse, suggestBlocks } from '../../../../src/harness/infer/index.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';

function infer(params: string, body: string, directives = ''): KernelUse {
  const text = `.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b64 result) advance(.param .b64 base, .param .b32 by)
{
  .reg .b64 %rd<4>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [base]; ld.param.u32 %r1, [by]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  st.param.b64 [result], %rd3;
  ret;
}
.visible .entry k(${params}) ${directives}
{
  .reg .b64 %rd<16>; .reg .b32 %r<32>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %fd<4>; .reg .pred %p<4>;
  .local .align 8 .b8 depot[16];
  .shared .align 4 .b8 tile[1088];
  .shared .align 4 .b8 line[512];
${body}
  ret;
}
`;
  const module = parsePtxOrThrow(text, { file: 'k.ptx' });
  const entry = module.functions.find(({ kind }) => kind === 'entry');
  if (entry === undefined) throw new Error('no entry');
  return inferKernel(module, entry);
}

/**
 * Formats a use. `f32 r` is a pointer to floats that are read; `i` and `p` mark elements that are
 * indexes and pointers. A number is formatted as its role.
 */
function text({ offset, use }: FieldUse): string {
  const place = offset === 0 ? '' : `+${offset} `;
  if (use.kind === 'number') return `${place}${[use.role, ...use.axes].join(' ')}`;
  const { element, reads, writes, holdsIndexes, holdsPointers } = use;
  const flags = `${reads ? 'r' : ''}${writes ? 'w' : ''}${holdsIndexes ? 'i' : ''}${holdsPointers ? 'p' : ''}`;
  return `${place}${element} ${flags}`;
}
const fields = ({ params }: KernelUse): string[] => params.map((param) => param.fields.map(text).join(', '));

const index = 'mov.u32 %r31, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r31;';
const own = `${index} mul.wide.u32 %rd2, %r1, 4;`;
const pointer = 'ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;';
const number = 'ld.param.u32 %r5, [n];';

describe('parameters', () => {
  test.each([
    ['a pointer to floats', '.param .u64 a', `${pointer} ld.global.f32 %f1, [%rd1];`, ['f32 r']],
    [
      'arithmetic on a pointer',
      '.param .u64 a',
      `${pointer} ${own} add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3+8], 1;`,
      ['u32 w'],
    ],
    [
      'a typed access beside plain bits',
      '.param .u64 a',
      `${pointer} ld.global.b32 %r4, [%rd1]; ld.global.s32 %r4, [%rd1+4];`,
      ['s32 r'],
    ],
    [
      'plain bits that are added as floats',
      '.param .u64 a',
      `${pointer} ld.global.b32 %r4, [%rd1]; mov.b32 %f1, %r4; add.f32 %f2, %f1, %f1; mov.b32 %r6, %f2; st.global.b32 [%rd1+4], %r6;`,
      ['f32 rw'],
    ],
    [
      'plain bits that are converted from half',
      '.param .u64 a',
      `${pointer} ld.global.b16 %h1, [%rd1]; cvt.f32.f16 %f1, %h1;`,
      ['f16 r'],
    ],
    ['a generic address', '.param .u64 a', 'ld.param.u64 %rd1, [a]; st.u64 [%rd1], %rd1;', ['u64 w']],
    [
      'a pointer through the stack',
      '.param .u64 a',
      'ld.param.u64 %rd1, [a]; st.local.u64 [depot], %rd1; ld.local.u64 %rd2, [depot]; ld.f32 %f1, [%rd2];',
      ['f32 r'],
    ],
    [
      'a pointer through a generic stack',
      '.param .u64 a',
      'ld.param.u64 %rd1, [a]; mov.u64 %rd5, depot; cvta.local.u64 %rd6, %rd5; st.u64 [%rd6+8], %rd1; ld.u64 %rd2, [%rd6+8]; ld.f32 %f1, [%rd2];',
      ['f32 r'],
    ],
    [
      'a pointer that a loop advances',
      '.param .u64 a, .param .u32 n',
      `${pointer} ${number} mov.u64 %rd3, %rd1; mov.u32 %r6, 0; L: st.global.f64 [%rd3], 0d0000000000000000; add.s64 %rd3, %rd3, 8; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r5; @%p1 bra L;`,
      ['f64 w', 'count'],
    ],
    [
      'a pointer that a function advances',
      '.param .u64 a, .param .u32 n',
      `ld.param.u64 %rd1, [a]; ${number} { .param .b64 p0; .param .b32 p1; .param .b64 r0; st.param.b64 [p0], %rd1; st.param.b32 [p1], %r5; call (r0), advance, (p0, p1); ld.param.b64 %rd4, [r0]; } ld.f32 %f1, [%rd4];`,
      ['f32 r', 'offset'],
    ],
    [
      'one of two pointers',
      '.param .u64 a, .param .u64 b',
      'ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; selp.b64 %rd3, %rd1, %rd2, %p1; st.f32 [%rd3], 0f00000000;',
      ['f32 w', 'f32 w'],
    ],
    [
      'a 64-bit index',
      '.param .u64 a, .param .u64 b',
      `${pointer} ld.param.u64 %rd2, [b]; shl.b64 %rd4, %rd2, 2; add.s64 %rd3, %rd1, %rd4; ld.global.f32 %f1, [%rd3];`,
      ['f32 r', 'offset'],
    ],
    [
      'a 64-bit byte index, converted before',
      '.param .u64 a, .param .u64 b',
      `${pointer} ld.param.u64 %rd2, [b]; add.s64 %rd3, %rd1, %rd2; ld.global.u8 %h1, [%rd3];`,
      ['u8 r', 'offset'],
    ],
    [
      'the declared pointer of two candidates',
      '.param .u64 .ptr .global .align 4 a, .param .u64 b',
      'ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3];',
      ['u32 r', 'offset'],
    ],
    [
      'plain bits in a register for floats',
      '.param .u64 a',
      `${pointer} ld.global.b32 %f1, [%rd1]; st.shared.b32 [tile], %f1;`,
      ['f32 r'],
    ],
    [
      'bits passed through shared memory, beside floats',
      '.param .u64 a, .param .u64 b',
      `${pointer} ld.global.f32 %f1, [%rd1]; ld.param.u64 %rd4, [b]; ld.shared.b32 %r4, [tile]; st.global.b32 [%rd4], %r4;`,
      ['f32 r', 'f32 w'],
    ],
    ['a 64-bit number', '.param .u64 a', 'ld.param.u64 %rd1, [a]; add.s64 %rd2, %rd1, 1;', ['number']],
    ['an atomic', '.param .u64 a', `${pointer} red.global.add.u32 [%rd1], 1;`, ['u32 rw']],
    [
      'a copy to shared memory',
      '.param .u64 a',
      `${pointer} mov.u32 %r4, line; cp.async.ca.shared.global [%r4], [%rd1], 4;`,
      ['u32 r'],
    ],
    [
      'elements that are indexes',
      '.param .u64 a, .param .u64 b',
      `${pointer} ld.param.u64 %rd4, [b]; ld.global.u32 %r4, [%rd1]; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd4, %rd2; st.global.u32 [%rd3], 1;`,
      ['u32 ri', 'u32 w'],
    ],
    [
      'elements that are indexes through a shift',
      '.param .u64 a, .param .u64 b',
      `${pointer} ld.param.u64 %rd4, [b]; ld.global.u32 %r4, [%rd1]; shr.u32 %r4, %r4, 1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd4, %rd2; st.global.u32 [%rd3], 1;`,
      ['u32 ri', 'u32 w'],
    ],
    [
      'elements that are pointers',
      '.param .u64 a',
      `${pointer} ld.global.u64 %rd2, [%rd1]; st.u32 [%rd2], 1;`,
      ['u64 rip'],
    ],
    [
      'fields of a struct',
      '.param .align 8 .b8 a[16]',
      `ld.param.u64 %rd1, [a]; ld.param.u32 %r5, [a+8]; ${index} setp.lt.u32 %p1, %r1, %r5; @%p1 st.global.u32 [%rd1], 1;`,
      ['u32 w, +8 count x'],
    ],
    ['a count of threads', '.param .u32 n', `${number} ${index} setp.ge.s32 %p1, %r1, %r5; @%p1 ret;`, ['count x']],
    [
      'a count minus one',
      '.param .u32 n',
      `${number} ${index} add.u32 %r6, %r5, -1; setp.gt.s32 %p1, %r1, %r6; @%p1 ret;`,
      ['count x'],
    ],
    [
      'rows and columns',
      '.param .u32 n, .param .u32 m, .param .u64 a',
      `${pointer} ${number} ld.param.u32 %r6, [m]; mov.u32 %r7, %tid.y; mov.u32 %r8, %tid.x; setp.ge.u32 %p1, %r7, %r5; @%p1 ret; setp.ge.u32 %p2, %r8, %r6; @%p2 ret; mad.lo.u32 %r9, %r7, %r6, %r8; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; st.global.f32 [%rd3], 0f00000000;`,
      ['count y', 'pitch x', 'f32 w'],
    ],
    [
      'a shift, a divisor, a flag',
      '.param .u32 n, .param .u32 m, .param .u32 o',
      `${number} ld.param.u32 %r6, [m]; ld.param.u32 %r7, [o]; ${index} shr.u32 %r8, %r1, %r5; rem.u32 %r9, %r1, %r6; setp.eq.u32 %p1, %r7, 3; @%p1 ret;`,
      ['shift', 'divisor', 'flag'],
    ],
    ['nothing', '.param .u32 n', '', ['']],
  ])('%s', (_, params, body, expected) => {
    expect(fields(infer(params, body))).toEqual(expected);
  });
});

test('a pointer from no parameter is named', () => {
  expect(infer('.param .u64 a', 'ld.local.u64 %rd1, [depot]; st.u32 [%rd1], 1;').followsUnknown).toBe(true);
  expect(infer('.param .u64 a', `${pointer} st.global.u32 [%rd1], 1;`).followsUnknown).toBe(false);
});

const rank =
  'mov.u32 %r4, %tid.z; mov.u32 %r5, %ntid.y; mov.u32 %r6, %tid.y; mad.lo.u32 %r4, %r4, %r5, %r6; mov.u32 %r7, %ntid.x; mov.u32 %r8, %tid.x; mad.lo.u32 %r4, %r4, %r7, %r8;';
const inParts =
  'shl.b32 %r2, %r1, 2; mov.u32 %r3, line; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], 0; st.shared.u32 [%r4+96], 0; st.shared.u32 [%r4+288], 0;';
const inTile = (shape: string) =>
  `mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; ${shape} mov.u32 %r6, tile; add.u32 %r7, %r6, %r5; st.shared.f32 [%r7], 0f00000000;`;

describe('threads', () => {
  test.each([
    ['a line of threads', own, '', ['x'], [128, 1, 1]],
    ['no thread index', 'mov.u32 %r1, %ctaid.x;', '', [], [1, 1, 1]],
    ['lanes alone', 'mov.u32 %r1, %laneid;', '', ['x'], [128, 1, 1]],
    ['a limit', own, '.maxntid 96, 1, 1', ['x'], [96, 1, 1]],
    ['a demand', own, '.reqntid 8, 4, 2', ['x'], [8, 4, 2]],
    ['the thread number in its block', `${rank} shr.u32 %r9, %r4, 5;`, '', ['x'], [128, 1, 1]],
    [
      'the thread number, and whether it is the first',
      `${rank} or.b32 %r9, %r8, %r6; setp.ne.u32 %p1, %r9, 0; @%p1 ret; shr.u32 %r9, %r4, 5;`,
      '',
      ['x'],
      [128, 1, 1],
    ],
    ['a tile', inTile('shl.b32 %r3, %r2, 6; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;'), '', ['x', 'y'], [16, 17, 1]],
    [
      'a tile with padded rows',
      inTile('mul.lo.u32 %r3, %r2, 68; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;'),
      '',
      ['x', 'y'],
      [16, 16, 1],
    ],
    [
      'a tile with a halo',
      inTile('mul.lo.u32 %r3, %r2, 72; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;'),
      '',
      ['x', 'y'],
      [16, 13, 1],
    ],
    [
      'a row of shared memory',
      'mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 3; mov.u32 %r3, line; add.u32 %r4, %r3, %r2; st.shared.u64 [%r4], 0;',
      '',
      ['x'],
      [64, 1, 1],
    ],
    [
      'a row with a halo',
      'mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], 0;',
      '',
      ['x'],
      [256, 1, 1],
    ],
    // A thread stores several elements, and its neighbors store those between them.
    ['a row in several parts', `mov.u32 %r1, %tid.x; ${inParts}`, '', ['x'], [24, 1, 1]],
    [
      'a row in several parts, in a kernel that then counts on from the thread index',
      `mov.u32 %r1, %tid.x; ${inParts} again: add.u32 %r1, %r1, 32; setp.lt.u32 %p1, %r1, 99; @%p1 bra again;`,
      '',
      ['x'],
      [24, 1, 1],
    ],
    [
      'a tile in groups of rows',
      `${inTile('mul.lo.u32 %r3, %r2, 68; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;')} st.shared.f32 [%r7+544], 0f00000000;`,
      '',
      ['x', 'y'],
      [16, 8, 1],
    ],
    [
      'a tile in groups of columns',
      `${inTile('shl.b32 %r3, %r2, 8; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;')} st.shared.f32 [%r7+32], 0f00000000;`,
      '',
      ['x', 'y'],
      [8, 4, 1],
    ],
    ['a last thread', 'mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 511; @%p1 ret;', '', ['x'], [512, 1, 1]],
  ])('%s', (_, body, directives, axes, block) => {
    const { threads } = infer('.param .u64 a', body, directives);
    expect(threads.threadAxes).toEqual(axes);
    expect(suggestBlocks(threads)[0]).toEqual(block);
  });
});
