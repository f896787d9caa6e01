// Uniformity of values in small programs, written as IR text, and the time that the analysis needs.
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../src/base/cpu-time.ts';
import { isaRows, mmaRowNames, warpRows } from '../../../../src/isa/index.ts';
import { analyzeUniformity } from '../../../../src/translate/analysis/uniformity.ts';
import type { Definition, Program } from '../../../../src/translate/ir/nodes.ts';
import { warpResults } from '../../../../src/translate/ir/operations.ts';
import { parseProgram } from '../../../../src/translate/ir/parse.ts';
import { warpFacts } from '../../../../src/translate/ir/warp-facts.ts';
import type { ArrayPlan } from '../../../../src/translate/memory-plan.ts';
import { effort } from '../../../effort.ts';

const array = (space: ArrayPlan['space']): ArrayPlan => ({
  hint: space,
  granule: 1,
  atomic: false,
  cells: false,
  rereads: false,
  ordered: false,
  buffered: false,
  space,
  start: 0,
  words: 32,
});
const memory = { arrays: [array('shared'), array('local')] };

function analyze(text: string, block: readonly [number, number, number] = [64, 1, 1]) {
  const { program } = parseProgram(text);
  return { ...analyzeUniformity(program, memory, block), program };
}

/** Returns the value named `hint`. */
function named({ kernel }: Program, hint: string): Definition {
  const all = kernel.blocks.flatMap(({ params, insts }): Definition[] => [
    ...params,
    ...insts.flatMap(({ results }) => results),
  ]);
  const found = all.find((value) => value.hint === `%${hint}`);
  if (found === undefined) throw new Error(`no value ${hint}`);
  return found;
}

const head = `source "k.ptx"
param param in: u64 bytes 8 align 8
param param n: u32 bytes 4 align 4

kernel k {
b0:
  %n:i32 = load.i32 param(1)[_*4]
  %tid:i32 = special.i32 "%tid.x"
  %lane:i32 = special.i32 "%laneid"
  %x:i32 = load.i32 buffer(0)[%tid*4]
  %half:i1 = icmp.ult %lane, 16
  %odd:i1 = icmp.ugt %x, 7
`;
/**
 * Ends a program with a ballot. The lanes meet there, so an earlier divergence affects the
 * analysis.
 */
const meet = `  %met:i32 = warp "vote.sync.ballot" {}, %odd, -1
  store.i32 buffer(0)[%tid*4], %v
  exit
}
`;

/** Instructions that read a flag, which another warp sets. */
const flag = '  %flag:i32 = load.i32.volatile array(0)[_*4 + 4]\n  fence.sc.cta\n';
/** A load after the flag, and a store that another warp may execute before it reads the flag. */
const handed = (loaded: string, stored: string, look = flag): string =>
  `${look}  %v:i32 = load.i32 ${loaded}[%n*4]\n  store.i32 ${stored}[%n*4], %tid\n`;

/**
 * Computes the thread's number in a grid of blocks of `size` threads, and ends with a branch on
 * `%v`.
 */
const grid = (body: string, size = 64): string =>
  `  %block:i32 = special.i32 "%ctaid.x"\n  %u:i32 = imul %block, ${size}\n  %g:i32 = iadd %u, %tid\n${body}  %c:i1 = icmp.eq %v, 0\n  branch %c, b1, b2\nb1:\n  jump b2\nb2:\n`;

