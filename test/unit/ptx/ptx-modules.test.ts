// Whole modules: all PTX that nvcc wrote for the corpus, and each kind of declaration.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type Instruction,
  type Module,
  type Operand,
  parsePtx,
  parsePtxOrThrow,
  renderDiagnostics,
} from '../../../src/ptx/index.ts';

const folder = new URL('../../kernels/', import.meta.url);
const head = '.version 8.0\n.target sm_80\n.address_size 64\n';
const inKernel = (body: string) => `${head}.visible .entry k(.param .u64 p)\n{\n${body}\n\tret;\n}\n`;
const statements = (module: Module, name = 'k') => module.functions.find((each) => each.name === name)?.body ?? [];
const instructions = (module: Module, name = 'k'): Instruction[] =>
  statements(module, name).flatMap((statement) => (statement.kind === 'instruction' ? [statement] : []));
const first = (body: string): Instruction => {
  const [instruction] = instructions(parsePtxOrThrow(inKernel(body)));
  if (instruction === undefined) throw new Error('no instruction');
  return instruction;
};
const bits = (operand: Operand | undefined) =>
  operand?.kind === 'immediate' ? `0x${operand.bits.toString(16)}` : operand?.kind;

/** Counts instructions without the parser: statements that end in `;` and are not directives. */
function countInstructions(text: string): number {
  const code = text
    .replace(/\/\/.*|\/\*[\s\S]*?\*\/|^\s*\.(loc|file|version|target|address_size)\b.*/gm, '')
    .replace(/\.section[^{]*\{[^}]*\}/g, '');
  const chunks = code
    .split(';')
    .slice(0, -1)
    .map((chunk) => chunk.replace(/^[\s}{]+/, ''));
  return chunks.filter((chunk) => {
    if (chunk === '' || /(^|[\s{}])\.(reg|local|shared|global|const|pragma|branchtargets|alias|extern)\b/.test(chunk))
      return false;
    if (/\.call(prototype|targets)\b/.test(chunk)) return false;
    return !/^\.param\b/.test(chunk) && !(chunk.includes('.func') && !chunk.includes('{'));
  }).length;
}

describe('PTX from nvcc', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ptx'));
  test('the corpus has files', () => expect(files.length).toBeGreaterThan(5));

  test.each(files)('%s', (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const { module, diagnostics } = parsePtx(text, { file });
    expect(renderDiagnostics({ file, text }, diagnostics)).toBe('');
    const found = module?.functions.flatMap(({ body }) => body.filter(({ kind }) => kind === 'instruction')) ?? [];
    expect(module?.functions.flatMap(({ body }) => body.filter(({ kind }) => kind === 'unsupported'))).toEqual([]);
    expect(found.length).toBe(countInstructions(text));
  });
});

