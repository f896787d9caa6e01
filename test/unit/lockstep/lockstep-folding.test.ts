// Folding of warp instructions with known operands on native subgroups: the builtin remains,
// without arithmetic around it.
import { describe, expect, it } from 'vitest';
import { planFor } from '../../../src/translate/index.ts';
import { smallKernel, statementsOf, wgslOf } from '../../lockstep/small-kernel.ts';

/** Returns the statements of the body: those between the load of `%r0` and the store. */
function folded(body: string, size = 32): string[] {
  const statements = statementsOf(wgslOf(smallKernel(body), { block: [size, 1, 1], plan: planFor(size) }));
  const load = statements.findIndex((line) => line.startsWith('let r0 = '));
  return statements.slice(load + 1, -1);
}

describe('shuffles with known operands', () => {
  it.each([
    ['bfly', 'shfl.sync.bfly.b32 %r1, %r0, 1, 0x1f, -1;', ['let r1 = subgroupShuffle(r0, lane_bfly_1);']],
    [
      'bfly with an unused predicate',
      'shfl.sync.bfly.b32 %r1|%p1, %r0, 1, 0x1f, -1;',
      ['let r1 = subgroupShuffle(r0, lane_bfly_1);'],
    ],
    [
      'bfly in segments of eight',
      'shfl.sync.bfly.b32 %r1, %r0, 4, 0x181f, -1;',
      ['let r1 = subgroupShuffle(r0, lane_bfly_4);'],
    ],
    [
      'bfly with operands in registers, as nvcc writes it',
      `mov.u32 %r2, 31; mov.u32 %r3, -1; mov.b32 %r4, %r3; mov.u32 %r5, 16;
       shfl.sync.bfly.b32 %r1|%p1, %r0, %r5, %r2, %r4;`,
      ['let r1 = subgroupShuffle(r0, lane_bfly_16);'],
    ],
    ['up', 'shfl.sync.up.b32 %r1, %r0, 1, 0, -1;', ['let r1 = subgroupShuffle(r0, lane_up_1);']],
    [
      'down',
      'mov.u32 %r2, 2; shfl.sync.down.b32 %r1|%p1, %r0, %r2, 0x1f, -1;',
      ['let r1 = subgroupShuffle(r0, lane_down_2);'],
    ],
    ['idx', 'shfl.sync.idx.b32 %r1, %r0, 0, 0x1f, -1;', ['let r1 = subgroupShuffle(r0, 0u);']],
    [
      'unused bits in b',
      'shfl.sync.bfly.b32 %r1, %r0, 0xffffffe1, 0x1f, -1;',
      ['let r1 = subgroupShuffle(r0, lane_bfly_1);'],
    ],
  ])('%s', (_, body, expected) => {
    expect(folded(body)).toEqual(expected);
  });

  it('a lane that is its own source', () => {
    const code = wgslOf(smallKernel('shfl.sync.bfly.b32 %r1, %r0, 0, 0x1f, -1;'));
    expect(code).not.toContain('subgroupShuffle');
  });

  it('bfly on wide subgroups', () => {
    expect(folded('shfl.sync.bfly.b32 %r1, %r0, 8, 0x1f, -1;', 64)).toEqual(['let r1 = subgroupShuffleXor(r0, 8u);']);
  });
});

describe('with the full mask', () => {
  it.each([
    ['a ballot', 'setp.ne.s32 %p1, %r0, 0; vote.sync.ballot.b32 %r1, %p1, -1;'],
    ['any', 'setp.ne.s32 %p1, %r0, 0; vote.sync.any.pred %p2, %p1, -1; selp.b32 %r1, 1, 2, %p2;'],
    ['all', 'setp.ne.s32 %p1, %r0, 0; vote.sync.all.pred %p2, %p1, 0xffffffff; selp.b32 %r1, 1, 2, %p2;'],
    ['redux', 'mov.b32 %r3, -1; redux.sync.add.s32 %r1, %r0, %r3;'],
  ])('%s needs no mask arithmetic', (_, body) => {
    const text = folded(body).join('\n');
    expect(text).not.toMatch(/0xffffffffu|\blive\b|exec|membermask| & /);
  });

  it('activemask is a constant, in a variable', () => {
    expect(folded('activemask.b32 %r1; xor.b32 %r1, %r1, %r0;')).toEqual([
      'var r1 = 0xffffffffu;',
      'let r1_1 = r1 ^ r0;',
    ]);
  });
});