const levels: readonly (readonly [name: string, body: string, level: string])[] = [
  ['a parameter', '  %v:i32 = iadd %n, 1\n', 'provable'],
  ['the number of the block', '  %v:i32 = special.i32 "%ctaid.x"\n', 'provable'],
  ['the thread', '  %v:i32 = iadd %tid, 1\n', 'divergent'],
  [
    'the warp, from the thread',
    '  %v:i32 = lshrw %tid, 5\n  %c:i1 = icmp.eq %v, 0\n  branch %c, b1, b2\nb1:\n  jump b2\nb2:\n',
    'warp',
  ],
  ['the warp', '  %v:i32 = special.i32 "%warpid"\n', 'warp'],
  [
    'a value of the block',
    '  %v:i32 = lshrw %tid, 6\n  %c:i1 = icmp.eq %v, 0\n  branch %c, b1, b2\nb1:\n  jump b2\nb2:\n',
    'block',
  ],
  ['time', '  %v:i32 = special.i32 "%clock"\n', 'divergent'],
  ['a load at a uniform address', '  %v:i32 = load.i32 buffer(0)[%n*4]\n', 'block'],
  ['a volatile load', '  %v:i32 = load.i32.volatile buffer(0)[%n*4]\n', 'divergent'],
  ['shared memory', '  %v:i32 = load.i32 array(0)[%n*4]\n', 'block'],
  ['local memory', '  %v:i32 = load.i32 array(1)[%n*4]\n', 'divergent'],
  ['shared memory that one warp hands to another', handed('array(0)', 'array(0)'), 'divergent'],
  ['shared memory that others store elsewhere', handed('array(0)', 'buffer(0)'), 'block'],
  ['shared memory that others store through any address', handed('array(0)', 'generic'), 'divergent'],
  ['a buffer that another block may write', handed('buffer(0)', 'array(0)'), 'divergent'],
  ['a buffer that the kernel only reads', handed('buffer(1)', 'buffer(0)'), 'block'],
  ['a store without a fence', handed('array(0)', 'array(0)', ''), 'block'],
  ['a store without a read of a flag', handed('array(0)', 'array(0)', '  fence.sc.cta\n'), 'block'],
  ['a store before a barrier', `${handed('array(0)', 'array(0)')}  barrier.sync 0\n`, 'divergent'],
  [
    'a store before a barrier, and a load after it',
    `${flag}  store.i32 array(0)[_*4], %tid\n  barrier.sync 0\n  %v:i32 = load.i32 array(0)[%n*4]\n`,
    'block',
  ],
  [
    'a load before a barrier in a loop, and a store after it',
    `  jump b1(0)\nb1(%i:i32):\n  %v:i32 = load.i32 array(0)[%n*4]\n  barrier.sync 0\n${flag}  store.i32 array(0)[_*4], %tid\n  %w:i32 = iadd %i, 1\n  %go:i1 = icmp.ult %w, %n\n  branch %go, b1(%w), b2\nb2:\n`,
    'divergent',
  ],
  ['memory at a generic address', '  %v:i32 = load.i32 generic[%n*1]\n', 'divergent'],
  ['a vote', '  %b:i1 = warp "vote.sync" {mode: any}, %odd, -1\n  %v:i32 = zext.i32 %b\n', 'warp'],
  [
    'a vote under a different mask in each lane',
    '  %b:i1 = warp "vote.sync" {mode: any}, %odd, %x\n  %v:i32 = zext.i32 %b\n',
    'divergent',
  ],
  ['a match', '  %v:i32 = warp "match.any.sync" {type: b32}, %x, -1\n', 'divergent'],
  ['the leader', '  %v:i32, %p:i1 = warp "elect.sync" {}, -1\n', 'warp'],
  ['being the leader', '  %d:i32, %p:i1 = warp "elect.sync" {}, -1\n  %v:i32 = zext.i32 %p\n', 'divergent'],
  ['one lane’s value', '  %v:i32, %p:i1 = warp "shfl.sync" {mode: idx}, %x, %n, 31, -1\n', 'warp'],
  [
    'a value of a lane in each segment',
    '  %v:i32, %p:i1 = warp "shfl.sync" {mode: idx}, %x, %n, 4127, -1\n',
    'divergent',
  ],
  ['neighbours’ values', '  %v:i32, %p:i1 = warp "shfl.sync" {mode: bfly}, %x, 1, 31, -1\n', 'divergent'],
  [
    'a choice by a branch of the warp',
    '  %low:i1 = icmp.ult %n, 4\n  branch %low, b1, b2\nb1:\n  jump b3(1)\nb2:\n  jump b3(2)\nb3(%v:i32):\n',
    'provable',
  ],
  [
    'a choice by a divergent branch',
    '  branch %odd, b1, b2\nb1:\n  jump b3(1)\nb2:\n  jump b3(2)\nb3(%v:i32):\n',
    'divergent',
  ],
  ['a choice by both edges of a divergent branch', '  branch %odd, b3(1), b3(2)\nb3(%v:i32):\n', 'divergent'],
  ['a choice by a divergent switch', '  switch %x, b3(1), b3(2), b3(3)\nb3(%v:i32):\n', 'divergent'],
  [
    'the same value in both arms',
    '  branch %odd, b1, b2\nb1:\n  %w:i32 = iadd %x, 1\n  store.i32 buffer(0)[%w*4], 1\n  jump b3(%n)\nb2:\n  jump b3(%n)\nb3(%v:i32):\n',
    'provable',
  ],
  [
    'a choice in an arm of some lanes, used after the arm',
    '  %low:i1 = icmp.ult %n, 4\n  branch %odd, b1, b5(7)\nb1:\n  branch %low, b2, b3\nb2:\n  jump b4(1)\nb3:\n  jump b4(2)\nb4(%w:i32):\n  jump b5(%w)\nb5(%v:i32):\n',
    'divergent',
  ],
  [
    'a choice in an arm of some lanes, used in the arm',
    '  %low:i1 = icmp.ult %n, 4\n  branch %odd, b1, b5\nb1:\n  branch %low, b2, b3\nb2:\n  jump b4(1)\nb3:\n  jump b4(2)\nb4(%v:i32):\n  store.i32 buffer(0)[%tid*4], %v\n  jump b5\nb5:\n',
    'provable',
  ],
  [
    'a loop counter',
    '  jump b1(0)\nb1(%v:i32):\n  %m:i32 = warp "vote.sync.ballot" {}, %odd, -1\n  %w:i32 = iadd %v, 1\n  %go:i1 = icmp.ult %w, %n\n  branch %go, b1(%w), b2\nb2:\n',
    'provable',
  ],
  [
    'a counter after a loop that lanes leave one by one',
    '  jump b1(0)\nb1(%i:i32):\n  %v:i32 = iadd %i, 1\n  %go:i1 = icmp.ult %v, %x\n  branch %go, b1(%v), b2\nb2:\n',
    'divergent',
  ],
  [
    'a block parameter after a loop that lanes leave one by one',
    '  jump b1(0)\nb1(%i:i32):\n  %w:i32 = iadd %i, 1\n  %go:i1 = icmp.ult %w, %x\n  branch %go, b1(%w), b2(%w)\nb2(%v:i32):\n',
    'divergent',
  ],
  [
    'a loop that lanes enter with different values',
    '  jump b1(0)\nb1(%v:i32):\n  %m:i32 = warp "vote.sync.ballot" {}, %odd, -1\n  %go:i1 = icmp.ult %v, %n\n  branch %go, b2, b5\nb2:\n  branch %odd, b3, b4\nb3:\n  %y:i32 = iadd %v, 1\n  jump b1(%y)\nb4:\n  %z:i32 = iadd %v, 2\n  jump b1(%z)\nb5:\n',
    'divergent',
  ],
  [
    'a value at two exits of a loop',
    '  jump b1(0)\nb1(%i:i32):\n  %w:i32 = iadd %i, 1\n  %a:i1 = icmp.ult %w, %n\n  branch %a, b2, b3(1)\nb2:\n  branch %odd, b1(%w), b3(2)\nb3(%v:i32):\n',
    'divergent',
  ],
  ['the warp, from the thread in the grid', grid('  %v:i32 = lshrw %g, 5\n'), 'warp'],
  ['the block, from its threads in the grid', grid('  %v:i32 = lshrw %g, 6\n'), 'block'],
  ['part of a warp, from the thread in the grid', grid('  %v:i32 = lshrw %g, 4\n'), 'divergent'],
  ['the first thread of the warp in the grid', grid('  %v:i32 = and %g, -32\n'), 'warp'],
  ['the last thread of the warp in the grid', grid('  %v:i32 = or %g, 31\n'), 'warp'],
  ['a value computed from the warp in the grid', grid('  %w:i32 = lshrw %g, 5\n  %v:i32 = imul %w, %n\n'), 'warp'],
  ['a quotient, if warps of two blocks share it', grid('  %v:i32 = lshrw %g, 5\n', 32), 'divergent'],
  ['a quotient, if another number was added', grid('  %h:i32 = iadd %g, 1\n  %v:i32 = lshrw %h, 5\n'), 'divergent'],
  ['a quotient of loaded values', grid('  %h:i32 = iadd %u, %x\n  %v:i32 = lshrw %h, 5\n'), 'divergent'],
  [
    'a quotient of a divergent multiple',
    grid('  %y:i32 = imul %x, 64\n  %h:i32 = iadd %y, %tid\n  %v:i32 = lshrw %h, 5\n'),
    'divergent',
  ],
  [
    'a quotient in a loop that starts with a divergent number',
    '  jump b1(%n)\nb1(%i:i32):\n  %u:i32 = imul %i, 64\n  %g:i32 = iadd %u, %tid\n  %v:i32 = lshrw %g, 5\n  %c:i1 = icmp.eq %v, 0\n  branch %c, b2, b3\nb2:\n  jump b3\nb3:\n  %m:i32 = warp "vote.sync.ballot" {}, %odd, -1\n  %go:i1 = icmp.ult %i, %n\n  branch %go, b1(%x), b4\nb4:\n',
    'divergent',
  ],
  [
    'a quotient in a loop',
    '  jump b1(%n)\nb1(%i:i32):\n  %u:i32 = imul %i, 64\n  %g:i32 = iadd %u, %tid\n  %v:i32 = lshrw %g, 5\n  %c:i1 = icmp.eq %v, 0\n  branch %c, b2, b3\nb2:\n  jump b3\nb3:\n  %m:i32 = warp "vote.sync.ballot" {}, %odd, -1\n  %next:i32 = iadd %i, 1\n  %go:i1 = icmp.ult %next, %n\n  branch %go, b1(%next), b4\nb4:\n',
    'warp',
  ],
  [
    'a quotient after a loop that lanes leave one by one',
    '  jump b1(0)\nb1(%i:i32):\n  %u:i32 = imul %i, 64\n  %next:i32 = iadd %i, 1\n  %go:i1 = icmp.ult %next, %x\n  branch %go, b1(%next), b2\nb2:\n  %g:i32 = iadd %u, %tid\n  %v:i32 = lshrw %g, 5\n  %c:i1 = icmp.eq %v, 0\n  branch %c, b3, b4\nb3:\n  jump b4\nb4:\n',
    'divergent',
  ],
  ['a guarded result', '  %v:i32 = load.i32 buffer(0)[%n*4] when %odd else 3\n', 'divergent'],
];

