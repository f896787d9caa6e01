// Fragments: the manuals' examples verbatim, types inferred from use, inputs and outputs.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Instruction, type Module, parsePtx, parsePtxOrThrow, printInstruction } from '../../../src/ptx/index.ts';

const input = (name: string) => readFileSync(new URL(`../../ptx/${name}`, import.meta.url), 'utf8');
const typed = (list: Module['inputs']) => list.map(({ name, type }) => `${name}:${type}`).join(' ');
const flow = (text: string) => {
  const module = parsePtxOrThrow(text);
  return `${typed(module.inputs)} -> ${typed(module.outputs)}`;
};
const instructions = (module: Module): Instruction[] =>
  module.functions.flatMap(({ body }) =>
    body.flatMap((statement) => (statement.kind === 'instruction' ? [statement] : [])),
  );

describe('examples of the PTX manual', () => {
  test('deprecated shfl: two scans and a butterfly', () => {
    const module = parsePtxOrThrow(input('shfl-examples.ptx'));
    expect(module.dialect).toBe('fragment');
    expect(module.functions.map(({ name, kind }) => `${kind} ${name}`)).toEqual(['entry fragment']);
    expect(instructions(module).map(({ row, mods }) => [row.name, mods.mode ?? ''].join(' ').trim())).toEqual([
      ...Array.from({ length: 5 }, () => ['shfl up', 'add.f32']).flat(),
      ...Array.from({ length: 5 }, () => ['shfl down', 'add.f32']).flat(),
      ...Array.from({ length: 5 }, () => ['shfl bfly', 'add.f32']).flat(),
    ]);
    expect(typed(module.inputs)).toBe('Rx:f32');
    expect(typed(module.outputs)).toBe('Ry:f32 p:pred Rx:f32');
  });

  test.each(
    input('warp-examples.txt')
      .split('// ---\n')
      .map((text, index) => [index, text] as const),
  )('warp instructions %i', (index, text) => {
    expect(flow(text)).toBe(
      [
        'Rx:f32 -> Ry:f32 Rx:f32 p:pred',
        'q:pred -> p:pred r1:b32',
        'a:b32 a_b64:b64 mask:b32 -> d:b32 p:pred',
        'src:b32 mask:b32 -> dst:b32',
        ' -> %r1:b32',
      ][index],
    );
  });
});

describe('types inferred from use', () => {
  test.each([
    ['shfl.sync.up.b32 Ry|p, Rx, 0x1, 0x0, 0xffffffff;', 'Rx:b32 -> Ry:b32 p:pred'],
    ['add.f32 a, b, c;', 'b:f32 c:f32 -> a:f32'],
    ['mov.b32 a, b; add.f32 c, b, b;', 'b:f32 -> a:b32 c:f32'],
    ['add.f32 a, b, b; add.u32 b, b, 1;', 'b:b32 -> a:f32 b:b32'],
    ['match.any.sync.b64 d, a, m;', 'a:b64 m:b32 -> d:b32'],
    ['mul.wide.u32 d, a, 4; ld.global.u8 x, [d];', 'a:b32 -> d:b64 x:b32'],
    ['ld.shared.f32 x, [s]; cvt.s64.s32 w, s;', 's:b64 -> x:f32 w:b64'],
    ['ld.shared.f32 x, [s]; add.u32 s, s, 4;', 's:b32 -> x:f32 s:b32'],
    ['mov.b64 {lo, hi}, d; setp.lt.and.s32 p|q, lo, hi, !r;', 'd:b64 r:pred -> lo:b32 hi:b32 p:pred q:pred'],
    ['ld.global.v2.u16 {x, _}, [ra];', 'ra:b64 -> x:b32'],
    ['mov.u32 %r1, %laneid; add.u32 dst, %r1, %r2;', '%r2:b32 -> %r1:b32 dst:b32'],
    ['.reg .u32 %r<4>; .reg .pred p; add.u32 %r0, %r1, x;', '%r1:u32 x:b32 -> %r0:u32'],
    ['{ .reg .b32 t; mov.b32 t, a; mov.b32 b, t; }', 'a:b32 -> t:b32 b:b32'],
  ])('%s', (text, expected) => expect(flow(text)).toBe(expected));

  test('a predicate used as a value is an error at the second use', () => {
    const { diagnostics } = parsePtx('@p mov.u32 a, 1; add.u32 p, a, a;');
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'PTX0601 `p` is a `.pred` register, but `.u32` is required here',
    ]);
  });
});

