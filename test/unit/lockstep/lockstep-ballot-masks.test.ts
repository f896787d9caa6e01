// Warp instructions whose membermask is a ballot or an active mask. The compiler emits such an
// instruction in place if its lanes certainly meet, and otherwise dispatches it. Each case is
// compared with the reference interpreter, on subgroups of 32 and of other sizes.
import { describe, it } from 'vitest';
import { checkMembers, type MemberCase, memberLaunch, threeRounds } from '../../lockstep/member-kernels.ts';

const lower = 'setp.lt.u32 %p0, %lane, 16;';
const odd = 'and.b32 %r1, %x, 1;\n  setp.ne.u32 %p0, %r1, 0;';

const ballots: readonly MemberCase[] = [
  {
    name: 'a guard with an earlier ballot',
    mode: 'structured',
    body: `  ${odd}
  vote.sync.ballot.b32 %r2, %p0, -1;
  @%p0 redux.sync.add.u32 %r, %x, %r2;`,
  },
  {
    name: 'a branch with an earlier ballot, and the negated ballot',
    mode: 'structured',
    body: `  ${odd}
  vote.sync.ballot.b32 %r2, %p0, -1;
  not.b32 %r3, %r2;
  not.pred %p1, %p0;
  @%p1 bra EVEN;
  match.any.sync.b32 %r, %x, %r2;
  bra DONE;
EVEN:
  redux.sync.max.u32 %r, %x, %r3;`,
  },
  {
    name: 'the opposite comparison',
    mode: 'structured',
    body: `  and.b32 %r1, %x, 15;
  setp.gt.s32 %p0, %r1, 6;
  vote.sync.ballot.b32 %r2, %p0, -1;
  setp.lt.s32 %p1, %r1, 7;
  @%p1 bra DONE;
  redux.sync.max.u32 %r, %x, %r2;`,
  },
  {
    name: 'another comparison',
    mode: 'dispatch',
    body: `  and.b32 %r1, %x, 15;
  setp.gt.s32 %p0, %r1, 6;
  vote.sync.ballot.b32 %r2, %p0, -1;
  setp.lt.s32 %p1, %r1, 6;
  @%p1 bra JOIN;
  setp.eq.s32 %p2, %r1, 6;
  @%p2 bra JOIN;
  redux.sync.max.u32 %r, %x, %r2;
JOIN:
  vote.sync.ballot.b32 %r3, %p0, -1;`,
  },
  {
    name: 'nested votes',
    mode: 'structured',
    body: `  ${odd}
  vote.sync.ballot.b32 %r2, %p0, -1;
  and.b32 %r3, %x, 2;
  setp.ne.u32 %p1, %r3, 0;
  @!%p0 bra DONE;
  vote.sync.ballot.b32 %r4, %p1, %r2;
  not.b32 %r5, %r4;
  and.b32 %r5, %r5, %r2;
  @%p1 bra TWO;
  redux.sync.add.u32 %r, %x, %r5;
  bra INNER;
TWO:
  redux.sync.min.u32 %r, %x, %r4;
INNER:
  redux.sync.or.b32 %r6, %r, %r2;
  xor.b32 %r, %r, %r6;`,
  },
  {
    name: 'the negation of a ballot without all lanes',
    mode: 'dispatch',
    body: `  ${lower}
  vote.sync.ballot.b32 %r2, %p0, -1;
  and.b32 %r3, %x, 2;
  setp.ne.u32 %p1, %r3, 0;
  @!%p0 bra JOIN;
  vote.sync.ballot.b32 %r4, %p1, 0xffff;
  not.b32 %r5, %r4;
  and.b32 %r5, %r5, %r2;
  @%p1 bra JOIN;
  redux.sync.add.u32 %r, %x, %r5;
JOIN:
  redux.sync.or.b32 %r6, %r, -1;
  xor.b32 %r, %r, %r6;`,
  },
  {
    name: 'a vote in each round of a loop',
    mode: 'structured',
    body: threeRounds(`  ${odd}
  vote.sync.ballot.b32 %r2, %p0, -1;
  @!%p0 bra NEXT;
  shfl.sync.idx.b32 %r3, %x, %lane, 0x1f, %r2;
  redux.sync.add.u32 %r, %r3, %r2;
NEXT:`),
  },
  {
    name: 'a vote whose predicate is overwritten before its use',
    mode: 'dispatch',
    body: `  ${odd}
  vote.sync.ballot.b32 %r2, %p0, -1;
  mul.lo.u32 %r4, %x, %x;
  and.b32 %r4, %r4, 3;
  @%p0 setp.ne.u32 %p0, %r4, 2;
  @%p0 redux.sync.add.u32 %r, %x, %r2;`,
  },
  {
    name: 'a mask from the previous round',
    mode: 'dispatch',
    body: `  mov.b32 %r2, -1;
  mov.u32 %r15, 0;
ROUND:
  shr.u32 %r3, %x, %r15;
  and.b32 %r3, %r3, 3;
  setp.ne.u32 %p0, %r3, 0;
  vote.sync.ballot.b32 %r2, %p0, %r2;
  @!%p0 bra JOIN;
  redux.sync.add.u32 %r, %x, %r2;
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p7, %r15, 3;
  @%p7 bra ROUND;
JOIN:
  redux.sync.or.b32 %r6, %r, -1;
  xor.b32 %r, %r, %r6;`,
  },
  {
    name: 'lanes that end after the vote',
    mode: 'structured',
    body: `  ${odd}
  vote.sync.ballot.b32 %r2, %p0, -1;
  and.b32 %r3, %x, 6;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra DONE;
  @%p0 redux.sync.add.u32 %r, %x, %r2;`,
  },
];