describe('uniformity', () => {
  it.each(levels)('%s', (_, body, expected) => {
    const { program, level } = analyze(head + body + meet);
    expect(level(named(program, 'v'))).toBe(expected);
  });
});

const obstacles: readonly (readonly [name: string, body: string, obstacle: string | undefined])[] = [
  ['a vote in straight code', '  %v:i32 = iadd %n, 1\n', undefined],
  [
    'a vote that only some lanes reach',
    '  branch %odd, b1, b2\nb1:\n  %m:i32 = warp "vote.sync.ballot" {}, %half, -1\n  jump b2\nb2:\n  %v:i32 = iadd %n, 1\n',
    'vote.sync.ballot under a divergent branch',
  ],
  [
    'a vote of the lanes that reach it, by lane number',
    '  branch %half, b1, b2\nb1:\n  %m:i32 = warp "vote.sync.ballot" {}, %odd, 65535\n  jump b2\nb2:\n  %v:i32 = iadd %n, 1\n',
    undefined,
  ],
  [
    'a vote of the lanes whose earlier vote was true',
    '  %yes:i32 = warp "vote.sync.ballot" {}, %odd, -1\n  branch %odd, b1, b2\nb1:\n  %m:i32 = warp "vote.sync.ballot" {}, %half, %yes\n  jump b2\nb2:\n  %v:i32 = iadd %n, 1\n',
    undefined,
  ],
  ['lanes that leave for good', '  branch %odd, b1, b2\nb1:\n  exit\nb2:\n  %v:i32 = iadd %n, 1\n', undefined],
  [
    'a barrier that a warp may not reach',
    '  %w:i32 = lshrw %tid, 5\n  %first:i1 = icmp.eq %w, 0\n  branch %first, b1, b2\nb1:\n  barrier.sync 0\n  jump b2\nb2:\n  %v:i32 = iadd %n, 1\n',
    'bar.sync under a divergent branch',
  ],
  [
    'a divergent guard',
    '  %v:i32 = warp "redux.sync" {op: add, type: u32}, %x, -1 when %odd else 3\n',
    'redux.sync under a divergent guard',
  ],
  [
    'an irreducible cycle',
    '  branch %odd, b1, b2\nb1:\n  %c:i1 = icmp.ult %n, 3\n  branch %c, b2, b3\nb2:\n  %d:i1 = icmp.ult %n, 5\n  branch %d, b1, b3\nb3:\n  %v:i32 = iadd %n, 1\n',
    'vote.sync.ballot under a divergent branch',
  ],
];

