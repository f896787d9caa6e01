// Ranges of registers: every result that the reference computes from values of the operands' ranges lies in the result's.
import { describe, expect, it } from 'vitest';
import { laneFunctions } from '../../src/cpu-ref/index.ts';
import type { Instruction, Operand } from '../../src/ptx/ast.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { buildKernel } from '../../src/translate/build-cfg.ts';
import { anyWord, findRanges, type Range, resultRange } from '../../src/translate/value-ranges.ts';
import { generator } from '../lockstep/random-instructions.ts';
import { smallKernel } from '../lockstep/small-kernel.ts';

/// The instructions of a small kernel's body.
function bodyOf(text: string): readonly Instruction[] {
  const [kernel] = parsePtxOrThrow(smallKernel(text), { file: 'small.ptx' }).functions;
  const body = (kernel?.body ?? []).filter((statement) => statement.kind === 'instruction');
  return body.slice(6, -2);
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

describe('results lie in their ranges', () => {
  it.each([...operations, 'mad.lo.u32', 'mad.lo.s32', 'neg.s32', 'bfe.u32', 'bfe.s32', 'popc.b32', 'clz.b32'])(
    '%s',
    (name) => {
      const count = /^(mad|bfe)/.test(name) ? 3 : /^(neg|popc|clz)/.test(name) ? 1 : 2;
      const [instruction] = bodyOf(`  ${name} %r1, ${['%r2', '%r3', '%r4'].slice(0, count).join(', ')};`);
      if (instruction === undefined) throw new Error('nothing parsed');
      const random = generator(7);
      const edge = () => edges[random(edges.length)] ?? 0;
      let bounded = 0;
      for (let round = 0; round < 4000; round++) {
        const ranges = Array.from({ length: count }, (): Range => {
          const [one, other] = [edge(), random(3) === 0 ? edge() : 0];
          const [min, max] = [Math.min(one, one + other), Math.max(one, one + other)];
          return random(8) === 0 || min < -(2 ** 31) || max >= 2 ** 32 || max - min >= 2 ** 32 - 1
            ? anyWord
            : { min, max };
        });
        const of = (operand: Operand | undefined): Range =>
          ranges[operand?.kind === 'register' ? Number(operand.register.name.slice(2)) - 2 : -1] ?? anyWord;
        const result = resultRange(instruction, of);
        if (result !== anyWord) bounded += 1;
        const sources = ranges.map(({ min, max }) => {
          const at = [min, max, min + random(Math.min(max - min, 2 ** 31) + 1)][random(3)] ?? min;
          return at < 0 ? at + 2 ** 32 : at;
        });
        const [value] = laneFunctions[instruction.row.name as 'add'](instruction.mods, sources);
        expect({ ranges, sources, result, value, isMember: isMember(Number(value), result) }).toMatchObject({
          isMember: true,
        });
      }
      expect(bounded).toBeGreaterThan(name === 'bfe.s32' ? -1 : 100);
    },
  );
});

describe('ranges of registers', () => {
  /// The range of `%r1` at the end of a kernel whose `tid.x` is below 64.
  const rangeOf = (text: string): Range => {
    const module = parsePtxOrThrow(smallKernel(text), { file: 'small.ptx' });
    const [kernel] = module.functions;
    if (kernel === undefined) throw new Error('no kernel');
    const { blocks } = buildKernel(module, kernel, 0);
    const of = findRanges(blocks, (name) => (name === '%tid.x' ? { min: 0, max: 63 } : undefined));
    const register = kernel.registers.find(({ name }) => name === '%r1');
    if (register === undefined) throw new Error('no register');
    return of({ kind: 'register', register, negated: false, span: register.span });
  };

  it.each<[string, string, Range]>([
    ['thread indexes', 'sub.s32 %r1, %r15, 1;', { min: -1, max: 62 }],
    ['a constant below 0', 'add.s32 %r1, %r15, -1;', { min: -1, max: 62 }],
    ['masks', 'and.b32 %r1, %r0, 60;', { min: 0, max: 60 }],
    ['masks of high bits', 'and.b32 %r1, %r15, -4;', { min: 0, max: 63 }],
    ['bytes', 'ld.global.u8 %r1, [%rd2];', { min: 0, max: 255 }],
    ['signed halves', 'ld.global.s16 %r1, [%rd2];', { min: -32768, max: 32767 }],
    ['conversions', 'cvt.u32.u16 %r1, %r0;', { min: 0, max: 65535 }],
    ['either of two', 'setp.gt.s32 %p1, %r0, 0; selp.b32 %r1, 9, %r15, %p1;', { min: 0, max: 63 }],
    ['a guarded write', 'mov.u32 %r1, 4; setp.gt.s32 %p1, %r0, 0; @%p1 mov.u32 %r1, 70;', { min: 4, max: 70 }],
    ['arms', 'setp.gt.s32 %p1, %r0, 0; mov.u32 %r1, 3; @%p1 bra A; mov.u32 %r1, %r15; A:', { min: 0, max: 63 }],
    ['a counter', 'mov.u32 %r1, 0; A: add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r0; @%p1 bra A;', anyWord],
    [
      'what a loop leaves as it is',
      'mov.u32 %r1, 5; A: min.u32 %r1, %r1, %r0; setp.lt.u32 %p1, %r0, %r15; @%p1 bra A;',
      { min: 0, max: 5 },
    ],
    ['a product that wraps around', 'mul.lo.s32 %r1, %r15, 0x8000001;', anyWord],
    ['memory', 'mov.b32 %r1, %r0;', anyWord],
  ])('%s', (_, text, expected) => {
    expect(rangeOf(text)).toEqual(expected);
  });
});