describe('under a guard that selects the lanes of the mask', () => {
  const low = 'mov.u32 %r1, 0; and.b32 %r2, %r15, 31; setp.lt.u32 %p1, %r2, 16; setp.gt.s32 %p2, %r0, 9;';
  const inLow = (value: string) => [`let r1 = select(0u, ${value}, p1);`];

  it.each([
    [
      'bfly in halves is one builtin',
      '@%p1 shfl.sync.bfly.b32 %r1, %r0, 5, 0x101f, 0xffff;',
      ['let value = subgroupShuffle(r0, lane_bfly_5);', ...inLow('value')],
    ],
    [
      'a ballot clears the other bits',
      '@%p1 vote.sync.ballot.b32 %r1, %p2, 0xffff;',
      ['let yes = subgroupBallot(p2).x;', 'let ballot = yes & 0xffffu;', ...inLow('ballot')],
    ],
    [
      'the other lanes add the neutral element',
      '@%p1 redux.sync.add.s32 %r1, %r0, 0xffff;',
      ['let part = select(0u, r0, lane < 16u);', 'let total = subgroupAdd(part);', ...inLow('total')],
    ],
    [
      'match.any compares members only',
      '@%p1 match.any.sync.b32 %r1, %r0, 0xffff;',
      ['let same_2 = warp_match_any(r0, p1, 0xffffu);', ...inLow('same_2')],
    ],
    [
      'match.all compares with a known lane',
      '@%p1 match.all.sync.b32 %r1, %r0, 0xffff;',
      [
        'let first = subgroupShuffle(r0, 0u);',
        'let differs = r0 != first;',
        'let different = subgroupBallot(differs).x;',
        'let agreed = (different & 0xffffu) == 0u;',
        'let matched = select(0u, 0xffffu, agreed);',
        ...inLow('matched'),
      ],
    ],
  ])('%s', (_, body, expected) => {
    const statements = folded(`${low}\n${body}`);
    expect(
      statements.slice(statements.findIndex((line) => /^let (value|yes|part|first|same\w*)\b/.test(line))),
    ).toEqual(expected);
  });

  it('lanes that have exited are excluded', () => {
    const ended = 'setp.eq.s32 %p3, %r0, 0;\n@%p3 ret;';
    const code = folded(`${low}\n${ended}\n@%p1 vote.sync.ballot.b32 %r1, %p2, 0xffff;`).join('\n');
    expect(code).toContain('subgroupBallot(live && p2).x');
  });

  it('lanes of the other arm of a branch are not required', () => {
    const code = folded(`${low}
      @!%p1 bra OUT;
      vote.sync.ballot.b32 %r1, %p2, 0xffff;
    OUT:
      redux.sync.add.s32 %r1, %r1, -1;`).join('\n');
    expect(code).toContain('subgroupBallot(p2).x');
    expect(code).toContain('subgroupAdd(r1)');
  });
});

describe('the variable `live`', () => {
  const sum = 'redux.sync.add.s32 %r1, %r0, -1;';

  it.each([
    [32, 32],
    [64, 32],
    [64, 64],
    [256, 128],
  ])('a full block of %i threads on subgroups of %i needs no `live`', (threads, size) => {
    expect(wgslOf(smallKernel(sum), { block: [threads, 1, 1], plan: planFor(size) })).not.toContain('live');
  });

  it.each([
    [40, 32],
    [32, 64],
    [96, 128],
  ])('a block of %i threads on subgroups of %i needs `live`', (threads, size) => {
    const code = wgslOf(smallKernel(sum), { block: [threads, 1, 1], plan: planFor(size) });
    expect(code).toContain(`live = tid < ${threads}u;`);
  });

  it('lanes that exit early need `live`', () => {
    const code = wgslOf(smallKernel(`setp.gt.s32 %p1, %r0, 5;\n@%p1 ret;\n${sum}`));
    expect(code).toContain('live = live && !p1;');
  });
});

describe('an unused result', () => {
  it('costs nothing', () => {
    const body =
      'add.s32 %r2, %r0, 1; setp.lt.s32 %p1, %r2, 7; mov.u32 %r3, %laneid; shfl.sync.idx.b32 %r1|%p2, %r0, 3, 0x1f, -1;';
    expect(folded(body)).toEqual(['let r1 = subgroupShuffle(r0, 3u);']);
  });
});

describe('the code after a loop of warp instructions', () => {
  const loop = (tail: string) => `ld.global.u32 %r5, [%rd0];
LOOP:
  redux.sync.add.s32 %r1, %r0, -1;
  add.s32 %r0, %r0, %r1;
  sub.u32 %r5, %r5, 1;
  setp.ne.u32 %p1, %r5, 0;
  @%p1 bra LOOP;
${tail}`;

  it('moves before the break', () => {
    const code = statementsOf(wgslOf(smallKernel(loop('xor.b32 %r1, %r0, 5;'))));
    const at = code.findIndex((line) => line.startsWith('loop'));
    expect(code.slice(at + 1).filter((line) => !line.startsWith('let'))).toEqual([
      'r0 = r0 + r1;',
      'r5 = r5 - 1u;',
      'if (!p1) {',
      'data[tid] = r1_1;',
      '}',
      'if (!p1) { break; }',
      '}',
    ]);
  });

  it('stays if it has a warp instruction, or some lanes leave early', () => {
    const own = statementsOf(wgslOf(smallKernel(loop('vote.sync.ballot.b32 %r1, %p1, -1;'))));
    expect(own[own.length - 1]).toMatch(/^data\[/);
    const early = wgslOf(smallKernel(`setp.gt.s32 %p2, %r0, 5;\n@%p2 ret;\n${loop('xor.b32 %r1, %r0, 5;')}`));
    expect(early).toContain('live = live && !p2;');
  });
});
