// Ranges of values: a result that the reference computes from values in the operands' ranges is in
// the result's range.
import { describe, expect, it, test } from 'vitest';
import { laneFunctions } from '../../../../src/cpu-ref/index.ts';
import type { Instruction } from '../../../../src/ptx/ast.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { allBitsOf } from '../../../../src/translate/analysis/range.ts';
import { anyWord, findRanges, type Range } from '../../../../src/translate/analysis/ranges.ts';
import { buildProgram } from '../../../../src/translate/build/index.ts';
import { Builder } from '../../../../src/translate/ir/builder.ts';
import type { Func, Value } from '../../../../src/translate/ir/nodes.ts';
import { parseProgram } from '../../../../src/translate/ir/parse.ts';
import { cleanUp } from '../../../../src/translate/passes/clean-up.ts';
import { generator } from '../../../lockstep/random-instructions.ts';
import { smallKernel } from '../../../lockstep/small-kernel.ts';

/**
 * Parses a small kernel in IR. Returns it, the instruction before its store, and the stored value.
 */
function built(text: string): { func: Func; instruction: Instruction; stored: Value } {
  const module = parsePtxOrThrow(smallKernel(text), { file: 'small.ptx' });
  const [entry] = module.functions;
  if (entry === undefined) throw new Error('no kernel');
  const instruction = entry.body.filter((statement) => statement.kind === 'instruction').at(-3);
  const { program, ids } = buildProgram(module, entry, { block: [8, 8, 8], dynamicShared: 0 });
  cleanUp(program.kernel, new Builder(ids));
  const stores = program.kernel.blocks.flatMap(({ insts }) => insts.filter(({ op }) => op === 'store'));
  const stored = stores.at(-1)?.args.at(-1);
  if (instruction === undefined || stored === undefined) throw new Error('the kernel lacks a store');
  return { func: program.kernel, instruction, stored };
}

const operations = [
  ...['add', 'sub', 'mul.lo', 'min', 'max', 'div', 'rem'].flatMap((name) => [`${name}.u32`, `${name}.s32`]),
  ...['and.b32', 'or.b32', 'xor.b32', 'shl.b32', 'shr.u32', 'shr.s32', 'shr.b32'],
];

const edges = [
  0,
  1,
  2,
  3,
  4,
  31,
  32,
  33,
  255,
  1000,
  2 ** 30,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 2,
  2 ** 32 - 1,
  -1,
  -2,
  -300,
  -(2 ** 31),
];
const isMember = (bits: number, { min, max }: Range) =>
  [bits, bits - 2 ** 32].some((value) => value >= min && value <= max);

describe('results are in their ranges', () => {
  it.each([...operations, 'mad.lo.u32', 'mad.lo.s32', 'neg.s32', 'bfe.u32', 'bfe.s32', 'popc.b32', 'clz.b32'])(
    '%s',
    (name) => {
      const count = /^(mad|bfe)/.test(name) ? 3 : /^(neg|popc|clz)/.test(name) ? 1 : 2;
      const sources = ['%tid.x', '%tid.y', '%tid.z'].slice(0, count);
      const moves = sources.map((source, index) => `  mov.u32 %r${index + 2}, ${source};`);
      const operands = sources.map((_, index) => `%r${index + 2}`);
      const { func, instruction, stored } = built(`${moves.join('\n')}\n  ${name} %r1, ${operands.join(', ')};`);
      const random = generator(7);
      const edge = () => edges[random(edges.length)] ?? 0;
      let bounded = 0;
      for (let round = 0; round < 1500; round++) {
        const ranges = Array.from({ length: count }, (): Range => {
          const [one, other] = [edge(), random(3) === 0 ? edge() : 0];
          const [min, max] = [Math.min(one, one + other), Math.max(one, one + other)];
          return random(8) === 0 || min < -(2 ** 31) || max >= 2 ** 32 || max - min >= 2 ** 32 - 1
            ? anyWord
            : { min, max };
        });
        const result = findRanges(func, (special) => ranges[sources.indexOf(special)]).of(stored);
        if (result.min !== anyWord.min || result.max !== anyWord.max) bounded += 1;
        const values = ranges.map(({ min, max }) => {
          const at = [min, max, min + random(Math.min(max - min, 2 ** 31) + 1)][random(3)] ?? min;
          return at < 0 ? at + 2 ** 32 : at;
        });
        const [value] = laneFunctions[instruction.row.name as 'add'](instruction.mods, values);
        expect({ ranges, sources, result, value, isMember: isMember(Number(value), result) }).toMatchObject({
          isMember: true,
        });
      }
      expect(bounded).toBeGreaterThan(name === 'bfe.s32' ? -1 : 30);
    },
  );
});

