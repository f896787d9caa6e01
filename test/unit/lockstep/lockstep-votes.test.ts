// Selections by votes against the reference interpreter, on subgroups of 32 and of other sizes. If
// the subgroup is the warp, selections by votes of all lanes become arithmetic.
import { describe, expect, it } from 'vitest';
import type { Dim3 } from '../../../src/base/launch.ts';
import { planFor } from '../../../src/translate/index.ts';
import { inTurn } from '../../effort.ts';
import { translateLaunch } from '../../lockstep/lockstep-executor.ts';
import { checkMembers, memberLaunch } from '../../lockstep/member-kernels.ts';

/**
 * Lanes whose predicate is true: all, none, one at either end, all but one, halves, lane 16, every
 * other lane.
 */
const ballots = [0xffff_ffff, 0, 1, 0x8000_0000, 0xffff_fffe, 0x7fff_ffff, 0xffff, 0xffff_0000, 0x1_0000, 0x5555_5555];

/** The selected values, for a true and a false vote. */
const choices = ['1, 0', '0, 1', '7, 3', '3, 7', '-1, 0', '0x80000000, 0x7fffffff', '%x, %lane', '0, %x', '%x, 0'];

interface Voters {
  readonly who: string;
  readonly mask: string;
  readonly before?: string;
  readonly block?: Dim3;
}

const voters: readonly Voters[] = [
  { who: 'all lanes', mask: '-1' },
  { who: 'all lanes of a partial warp', mask: '-1', block: [48, 1, 1] },
  {
    who: 'some lanes, after the others have exited',
    mask: '0x00ff00ff',
    before: 'and.b32 %r3, %lane, 8;\n  setp.ne.u32 %p2, %r3, 0;\n  @%p2 bra DONE;',
  },
  {
    who: 'each half',
    mask: '%r4',
    before: 'setp.lt.u32 %p2, %lane, 16;\n  selp.b32 %r4, 0xffff, 0xffff0000, %p2;',
  },
];

/**
 * Returns a vote on each ballot, followed by a selection by its result. The selections use the
 * choices in turn, beginning with choice `first`.
 */
const rounds = (mode: string, mask: string, first: number): string =>
  ballots
    .map(
      (ballot, index) => `  shr.u32 %r1, ${ballot}, %lane;
  and.b32 %r1, %r1, 1;
  setp.ne.u32 %p0, %r1, 0;
  vote.sync.${mode}.pred %p1, %p0, ${mask};
  selp.b32 %r2, ${choices[(first + index) % choices.length]}, %p1;
  mad.lo.u32 %r, %r, 31, %r2;`,
    )
    .join('\n');

/** The first choices. A short run uses one for each vote, in turn. */
const nextFirst = inTurn([0, 4], 1);

describe.each(['any', 'all', 'uni'])('selections by a vote of %s', (mode) => {
  it.each(voters)('by $who', async ({ mask, before = '', block }) => {
    for (const first of nextFirst()) {
      const body = `  setp.lt.u32 %p0, %me, 40;
  vote.sync.${mode}.pred %p1, %p0, -1;
  selp.b32 %r, 1, 2, %p1;
  ${before}\n${rounds(mode, mask, first)}`;
      const launch = memberLaunch(body, block);
      expect(translateLaunch(launch, planFor(32)).code).toMatch(/min\(voters/);
      await checkMembers(launch, 'structured');
    }
  });

  it('under a guard, with an earlier value of the predicate', async () => {
    const body = `  and.b32 %r3, %x, 1;
  setp.ne.u32 %p2, %r3, 0;
  vote.sync.ballot.b32 %r4, %p2, -1;
  setp.gt.u32 %p1, %lane, 9;
  setp.lt.u32 %p0, %lane, 20;
  vote.sync.${mode}.pred %p3, %p0, -1;
  selp.b32 %r5, 1, 2, %p3;
  @%p2 vote.sync.${mode}.pred %p1, %p0, %r4;
  selp.b32 %r, %r5, 8, %p1;`;
    const launch = memberLaunch(body);
    expect(translateLaunch(launch, planFor(32)).code).toMatch(/min\(/);
    await checkMembers(launch, 'structured');
  });

  it('that lanes reach from both arms, with a branch on it in one', async () => {
    const body = `  and.b32 %r3, %x, 2;
  setp.ne.u32 %p2, %r3, 0;
  setp.lt.u32 %p0, %lane, 20;
  @%p2 bra ARM;
  vote.sync.${mode}.pred %p1, %p0, -1;
  selp.b32 %r, 5, %x, %p1;
  bra DONE;
ARM:
  setp.lt.u32 %p3, %lane, 32;
  vote.sync.${mode}.pred %p1, %p3, -1;
  mov.u32 %r, 3;
  @%p1 bra DONE;
  mov.u32 %r, 4;`;
    const launch = memberLaunch(body);
    expect(translateLaunch(launch, planFor(32)).code).toMatch(/min\(/);
    await checkMembers(launch, 'dispatch');
  });
});