describe('inputs and outputs', () => {
  test.each([
    ['read before written', 'add.u32 a, a, b;', 'a:b32 b:b32 -> a:b32'],
    ['written before read', 'mov.u32 a, 1; add.u32 b, a, a;', ' -> a:b32 b:b32'],
    ['written under a guard', '@p mov.u32 a, 1;', 'p:pred a:b32 -> a:b32'],
    ['written under a guard, then unconditionally', '@p mov.u32 a, 1; mov.u32 a, 2;', 'p:pred -> a:b32'],
    ['the guarded sum of a scan', '@p add.f32 Rx, Ry, Rx;', 'p:pred Rx:f32 Ry:f32 -> Rx:f32'],
    ['written on one path', '@p bra L; mov.u32 a, 1; L: mov.u32 b, 2;', 'p:pred a:b32 -> a:b32 b:b32'],
    ['written on both paths', '@p bra L; mov.u32 a, 1; bra E; L: mov.u32 a, 2; E: exit;', 'p:pred -> a:b32'],
    ['read in a loop after its write', 'L: mov.u32 a, 1; add.u32 b, b, a; @p bra L;', 'b:b32 p:pred -> a:b32 b:b32'],
    ['read in a loop before its write', 'L: add.u32 b, a, 1; mov.u32 a, b; @p bra L;', 'a:b32 p:pred -> b:b32 a:b32'],
    ['written after an exit', '@p exit; mov.u32 a, 1;', 'p:pred a:b32 -> a:b32'],
    [
      'written in cases of a branch table',
      'T: .branchtargets L, M; brx.idx i, T; L: mov.u32 a, 1; M: mov.u32 b, 1;',
      'i:b32 a:b32 -> a:b32 b:b32',
    ],
    ['stores write nothing', 'st.global.u32 [d], v;', 'd:b64 v:b32 -> '],
    ['a constant added in place', 'mov.u32 a, b+1;', 'b:b32 -> a:b32'],
    ['a negated guard', '@!q mov.u32 a, b;', 'q:pred a:b32 b:b32 -> a:b32'],
  ])('%s', (_, text, expected) => expect(flow(text)).toBe(expected));

  test('many registers and blocks', () => {
    const text = Array.from(
      { length: 2000 },
      (_, i) => `L${i}: add.u32 r${i}, r${(i * 7919) % 2000}, 1; @p${i % 10} bra L${(i * 31) % 2000};`,
    ).join('\n');
    const { outputs } = parsePtxOrThrow(text);
    expect(outputs.length).toBe(2000);
  });
});

