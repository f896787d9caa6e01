// Converged loops of dispatched kernels: a warp runs such a loop together while all lanes that its
// warp instructions name are present. Warps that stay together and warps that diverge are compared
// with the reference interpreter, on subgroups of 32 and of other sizes.
import { expect, it } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { planFor } from '../../../../src/translate/index.ts';
import { translateLaunch } from '../../../lockstep/lockstep-executor.ts';
import { checkMembers, type MemberCase, memberLaunch } from '../../../lockstep/member-kernels.ts';

/**
 * Values that the compiler does not know: `%r13` is zero, `%r10` is the lane, and `%p0` is true in
 * the lower half.
 */
const hidden = `  shr.u32 %r13, %x, 31;
  mov.u32 %r10, %r13;
  or.b32 %r10, %r10, %lane;
  setp.lt.u32 %p0, %r10, 16;
  mov.u32 %r15, 0;`;
const rounds = (count: number, body: string) => `${hidden}
ROUND:
${body}
  add.u32 %x, %x, %r;
  add.u32 %r15, %r15, 1;
  add.u32 %r12, %r13, ${count};
  setp.lt.u32 %p7, %r15, %r12;
  @%p7 bra ROUND;`;

const cases: readonly Omit<MemberCase, 'mode'>[] = [
  {
    name: 'guards',
    body: rounds(4, '  @%p0 shfl.sync.bfly.b32 %r, %x, 5, 0x101f, 0xffff;\n  @%p0 redux.sync.add.u32 %r, %r, 0xffff;'),
  },
  {
    name: 'guards that exclude lanes in some rounds, for which others wait',
    body: rounds(
      5,
      `  and.b32 %r1, %r10, 1;
  add.u32 %r2, %r15, %r1;
  setp.ne.u32 %p1, %r2, 0;
  setp.ne.u32 %p2, %r2, 5;
  and.pred %p1, %p1, %p2;
  and.pred %p1, %p1, %p0;
  @%p1 redux.sync.add.u32 %r, %x, 0xffff;`,
    ),
  },
  {
    name: 'lanes that are absent in one round only',
    body: rounds(
      6,
      `  xor.b32 %r1, %r15, 3;
  shl.b32 %r2, %r10, 8;
  or.b32 %r1, %r1, %r2;
  setp.ne.u32 %p1, %r1, 0x300;
  setp.eq.u32 %p2, %r1, 0x300;
  @%p1 redux.sync.add.u32 %r, %x, -1;
  @%p2 redux.sync.add.u32 %r, %r15, -1;`,
    ),
  },
  {
    name: 'arms',
    body: rounds(
      4,
      `  @%p0 bra LOW;
  shfl.sync.bfly.b32 %r, %x, 3, 0x101f, 0xffff0000;
  add.u32 %r, %r, %r15;
  bra JOIN;
LOW:
  redux.sync.max.u32 %r, %x, 0xffff;
  xor.b32 %x, %x, %r;
  vote.sync.ballot.b32 %r3, %p0, 0xffff;
  add.u32 %r, %r, %r3;
JOIN:
  shfl.sync.bfly.b32 %r1, %r, 16, 0x1f, -1;
  xor.b32 %r, %r, %r1;`,
    ),
  },
  {
    name: 'arms whose lanes meet at equal instructions',
    body: rounds(
      4,
      `  and.b32 %r1, %x, 4;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra LOW;
  redux.sync.add.u32 %r, %x, -1;
  add.u32 %r, %r, %r15;
  bra JOIN;
LOW:
  redux.sync.add.u32 %r, %r15, -1;
  st.global.u32 [%out], %r;
JOIN:
  add.u32 %r, %r, 5;`,
    ),
  },
  {
    name: 'nested arms, and one without warp instructions',
    body: rounds(
      4,
      `  and.b32 %r1, %r10, 4;
  setp.ne.u32 %p1, %r1, 0;
  @!%p0 bra JOIN;
  @%p1 bra ODD;
  redux.sync.min.u32 %r, %x, 0x0f0f;
  bra INNER;
ODD:
  redux.sync.max.u32 %r, %x, 0xf0f0;
  setp.lt.u32 %p2, %r10, 9;
  @%p2 add.u32 %r, %r, 9;
INNER:
  vote.sync.ballot.b32 %r3, %p1, 0xffff;
  add.u32 %r, %r, %r3;
JOIN:
  redux.sync.or.b32 %r4, %r, -1;
  xor.b32 %r, %r, %r4;`,
    ),
  },
  {
    name: 'branches without warp instructions, and stores',
    body: rounds(
      4,
      `  and.b32 %r1, %x, 6;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra LOW;
  mul.lo.u32 %x, %x, 3;
  st.global.u32 [%out], %x;
  bra JOIN;
LOW:
  setp.eq.u32 %p2, %r1, 4;
  @%p2 bra JOIN;
  ld.global.u32 %r2, [%out];
  add.u32 %x, %x, %r2;
JOIN:
  @%p0 redux.sync.add.u32 %r, %x, 0xffff;`,
    ),
  },
  {
    name: 'lanes that leave one by one',
    body: `${hidden}
  and.b32 %r11, %x, 7;
ROUND:
  activemask.b32 %r9;
  @%p0 redux.sync.add.u32 %r, %x, 0xffff;
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p7, %r15, 3;
  @%p7 bra ROUND;
  mov.u32 %r15, 0;
AGAIN:
  mov.b32 %r1, 1;
  shl.b32 %r1, %r1, %lane;
  redux.sync.add.u32 %r2, %x, %r1;
  add.u32 %r, %r, %r2;
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p6, %r15, %r11;
  @%p6 bra AGAIN;
  shfl.sync.bfly.b32 %r3, %r, 16, 0x1f, -1;
  add.u32 %r, %r, %r3;`,
  },
  {
    name: 'lanes that end in the loop',
    body: rounds(
      5,
      `  and.b32 %r1, %x, 15;
  setp.eq.u32 %p1, %r1, 3;
  @%p1 bra DONE;
  redux.sync.add.u32 %r2, %r15, -1;
  @%p0 redux.sync.add.u32 %r, %r2, 0xffff;`,
    ),
  },
  {
    name: 'masks in registers',
    body: rounds(
      4,
      `  sub.u32 %r1, 0xffff, %r13;
  @%p0 redux.sync.add.u32 %r, %x, %r1;
  selp.b32 %r2, 0xff, 0xff00, %p0;
  shl.b32 %r3, %r2, 16;
  setp.lt.u32 %p1, %r10, 8;
  setp.ge.u32 %p2, %r10, 24;
  selp.b32 %r4, 0xff, 0xff000000, %p1;
  or.pred %p1, %p1, %p2;
  @%p1 shfl.sync.bfly.b32 %r, %x, 1, 0x1f, %r4;`,
    ),
  },
  {
    name: 'a block that does not fill its warps',
    body: rounds(4, '  @%p0 shfl.sync.bfly.b32 %r, %x, 1, 0x1f, 0xffff;\n  redux.sync.add.u32 %r, %r, -1;'),
    block: [44, 1, 1],
  },
  {
    name: 'barriers of the block around the loop',
    body: `${hidden}
OUTER:
  bar.sync 1, 64;
  mov.u32 %r14, 0;
ROUND:
  @%p0 redux.sync.add.u32 %r, %x, 0xffff;
  add.u32 %x, %x, %r;
  add.u32 %r14, %r14, 1;
  add.u32 %r12, %r13, 3;
  setp.lt.u32 %p7, %r14, %r12;
  @%p7 bra ROUND;
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p7, %r15, 2;
  @%p7 bra OUTER;`,
  },
];