test.each(Array.from({ length: 53 }, (_, bits) => bits))('ranges next to 2^%i include every bit pattern', (bits) => {
  for (const number of [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]) {
    if (!Number.isSafeInteger(number)) continue;
    const expected = number === 0 ? 0 : 2 ** number.toString(2).length - 1;
    expect(allBitsOf(number)).toBe(expected);
  }
  expect(allBitsOf(Infinity)).toBe(Infinity);
});

test.each(['ugt', 'uge'])('an unsigned icmp.%s does not limit the signed range of a 64-bit number', (relation) => {
  const { program } = parseProgram(`param param a: u64 bytes 8 align 8
kernel k {
b0:
  %x:i64 = load.i64 param(0)[0]
  %p:i1 = icmp.${relation} %x, 9:i64
  branch %p, b1(%x), b2
b1(%y:i64):
  %m:i64 = smin %y, 5:i64
  store.i64 address(global)[%m], %m
  exit
b2:
  exit
}
`);
  const [least] = program.kernel.blocks[1]?.insts[0]?.results ?? [];
  if (least === undefined) throw new Error('the kernel lacks a minimum');
  // -1 is also above 9 as an unsigned number.
  expect(findRanges(program.kernel, () => undefined).of(least).min).toBeLessThanOrEqual(-1);
});

describe('ranges of registers', () => {
  /** Returns the range of `%r1` at the end of a kernel whose `tid.x` is below 64. */
  const rangeOf = (text: string): Range => {
    const { func, stored } = built(text);
    return findRanges(func, (name) => (name === '%tid.x' ? { min: 0, max: 63 } : undefined)).of(stored);
  };

  it.each<[string, string, Range]>([
    ['thread indexes', 'sub.s32 %r1, %r15, 1;', { min: -1, max: 62 }],
    ['a negative constant', 'add.s32 %r1, %r15, -1;', { min: -1, max: 62 }],
    ['masks', 'and.b32 %r1, %r0, 60;', { min: 0, max: 60 }],
    ['masks of high bits', 'and.b32 %r1, %r15, -4;', { min: 0, max: 63 }],
    ['bytes', 'ld.global.u8 %r1, [%rd2];', { min: 0, max: 255 }],
    ['signed halves', 'ld.global.s16 %r1, [%rd2];', { min: -32768, max: 32767 }],
    ['conversions', 'cvt.u32.u16 %r1, %r0;', { min: 0, max: 65535 }],
    ['either of two', 'setp.gt.s32 %p1, %r0, 0; selp.b32 %r1, 9, %r15, %p1;', { min: 0, max: 63 }],
    [
      'a selection that every thread decides alike',
      'setp.lt.u32 %p1, %r15, 64; selp.b32 %r1, 9, %r0, %p1;',
      { min: 9, max: 9 },
    ],
    ['a value or its limit', 'setp.gt.u32 %p1, %r15, 7; selp.b32 %r1, 7, %r15, %p1;', { min: 0, max: 7 }],
    [
      'a number of a buffer, which starts again at 0',
      'mov.b32 %r1, -1; A: add.s32 %r2, %r1, 1; setp.gt.s32 %p1, %r2, 1; selp.b32 %r1, 0, %r2, %p1; setp.lt.u32 %p2, %r0, %r15; @%p2 bra A;',
      { min: 0, max: 1 },
    ],
    ['a guarded write', 'mov.u32 %r1, 4; setp.gt.s32 %p1, %r0, 0; @%p1 mov.u32 %r1, 70;', { min: 4, max: 70 }],
    ['arms', 'setp.gt.s32 %p1, %r0, 0; mov.u32 %r1, 3; @%p1 bra A; mov.u32 %r1, %r15; A:', { min: 0, max: 63 }],
    ['a counter', 'mov.u32 %r1, 0; A: add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r0; @%p1 bra A;', anyWord],
    [
      'a value that a loop does not change',
      'mov.u32 %r1, 5; A: min.u32 %r1, %r1, %r0; setp.lt.u32 %p1, %r0, %r15; @%p1 bra A;',
      { min: 0, max: 5 },
    ],
    ['a product that wraps around', 'mul.lo.s32 %r1, %r15, 0x8000001;', anyWord],
    ['memory', 'mov.b32 %r1, %r0;', anyWord],
  ])('%s', (_, text, expected) => {
    expect(rangeOf(text)).toEqual(expected);
  });
});