describe('obstacles to warp instructions in place', () => {
  it.each(obstacles)('%s', (_, body, expected) => {
    expect(analyze(head + body + meet).obstacle).toBe(expected);
  });
});

it('the facts about warp instructions agree with their rows', () => {
  for (const { name, types, writes, effects } of warpRows) {
    const facts = warpFacts(name);
    const operands = Object.keys(types).filter((operand) => !(writes as readonly string[]).includes(operand));
    expect(facts.membermask !== undefined, name).toBe(operands.at(-1) === 'membermask');
    expect(facts.waits, name).toBe(effects.waits);
    expect(facts.orders, name).toBe(effects.orders !== 'none');
    expect(facts.results.length, name).toBe(warpResults[name].length);
  }
  expect(isaRows.filter(({ kind }) => kind === 'warp')).toEqual(warpRows);
  for (const name of mmaRowNames) expect(warpFacts(name), name).toMatchObject({ membermask: 'last', waits: true });
});

/** Returns the least processor time, in milliseconds, to analyze a program of `size` parts. */
function time(make: (size: number) => string, size: number): number {
  const { program } = parseProgram(make(size));
  const times = [0, 1, 2].map(() => {
    const start = cpuMs();
    analyzeUniformity(program, memory, [64, 1, 1]);
    return cpuMs() - start;
  });
  return Math.min(...times);
}