const isConverged = (launch: Launch): boolean =>
  translateLaunch(launch, planFor(32)).code.includes('reconvergence_budget');

it.each(cases.map((each) => [each.name, each] as const))('%s', async (_, { body, block }) => {
  const launch = memberLaunch(body, block);
  expect(isConverged(launch)).toBe(true);
  await checkMembers(launch, 'dispatch');
});

const shuffle = '  @%p0 shfl.sync.bfly.b32 %r, %x, 5, 0x101f, 0xffff;';
/** A loop without a warp instruction that waits until another lane has stored a word. */
const spin = (load: string) => `  mov.u32 %r15, 0;
SPIN:
  ${load}
  setp.eq.u32 %p5, %r1, 12345;
  @%p5 bra SPIN;
${rounds(3, shuffle)}`;

const others: readonly (readonly [name: string, body: string])[] = [
  ['an instruction without a membermask', rounds(3, `${shuffle}\n  activemask.b32 %r2;\n  add.u32 %r, %r, %r2;`)],
  ['a barrier of the block', rounds(3, `${shuffle}\n  bar.sync 1, 64;`)],
  ['too many instructions to duplicate', rounds(3, `${shuffle}\n${'  mad.lo.u32 %x, %x, %x, %r15;\n'.repeat(400)}`)],
  ['an inner loop', rounds(3, `${shuffle}\nIN:\n  shr.u32 %x, %x, 1;\n  setp.ne.u32 %p5, %x, 0;\n  @%p5 bra IN;`)],
];

it.each(others)('a loop is emitted once if it has %s', (_, body) => {
  const launch = memberLaunch(body);
  expect(translateLaunch(launch, planFor(32)).mode).toBe('dispatch');
  expect(isConverged(launch)).toBe(false);
});

it('loops outside a converged loop that wait for other lanes yield', () => {
  expect(isConverged(memberLaunch(spin('ld.volatile.global.u32 %r1, [%out];')))).toBe(true);
});