describe('directives', () => {
  test('header, performance directives, linkage, debug information', () => {
    const module = parsePtxOrThrow(
      `//
.version 7.5
.target sm_90a, debug
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .shared .align 16 .b8 dynamic[];
.visible .global .align 4 .u32 counter;
.weak .const .align 8 .b8 table[4] = {1, 0x2, 03, 0b100};
.common .global .b32 spare[2][3];
.pragma "nounroll";
.file 1 "a.cu", 123, 456
.visible .func helper() ;
.visible .entry k (
  .param .u64 .ptr .global .align 4 a,
  .param .align 8 .b8 s[24],
  .param .f32 f
)
.maxntid 128, 2
.reqntid 64, 1, 1
.minnctapersm 2
.pragma "nounroll";
{
  .pragma "nounroll";
  .loc 1 5 3
  .loc 1 6 0, function_name $L_info + 3, inlined_at 1 20 3
  ret;
}
.func helper() .noreturn { trap; }
.section .debug_info
{
.b32 12
$L_info:
.b8 1,2,3
.b64 label
}
`.replace('7.5', '8.0'),
    );
    expect(module.target).toBe('sm_90a');
    expect(module.version).toEqual({ major: 8, minor: 0 });
    const [kernel, helper] = module.functions;
    expect(kernel?.maxThreads).toEqual([128, 2, 1]);
    expect(kernel?.requiredThreads).toEqual([64, 1, 1]);
    expect(
      kernel?.params.map((param) =>
        'space' in param ? [param.name, param.type, param.bytes, param.align, param.array] : [],
      ),
    ).toEqual([
      ['a', 'u64', 8, 8, false],
      ['s', 'b8', 24, 8, true],
      ['f', 'f32', 4, 4, false],
    ]);
    expect(helper?.kind).toBe('func');
    expect(
      module.variables.map(({ name, space, bytes, align, external }) => [name, space, bytes, align, external]),
    ).toEqual([
      ['dynamic', 'shared', 0, 16, true],
      ['counter', 'global', 4, 4, false],
      ['table', 'const', 4, 8, false],
      ['spare', 'global', 24, 4, false],
    ]);
  });

  test.each([
    ['.global .u32 x = 7;', 4, '07000000'],
    ['.global .s16 x[] = {-1, 2};', 4, 'ffff0200'],
    ['.global .f32 x = 0f3f800000;', 4, '0000803f'],
    ['.global .f32 x[2] = {1.5, -0.0};', 8, '0000c03f00000080'],
    ['.global .f64 x = 0d3ff0000000000000;', 8, '000000000000f03f'],
    ['.global .b8 x[2][3] = {{1, 2}, {3}};', 6, '01020003'],
    ['.global .b8 x[][2] = {{1, 2}, {3, 4}, {5}};', 6, '0102030405'],
    ['.global .b8 x[2][2][2] = {{{1}, {2}}, {{3}}};', 8, '0100020003'],
    ['.global .v2 .u16 x[2] = {{1, 2}, {3, 4}};', 8, '0100020003000400'],
    ['.const .b8 x[8] = "hi";', 8, '6869'],
    ['.global .u32 x[2] = {1+2*3, (1 << 4) | 1};', 8, '0700000011000000'],
  ])('%s', (declaration, size, hex) => {
    const [variable] = parsePtxOrThrow(`${head}${declaration}`).variables;
    expect(variable?.bytes).toBe(size);
    const [initial] = variable?.initializers ?? [];
    expect(initial?.kind === 'bytes' ? Buffer.from(initial.bytes).toString('hex') : initial).toBe(hex);
  });

  test('addresses in initializers', () => {
    const module = parsePtxOrThrow(`${head}
.global .u32 a[4];
.global .u64 p[3] = {a, a+4, generic(a)+8};
.global .b8 s[12] = {1, 0, 0, 0, 0xFF(a), 0xFF00(a), 0xFF0000(a), 0xFF000000(a), 0xFF00000000(a), 0xFF0000000000(a), 0xFF000000000000(a), 0xFF00000000000000(a)};`);
    const addresses = module.variables.map(({ initializers }) =>
      initializers.flatMap((each) => (each.kind === 'address' ? [each] : [])),
    );
    expect(addresses[1]).toEqual([
      { kind: 'address', offset: 0, symbol: 'a', addend: 0, generic: false, bytes: 8 },
      { kind: 'address', offset: 8, symbol: 'a', addend: 4, generic: false, bytes: 8 },
      { kind: 'address', offset: 16, symbol: 'a', addend: 8, generic: true, bytes: 8 },
    ]);
    expect(addresses[2]).toEqual([{ kind: 'address', offset: 4, symbol: 'a', addend: 0, generic: false, bytes: 8 }]);
  });
});

