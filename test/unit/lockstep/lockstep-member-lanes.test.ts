// Warp instructions that only the lanes in their membermask reach. The compiler emits such an
// instruction in place if this is certain, and otherwise dispatches it. Each case is compared with
// the reference interpreter, on subgroups of 32 and of other sizes.
import { describe, it } from 'vitest';
import type { Dim3, Launch } from '../../../src/base/launch.ts';
import { inTurn } from '../../effort.ts';
import { checkMembers, type MemberCase, memberLaunch, threeRounds } from '../../lockstep/member-kernels.ts';

/** Every kind of result, as `%r`, under `@GUARD` and the mask `MASK`. */
const operations: readonly (readonly [name: string, line: string])[] = [
  ['shfl.bfly', '@GUARD shfl.sync.bfly.b32 %r, %x, 5, 0x101f, MASK;'],
  ['shfl.up', '@GUARD shfl.sync.up.b32 %r|%p6, %x, 3, 0x1800, MASK;\n  @%p6 add.u32 %r, %r, 1;'],
  ['shfl.down', '@GUARD shfl.sync.down.b32 %r, %x, 2, 0x181f, MASK;'],
  ['shfl.idx', '@GUARD shfl.sync.idx.b32 %r, %x, 6, 0x181f, MASK;'],
  ['shfl.bfly by a register', 'and.b32 %r14, %x, 4;\n  @GUARD shfl.sync.bfly.b32 %r, %x, %r14, 0x181f, MASK;'],
  ['vote.any', '@GUARD vote.sync.any.pred %p6, %p5, MASK;\n  selp.u32 %r, 1, 2, %p6;'],
  ['vote.all', '@GUARD vote.sync.all.pred %p6, %p5, MASK;\n  selp.u32 %r, 1, 2, %p6;'],
  ['vote.uni', '@GUARD vote.sync.uni.pred %p6, %p5, MASK;\n  selp.u32 %r, 1, 2, %p6;'],
  ['vote.ballot', '@GUARD vote.sync.ballot.b32 %r, %p5, MASK;'],
  ['match.any', 'and.b32 %r14, %x, 3;\n  @GUARD match.any.sync.b32 %r, %r14, MASK;'],
  ['match.all', 'shr.u32 %r14, %me, 6;\n  @GUARD match.all.sync.b32 %r|%p6, %r14, MASK;\n  @%p6 add.u32 %r, %r, 1;'],
  ['redux.add', '@GUARD redux.sync.add.u32 %r, %x, MASK;'],
  ['redux.min', '@GUARD redux.sync.min.s32 %r, %x, MASK;'],
  ['redux.and', '@GUARD redux.sync.and.b32 %r, %x, MASK;'],
  ['elect', '@GUARD elect.sync %r|%p6, MASK;\n  @%p6 add.u32 %r, %r, 100;'],
];
const needsSm90 = (body: string) => body.includes('elect');
const targeted = (launch: Launch): Launch => ({ ...launch, ptx: launch.ptx.replace('sm_80', 'sm_90') });

/**
 * Predicates on the lane, as `%p0`, and the lanes that they select. Each row of 8 lanes is selected
 * as a whole or not at all.
 */
const sets: readonly (readonly [name: string, guard: string, setUp: string, mask: string])[] = [
  ['the lower half', '%p0', 'setp.lt.u32 %p0, %lane, 16;', '0x0000ffff'],
  ['all but the lower half', '!%p0', 'setp.lt.u32 %p0, %lane, 16;', '0xffff0000'],
  ['every other row', '%p0', 'and.b32 %r13, %lane, 8;\n  setp.ne.u32 %p0, %r13, 0;', '0xff00ff00'],
];

/** A short run uses one of the sets for each operation. */
const nextOperations = inTurn(operations, 5);
describe('under a guard that selects', () => {
  for (const [set, guard, setUp, mask] of sets) {
    it.each(nextOperations())(`${set}: %s`, async (_, line) => {
      const text = line.replaceAll('GUARD', guard).replaceAll('MASK', mask);
      const body = `  ${setUp}
  setp.eq.u32 %p6, %lane, 99;
${threeRounds(`  and.b32 %r12, %x, 4;\n  setp.ne.u32 %p5, %r12, 0;\n  ${text}`)}`;
      const launch = memberLaunch(body);
      await checkMembers(needsSm90(line) ? targeted(launch) : launch, 'structured');
    });
  }
});