describe('SASS', () => {
  const groups = input('sass-examples.txt')
    .split(/^[A-Z].*:\n/m)
    .filter((text) => text.trim() !== '');
  test.each([
    [0, 'shfl up, add.f32', 10, 'Rx:f32 -> P1:pred Ry:f32 Rx:f32'],
    [1, 'shfl up, selp', 2, 'Rx:b32 -> P1:pred Rx:b32'],
    [2, 'shfl down, add.f32', 10, 'Rx:f32 -> P1:pred Ry:f32 Rx:f32'],
    [3, 'shfl bfly, add.f32', 10, 'Rx:f32 -> Ry:f32 Rx:f32'],
    [4, 'shfl idx, shfl bfly', 6, 'Rx:b32 -> Ry:b32'],
  ])('example %i of the manual', (index, rows, count, expected) => {
    const module = parsePtxOrThrow(groups[index] ?? '');
    expect(module.dialect).toBe('sass');
    const found = instructions(module);
    expect(found.length).toBe(count);
    expect([...new Set(found.map(({ row, mods }) => [row.name, mods.mode ?? ''].join(' ').trim()))].join(', ')).toBe(
      rows,
    );
    expect(`${typed(module.inputs)} -> ${typed(module.outputs)}`).toBe(expected);
  });

  test('all examples at once', () => {
    const text = input('sass-examples.txt').replace(/^[A-Z].*:$/gm, '');
    expect(instructions(parsePtxOrThrow(text)).length).toBe(38);
  });

  test('SHFL.UP maps its operands by role', () => {
    const [shuffle] = instructions(parsePtxOrThrow('SHFL.UP P1, Ry, Rx, 1, 0x1c03'));
    const { d, p, a, b, c } = shuffle?.operands ?? {};
    const text = [d, p, a].map((operand) => (operand?.kind === 'register' ? operand.register.name : operand?.kind));
    expect(text).toEqual(['Ry', 'P1', 'Rx']);
    expect([b, c].map((operand) => (operand?.kind === 'immediate' ? operand.bits : operand?.kind))).toEqual([
      1n,
      0x1c03n,
    ]);
    expect(Object.keys(instructions(parsePtxOrThrow('SHFL.IDX PT, Ry, Rx, 0, 0'))[0]?.operands ?? {})).not.toContain(
      'p',
    );
  });

  test.each([
    [
      'as cuobjdump prints it',
      '/*0070*/ SHFL.BFLY PT, R3, R0, 0x10, 0x1f ;   /* 0x0e003f0000007f89 */\n /* 0x000fe2 */\n',
      'shfl',
    ],
    ['annotated', '@!P2 SHFL.UP P0, R3, R0, R4, R5 {&req_6} {&rdN} {&wr2} {?sched} ;', 'shfl'],
    ['annotated without braces', 'FADD.FTZ R0, R1, R3.reuse &req=6 ?WAIT5_END_GROUP;', 'add.f32'],
    ['a negated summand', 'FADD R0, -R1, R3', 'sub.f32'],
    ['an immediate summand', 'FADD R0, R1, 1', 'add.f32'],
    ['multiply-add', 'FFMA.RZ R0, R1, R2, RZ', 'fma.f32'],
  ])('%s', (_, text, row) => expect(instructions(parsePtxOrThrow(text))[0]?.row.name).toBe(row));

  test('a negated summand is subtracted from the other', () => {
    const [subtract] = instructions(parsePtxOrThrow('FADD R0, -R1, R3'));
    const { a, b } = subtract?.operands ?? {};
    expect([a, b].map((operand) => (operand?.kind === 'register' ? operand.register.name : ''))).toEqual(['R3', 'R1']);
  });

  test.each([
    ['SEL Rx, Rx, 1.5, P1', 'b', 0x3fc00000n],
    ['SEL Rx, Rx, -1, P1', 'b', 0xffffffffn],
    ['SEL Rx, Rx, RZ, P1', 'b', 0n],
    ['SEL Rx, Rx, R2, !PT', 'c', 0n],
    ['FADD Rx, Rx, -1', 'b', 0xbf800000n],
    ['FADD Rx, Rx, 0x7fc00001', 'b', 0x7fc00001n],
    ['MOV Rx, 0xdeadbeef', 'a', 0xdeadbeefn],
  ])('%s: %s is %s', (text, name, bits) => {
    const operand = instructions(parsePtxOrThrow(text))[0]?.operands[name];
    expect(operand?.kind === 'immediate' ? operand.bits : operand).toBe(bits);
  });
});

test('a fragment may omit its last semicolon only', () => {
  expect(flow('mov.u32 a, 1; mov.u32 b, a')).toBe(' -> a:b32 b:b32');
  expect(parsePtx('mov.u32 a, 1\nmov.u32 b, a').diagnostics.map(({ code }) => code)).toEqual(['PTX0202']);
});

test('printInstruction returns one line', () => {
  const text = 'shfl.sync.up.b32\tRy|p, // all\r\n   Rx, /* by\n one */ 0x1,  0x0, -1;';
  const module = parsePtxOrThrow(text);
  expect(instructions(module).map((instruction) => printInstruction(instruction, module.source))).toEqual([
    'shfl.sync.up.b32 Ry|p, Rx, 0x1, 0x0, -1;',
  ]);
});