const parts = (size: number, part: (index: number) => string): string =>
  `${head}  jump b10\n${Array.from({ length: size }, (_, index) => part(index)).join('')}b1${size}:\n  %v:i32 = iadd %n, 1\n${meet}`;

describe('the time is linear in the size of the program', () => {
  it.each<[string, (size: number) => string]>([
    [
      'loops',
      (size) =>
        parts(
          size,
          (i) =>
            `b1${i}:\n  jump b2${i}(0)\nb2${i}(%i${i}:i32):\n  %j${i}:i32 = iadd %i${i}, 1\n  %p${i}:i1 = icmp.ult %j${i}, %x\n  branch %p${i}, b2${i}(%j${i}), b1${i + 1}\n`,
        ),
    ],
    [
      'arms',
      (size) =>
        parts(
          size,
          (i) =>
            `b1${i}:\n  branch %odd, b3${i}(1), b4${i}\nb4${i}:\n  jump b3${i}(2)\nb3${i}(%s${i}:i32):\n  jump b1${i + 1}\n`,
        ),
    ],
    [
      'ways out',
      (size) => parts(size, (i) => `b1${i}:\n  %p${i}:i1 = icmp.eq %x, ${i}\n  branch %p${i}, b1${size}, b1${i + 1}\n`),
    ],
    [
      'ballots',
      (size) =>
        parts(
          size,
          (i) =>
            `b1${i}:\n  %m${i}:i32 = warp "vote.sync.ballot" {}, %odd, -1\n  branch %odd, b3${i}, b1${i + 1}\nb3${i}:\n  %r${i}:i32 = warp "redux.sync" {op: add, type: u32}, %x, %m${i}\n  jump b1${i + 1}\n`,
        ),
    ],
  ])('%s', (_, make) => {
    const [small, large] = [time(make, effort(250, 500)), time(make, effort(2000, 4000))];
    // The program is eight times as large, so a quadratic analysis would take 64 times as long.
    expect(large).toBeLessThan(Math.max(small, 10) * 30);
  });
});