const lower = 'setp.lt.u32 %p0, %lane, 16;';
const guarded = `  ${lower}
  @%p0 redux.sync.add.u32 %r, %x, 0xffff;
  @!%p0 redux.sync.max.u32 %r, %x, 0xffff0000;`;

const shapes: readonly Dim3[] = [
  [20, 1, 1],
  [45, 1, 1],
  [8, 8, 1],
  [5, 7, 1],
  [16, 3, 1],
  [5, 3, 3],
  [48, 2, 1],
];

const nextShapes = inTurn(shapes, 2);
describe('blocks of', () => {
  it.each(nextShapes())('%i x %i x %i threads: guards by the lane', async (...block) => {
    await checkMembers(memberLaunch(threeRounds(guarded), block), 'structured');
  });

  it.each(nextShapes())('%i x %i x %i threads: lanes that have exited', async (...block) => {
    const body = `  and.b32 %r1, %x, 3;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
${threeRounds(guarded)}`;
    await checkMembers(memberLaunch(body, block), 'structured');
  });
});

const cases: readonly MemberCase[] = [
  {
    name: 'a column of the block with the same lanes in every warp',
    mode: 'structured',
    body: '  setp.lt.u32 %p0, %tx, 3;\n  @%p0 vote.sync.ballot.b32 %r, %p0, 0x07070707;',
    block: [8, 8, 1],
  },
  {
    name: 'a column of the block with different lanes in each warp',
    mode: 'structured',
    body: `  setp.lt.u32 %p0, %tx, 16;
  shr.u32 %r1, %me, 5;
  setp.eq.u32 %p1, %r1, 1;
  selp.b32 %r2, 0xffff0000, 0xffff, %p1;
  @%p0 redux.sync.add.u32 %r, %x, %r2;`,
    block: [48, 2, 1],
  },
  {
    name: 'x modulo 32, which is not the lane',
    mode: 'dispatch',
    body: `  and.b32 %r1, %tx, 31;
  setp.lt.u32 %p0, %r1, 16;
  mov.b32 %r2, 0xffff;
  shr.u32 %r3, %me, 5;
  setp.eq.u32 %p1, %r3, 1;
  @%p1 mov.b32 %r2, -1;
  setp.eq.u32 %p1, %r3, 2;
  @%p1 mov.b32 %r2, 0xffff0000;
  @%p0 redux.sync.add.u32 %r, %x, %r2;`,
    block: [48, 2, 1],
  },
  {
    name: 'both arms of a branch',
    mode: 'structured',
    body: `  ${lower}
  @%p0 bra LOW;
  shfl.sync.idx.b32 %r, %x, 17, 0x1f, 0xffff0000;
  redux.sync.add.u32 %r1, %r, 0xffff0000;
  xor.b32 %r, %r, %r1;
  bra JOIN;
LOW:
  vote.sync.any.pred %p1, %p0, 0xffff;
  match.any.sync.b32 %r, %x, 0xffff;
  @%p1 add.u32 %r, %r, 3;
JOIN:
  shfl.sync.bfly.b32 %r, %r, 16, 0x1f, -1;`,
  },
  {
    name: 'nested branches',
    mode: 'structured',
    body: `  ${lower}
  and.b32 %r1, %lane, 4;
  setp.ne.u32 %p1, %r1, 0;
  @!%p0 bra HIGH;
  redux.sync.add.u32 %r2, %x, 0xffff;
  @%p1 bra ODD;
  redux.sync.min.u32 %r, %x, 0x0f0f;
  bra INNER;
ODD:
  redux.sync.max.u32 %r, %x, 0xf0f0;
INNER:
  vote.sync.ballot.b32 %r3, %p1, 0xffff;
  add.u32 %r, %r, %r2;
  add.u32 %r, %r, %r3;
  bra JOIN;
HIGH:
  @%p1 redux.sync.xor.b32 %r, %x, 0xf0f00000;
JOIN:
  redux.sync.or.b32 %r4, %r, -1;
  xor.b32 %r, %r, %r4;`,
  },
  {
    name: 'a loop in an arm',
    mode: 'structured',
    body: `  ${lower}
  mov.u32 %r1, 0;
  @!%p0 bra JOIN;
AGAIN:
  shfl.sync.bfly.b32 %r2, %x, 1, 0x1f, 0xffff;
  add.u32 %x, %x, %r2;
  redux.sync.max.u32 %r3, %x, 0xffff;
  add.u32 %r1, %r1, 1;
  and.b32 %r3, %r3, 3;
  setp.lt.u32 %p1, %r1, %r3;
  @%p1 bra AGAIN;
  mov.u32 %r, %x;
JOIN:
  vote.sync.ballot.b32 %r4, %p0, -1;
  xor.b32 %r, %r, %r4;`,
  },
  {
    name: 'a loop that half of the lanes leave',
    mode: 'structured',
    body: `  ${lower}
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
AGAIN:
  @!%p0 shfl.sync.bfly.b32 %r2, %x, 3, 0x101f, 0xffff0000;
  add.u32 %x, %x, %r2;
  add.u32 %r1, %r1, 1;
  @%p0 bra OUT;
  setp.lt.u32 %p1, %r1, 4;
  @%p1 bra AGAIN;
OUT:
  redux.sync.add.u32 %r, %x, -1;`,
  },
  {
    name: 'an arm that ends its lanes',
    mode: 'structured',
    body: `  ${lower}
  @!%p0 bra ON;
  redux.sync.add.u32 %r, %x, 0xffff;
  st.global.u32 [%out], %r;
  exit;
ON:
  redux.sync.min.u32 %r, %x, 0xffff0000;`,
  },
  {
    name: 'lanes that branch by their own reduction',
    mode: 'structured',
    body: `  ${lower}
  selp.b32 %r1, 0xffff, 0xffff0000, %p0;
  redux.sync.max.u32 %r2, %x, %r1;
  and.b32 %r2, %r2, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra ODD;
  redux.sync.add.u32 %r, %x, %r1;
  bra JOIN;
ODD:
  redux.sync.xor.b32 %r, %x, %r1;
JOIN:
  vote.sync.ballot.b32 %r3, %p1, -1;
  xor.b32 %r, %r, %r3;`,
  },
  {
    name: 'halves with different trip counts',
    mode: 'structured',
    body: `  ${lower}
  selp.b32 %r1, 0xffff, 0xffff0000, %p0;
  shr.u32 %x, %x, 8;
AGAIN:
  shr.u32 %x, %x, 1;
  setp.gt.u32 %p1, %lane, 15;
  @%p1 shr.u32 %x, %x, 2;
  redux.sync.max.u32 %r2, %x, %r1;
  add.u32 %r, %r, %r2;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra AGAIN;
  redux.sync.or.b32 %r4, %r, -1;
  xor.b32 %r, %r, %r4;`,
  },
  {
    name: 'halves of which one arrives in later rounds',
    mode: 'structured',
    body: `  ${lower}
  selp.b32 %r1, 0, 2, %p0;
  mov.u32 %r15, 0;
AGAIN:
  add.u32 %r15, %r15, 1;
  setp.le.u32 %p1, %r15, %r1;
  @%p1 bra AGAIN;
  @%p0 redux.sync.max.u32 %r, %x, 0xffff;
  @!%p0 redux.sync.add.u32 %r, %x, 0xffff0000;
  add.u32 %x, %x, %r;
  setp.lt.u32 %p2, %r15, 5;
  @%p2 bra AGAIN;
  redux.sync.or.b32 %r4, %r, -1;
  xor.b32 %r, %r, %r4;`,
  },
  {
    name: 'a mask for each lane',
    mode: 'structured',
    body: `  ${lower}
  mov.u32 %r1, %lanemask_eq;
  @%p0 redux.sync.add.u32 %r, %x, %r1;`,
  },
  {
    name: 'a branch that half of the lanes of some warps take',
    mode: 'structured',
    body: `  ${lower}
  setp.lt.and.u32 %p1, %me, 32, %p0;
  @%p1 vote.sync.ballot.b32 %r, %p0, 0xffff;`,
  },
  {
    name: 'a guard that is one of two predicates',
    mode: 'dispatch',
    body: `  ${lower}
  setp.lt.u32 %p1, %lane, 8;
  and.b32 %r1, %me, 32;
  setp.ne.u32 %p2, %r1, 0;
  mov.b32 %r2, 0xff;
  @%p2 mov.b32 %r2, 0xffff;
  @%p2 setp.lt.u32 %p1, %lane, 16;
  @%p1 redux.sync.add.u32 %r, %x, %r2;`,
  },
  {
    name: 'lanes outside a mask that meet at an instruction of another arm',
    mode: 'dispatch',
    body: `  ${lower}
  @%p0 bra LOW;
  redux.sync.add.u32 %r, %x, -1;
  bra DONE;
LOW:
  add.u32 %x, %x, 1;
  redux.sync.add.u32 %r, %x, -1;`,
  },
];

describe('lanes by number', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', async (_, { mode, body, block }) => {
    await checkMembers(memberLaunch(body, block), mode);
  });
});