describe('literals', () => {
  test.each([
    ['mov.u32 r, 42;', '0x2a'],
    ['mov.u32 r, 0x2aU;', '0x2a'],
    ['mov.u32 r, 0X2A;', '0x2a'],
    ['mov.u32 r, 052;', '0x2a'],
    ['mov.u32 r, 0b101010;', '0x2a'],
    ['mov.s32 r, -1;', '0xffffffff'],
    ['mov.u64 l, -1;', '0xffffffffffffffff'],
    ['mov.u64 l, 0xffffffffffffffff;', '0xffffffffffffffff'],
    ['mov.u32 r, WARP_SZ;', '0x20'],
    ['mov.u32 r, ~0;', '0xffffffff'],
    ['mov.u32 r, !0;', '0x1'],
    ['mov.u32 r, 7 % 4;', '0x3'],
    ['mov.u32 r, 1 + 2 * 3 - 4 / 2;', '0x5'],
    ['mov.u32 r, (1 + 2) * 3;', '0x9'],
    ['mov.u32 r, 1 << 4 | 1;', '0x11'],
    ['mov.u32 r, -8 >> 1;', '0xfffffffc'],
    ['mov.u32 r, 3 > 2 ? 10 : 20;', '0xa'],
    ['mov.u32 r, 0xf0 & 0x3c ^ 1;', '0x31'],
    ['mov.u32 r, 5 == 5 && 1 != 2 || 0;', '0x1'],
    ['mov.u32 r, (.u64) -1 > 0;', '0x1'],
    ['mov.u32 r, -1 > 0;', '0x0'],
    ['mov.f32 f, 0f7fc00001;', '0x7fc00001'],
    ['mov.b32 r, 0F3f800000;', '0x3f800000'],
    ['mov.f32 f, 1.5;', '0x3fc00000'],
    ['mov.f32 f, -.5;', '0xbf000000'],
    ['mov.f32 f, 1e-45;', '0x1'],
    ['mov.f32 f, 0d3ff0000000000000;', '0x3f800000'],
    ['mov.f32 f, 16777217.0;', '0x4b800000'],
    ['mov.f32 f, 1.0 + 0.5;', '0x3fc00000'],
    ['mov.pred q, 5;', '0x1'],
    ['mov.pred q, 0;', '0x0'],
  ])('%s', (text, expected) => {
    const declarations = '.reg .b32 r; .reg .b64 l; .reg .f32 f; .reg .pred q;';
    expect(bits(first(`${declarations} ${text}`).operands.a)).toBe(expected);
  });
});

describe('operands', () => {
  const declarations =
    '.reg .b32 r, s; .reg .b64 l; .reg .f32 f; .reg .pred q; .reg .v4 .f32 v; .reg .b32 %n<12>; .shared .u32 sh[8]; ';
  const operands = (text: string) => first(declarations + text).operands;

  test('addresses', () => {
    expect(operands('ld.shared.u32 r, [sh+8];').a).toMatchObject({
      kind: 'address',
      offset: 8,
      base: { name: 'sh', space: 'shared' },
    });
    expect(operands('ld.shared.u32 r, sh[2];').a).toMatchObject({ kind: 'address', offset: 8, base: { name: 'sh' } });
    expect(operands('ld.global.u32 r, [l+-4];').a).toMatchObject({
      kind: 'address',
      offset: -4,
      base: { name: 'l', type: 'b64' },
    });
    expect(operands('ld.local.u32 r, [16];').a).toMatchObject({ kind: 'address', offset: 16, base: null });
    expect(operands('mov.u32 r, sh+4;').a).toMatchObject({ kind: 'symbol', offset: 4, variable: { name: 'sh' } });
    expect(operands('ld.param.u64 l, [p];').a).toMatchObject({ kind: 'address', base: { name: 'p', space: 'param' } });
  });

  test('vectors', () => {
    expect(operands('mov.b64 {r, _}, l;').d).toMatchObject({
      kind: 'vector',
      elements: [{ register: { name: 'r' } }, { kind: 'sink' }],
    });
    expect(operands('ld.global.v4.f32 v, [l];').d).toMatchObject({
      elements: ['v.x', 'v.y', 'v.z', 'v.w'].map((name) => ({ register: { name } })),
    });
    expect(operands('mov.f32 f, v.z;').a).toMatchObject({ register: { name: 'v.z', type: 'f32' } });
    expect(operands('mov.f32 f, v.b;').a).toMatchObject({ register: { name: 'v.z' } });
    expect(operands('st.global.v2.u32 [l], {1, r};').b).toMatchObject({
      elements: [{ kind: 'immediate', bits: 1n }, { kind: 'register' }],
    });
  });

  test('predicates, pairs, sinks, special registers, ranges', () => {
    expect(operands('setp.lt.u32 q|_, r, s;')).toMatchObject({ p: { kind: 'register' }, q: { kind: 'sink' } });
    expect(operands('selp.u32 r, 1, 2, !q;').c).toMatchObject({ kind: 'register', negated: true });
    expect(operands('vote.sync.any.pred q, !1, -1;').a).toMatchObject({ kind: 'immediate', bits: 0n });
    expect(operands('mov.u32 r, %tid.y;').a).toMatchObject({ kind: 'special', name: '%tid.y', type: 'u32' });
    expect(operands('mov.u32 %n11, %n0;')).toMatchObject({
      d: { register: { name: '%n11' } },
      a: { register: { name: '%n0' } },
    });
    expect(first(`${declarations}@!q bra E; E:`)).toMatchObject({
      guard: { negated: true, register: { name: 'q' } },
      operands: { target: { target: 'E' } },
    });
  });
});