describe('masks from ballots', () => {
  it.each(ballots.map((each) => [each.name, each] as const))('%s', async (_, { mode, body, block }) => {
    await checkMembers(memberLaunch(body, block), mode);
    await checkMembers(memberLaunch(body, [45, 1, 1]), mode);
  });
});

const present: readonly MemberCase[] = [
  {
    name: 'in both arms of a branch',
    mode: 'structured',
    body: `  ${odd}
  @%p0 bra ODD;
  activemask.b32 %r2;
  redux.sync.add.u32 %r, %x, %r2;
  bra DONE;
ODD:
  activemask.b32 %r2;
  match.any.sync.b32 %r, %x, %r2;`,
  },
  {
    name: 'in a loop that lanes leave',
    mode: 'structured',
    body: `  and.b32 %r1, %x, 3;
  mov.u32 %r15, 0;
  mov.u32 %r, 0;
ROUND:
  activemask.b32 %r2;
  redux.sync.add.u32 %r3, %x, %r2;
  add.u32 %r, %r, %r3;
  add.u32 %r15, %r15, 1;
  setp.le.u32 %p1, %r15, %r1;
  @%p1 bra ROUND;`,
  },
  {
    name: 'in a loop in which some lanes skip it',
    mode: 'dispatch',
    body: `  and.b32 %r1, %x, 3;
  mov.u32 %r15, 0;
ROUND:
  setp.eq.u32 %p0, %r1, %r15;
  @!%p0 bra NEXT;
  activemask.b32 %r2;
  redux.sync.add.u32 %r, %x, %r2;
NEXT:
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p1, %r15, 4;
  @%p1 bra ROUND;`,
  },
  {
    name: 'before lanes diverge again',
    mode: 'dispatch',
    body: `  ${odd}
  @!%p0 bra DONE;
  activemask.b32 %r2;
  and.b32 %r3, %x, 2;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra TWO;
  redux.sync.add.u32 %r, %x, %r2;
  bra DONE;
TWO:
  add.u32 %x, %x, 1;
  redux.sync.add.u32 %r, %x, %r2;`,
  },
];

describe('masks from activemask', () => {
  it.each(present.map((each) => [each.name, each] as const))('%s', async (_, { mode, body, block }) => {
    await checkMembers(memberLaunch(body, block), mode);
    await checkMembers(memberLaunch(body, [45, 1, 1]), mode);
  });
});