test('scopes: shadowed registers, variables and labels get unique names', () => {
  const module = parsePtxOrThrow(
    inKernel(`.reg .u32 r; L: mov.u32 r, 1; bra L;
{ .reg .f32 r; .shared .b32 t; L: mov.f32 r, 0f00000000; bra L; }
{ .reg .b64 r; .shared .b32 t; mov.b64 r, 2; bra L; } mov.u32 r, 3; bra L;`),
  );
  const written = instructions(module).flatMap(({ operands: { d } }) =>
    d?.kind === 'register' ? [`${d.register.name}:${d.register.type}`] : [],
  );
  expect(written).toEqual(['r:u32', 'r_1:f32', 'r_2:b64', 'r:u32']);
  const targets = instructions(module).flatMap(({ operands: { target } }) =>
    target?.kind === 'label' ? [target.target] : [],
  );
  expect(targets).toEqual(['L', 'L_1', 'L', 'L']);
  expect(module.functions[0]?.variables.map(({ name }) => name)).toEqual(['t', 't_1']);
  expect(module.functions[0]?.registers.map(({ name }) => name)).toEqual(['r', 'r_1', 'r_2']);
});

test('calls: registers, parameters, and unsupported ones', () => {
  const module = parsePtxOrThrow(`${head}
.extern .func elsewhere;
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.func (.reg .b32 out) add (.reg .b32 a, .reg .b32 b) { add.u32 out, a, b; ret; }
.visible .func (.param .b32 out) twice (.param .align 8 .b8 s[8]);
.visible .entry k(.param .u64 p)
{
  .reg .b32 r, s; .reg .b64 l;
  call.uni (r), add, (s, 5);
  { .param .align 8 .b8 arg[8]; .param .b32 res; st.param.b64 [arg], l; call (res), twice, (arg); ld.param.b32 r, [res]; }
  { .param .b64 a; .param .b64 b; .param .b32 res; call.uni (res), vprintf, (a, b); }
  proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (r), l, (s), proto;
  call elsewhere;
  ret;
}
.visible .func (.param .b32 out) twice (.param .align 8 .b8 s[8]) { ret; }
`);
  const calls = statements(module).flatMap((statement) => {
    if (statement.kind === 'unsupported') return [`${statement.diagnostic.code} ${statement.opcode}`];
    const callee = statement.kind === 'instruction' ? statement.operands.callee : undefined;
    if (callee?.kind !== 'call') return [];
    const how = callee.service ? ' service' : callee.indirect ? ' indirect' : '';
    return [`${callee.callee} ${callee.results.length} ${callee.args.length}${how}`];
  });
  expect(calls).toEqual(['add 1 2', 'twice 1 1', 'vprintf 1 2 service', 'proto 1 1 indirect', 'PTX0805 call']);
});

test('unsupported instructions stay in place, and the module parses', () => {
  const module = parsePtxOrThrow(
    inKernel(
      'multimem.st.u64 a, b, c;\n@q tcgen05.fence::before_thread_sync;\n.reg .u32 r; mov.u32 r, %pm3; mov.u32 r, 1;',
    ),
  );
  expect(
    statements(module).map((statement) => (statement.kind === 'unsupported' ? statement.opcode : statement.kind)),
  ).toEqual(['multimem.st.u64', 'tcgen05.fence::before_thread_sync', 'mov.u32', 'instruction', 'instruction']);
});

test('line ends: LF, CRLF and CR yield the same module', () => {
  const text = inKernel('\t.reg .u32 r; // note\n/* a\n b */\tmov.u32 r, 1;');
  const shape = (source: string) => statements(parsePtxOrThrow(source)).map(({ kind }) => kind);
  for (const end of ['\r\n', '\r']) expect(shape(text.replaceAll('\n', end))).toEqual(shape(text));
});
