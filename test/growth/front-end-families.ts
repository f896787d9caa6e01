// PTX that could make the parser slow.
import { parsePtx, renderDiagnostics } from '../../src/ptx/index.ts';
import type { Family } from './measure.ts';

const head = '.version 8.0\n.target sm_80\n.address_size 64\n';
const list = (size: number, each: (index: number) => string, separator = '\n'): string =>
  Array.from({ length: size }, (_, index) => each(index)).join(separator);
const kernel = (body: string): string => `${head}.visible .entry k()\n{\n${body}\nret;\n}\n`;

/**
 * The families by name, each with the smallest size and a function that returns the text of a size.
 */
const texts: Readonly<Record<string, readonly [size: number, text: (size: number) => string]>> = {
  instructions: [4000, (n) => kernel(`.reg .b32 %r<9>;\n${list(n, (i) => `add.u32 %r${i % 9}, %r1, ${i};`)}`)],
  'registers declared one by one': [4000, (n) => kernel(list(n, (i) => `.reg .b32 a${i}; mov.u32 a${i}, a${i >> 1};`))],
  'registers of a range': [4000, (n) => kernel(`.reg .b32 %r<${n}>;\n${list(n, (i) => `mov.u32 %r${i}, 1;`)}`)],
  'ranges of one register': [2000, (n) => kernel(list(n, (i) => `.reg .b32 %r${i}x<1>; mov.u32 %r${i}x0, 1;`))],
  'labels and branches': [4000, (n) => kernel(list(n, (i) => `L${i}: bra L${(i * 7919) % n};`))],
  'a table of branches': [
    2000,
    (n) => kernel(`.reg .b32 i;\nT: .branchtargets ${list(n, () => 'L', ',')};\nL: brx.idx i, T;`),
  ],
  'tables of branches': [
    2000,
    (n) =>
      kernel(`.reg .b32 i;\n${list(n, (i) => `T${i}: .branchtargets L;`)}\nL:\n${list(n, (i) => `brx.idx i, T${i};`)}`),
  ],
  'scopes side by side': [4000, (n) => kernel('{.reg .u32 r; mov.u32 r, 1;}\n'.repeat(n))],
  'scopes inside each other': [8000, (n) => kernel(`${'{\n'.repeat(n)}${'}\n'.repeat(n)}`)],
  'names from a hundred scopes away': [
    1000,
    (n) => kernel(`.reg .u32 r;\n${'{.reg .b32 %q<1>;\n'.repeat(99)}${'mov.u32 r, 1;\n'.repeat(n)}${'}'.repeat(99)}`),
  ],
  parameters: [500, (n) => `${head}.visible .entry k(${list(n, (i) => `.param .u8 p${i}`, ',')})\n{\nret;\n}\n`],
  'too many parameters': [
    8000,
    (n) => `${head}.visible .entry k(${list(n, (i) => `.param .u64 p${i}`, ',')})\n{\nret;\n}\n`,
  ],
  'global variables': [4000, (n) => `${head}${list(n, (i) => `.global .align 4 .b8 v${i}[64];`)}`],
  'variables of one declaration': [30_000, (n) => `${head}.global .u32 ${list(n, (i) => `v${i}`, ',')};`],
  'initial values': [20_000, (n) => `${head}.global .u32 x[] = {${'1,'.repeat(n)}1};`],
  'initial addresses': [5000, (n) => `${head}.global .u32 y;\n.global .u64 x[] = {${'y,'.repeat(n)}y};`],
  'initial bytes of addresses': [
    2000,
    (n) =>
      `${head}.global .u32 y;\n.global .u8 x[] = {${list(n, () => list(8, (byte) => `0x${'FF'.padEnd(2 + 2 * byte, '0')}(y)`, ','), ',')}};`,
  ],
  'unknown names in initial values': [
    5000,
    (n) => `${head}${list(4000, (i) => `.global .u8 abcdef${i};`)}\n.global .u64 x[] = {${'abcdef_,'.repeat(n)}0};`,
  ],
  'initializer braces': [20_000, (n) => `${head}.global .u32 x[] = ${'{'.repeat(n)};`],
  dimensions: [8000, (n) => `${head}.global .u32 x${'[1]'.repeat(n)} = {1};`],
  'nested initializers': [8000, (n) => `${head}.global .u32 x${'[1]'.repeat(n)} = ${'{'.repeat(n)}1${'}'.repeat(n)};`],
  'a long word': [500_000, (n) => kernel(`${'a'.repeat(n)};`)],
  'a long string': [500_000, (n) => `${head}.file 1 "${'a'.repeat(n)}"\n`],
  'a long string with escapes': [250_000, (n) => `${head}.file 1 "${'\\"'.repeat(n)}`],
  'a long modifier': [250_000, (n) => kernel(`ld.a${'::a'.repeat(n)} r;`)],
  'a long opcode': [50_000, (n) => kernel(`add${'.a'.repeat(n)} r, r, r;`)],
  'a long number': [250_000, (n) => kernel(`.reg .u32 r;\nmov.u32 r, ${'9'.repeat(n)};`)],
  'a long fraction': [250_000, (n) => kernel(`.reg .f32 r;\nmov.f32 r, ${'1'.repeat(n)}.${'1'.repeat(n)}x;`)],
  'a long name of digits': [
    250_000,
    (n) => kernel(`.reg .u32 %r<9>;\nmov.u32 %r${'1'.repeat(n)}x, 1; mov.u32 %r${'1'.repeat(n)}, 1;`),
  ],
  'a fragment with a long name': [250_000, (n) => `.reg .u32 r<9>;\nmov.u32 q${'1'.repeat(n)}, 1;`],
  'a long sum': [50_000, (n) => kernel(`.reg .u32 r;\nmov.u32 r, ${'1+'.repeat(n)}1;`)],
  parentheses: [50_000, (n) => kernel(`.reg .u32 r;\nmov.u32 r, ${'('.repeat(n)}1${')'.repeat(n)};`)],
  comments: [50_000, (n) => `${head}${'/* */ // x\n'.repeat(n)}`],
  'comments that never end': [250_000, (n) => `${head}${'/* '.repeat(n)}`],
  'the same undeclared name': [
    4000,
    (n) =>
      kernel(`${list(1000, (i) => `.reg .b32 register_number_${i};`)}\n${'mov.u32 register_number_x, 1;\n'.repeat(n)}`),
  ],
  'the same undeclared register': [
    4000,
    (n) => kernel(`${list(1000, (i) => `.reg .b32 %register${i};`)}\n${'mov.u32 %registre, 1;\n'.repeat(n)}`),
  ],
  'the same undefined label': [4000, (n) => kernel(`${list(1000, (i) => `Label${i}:`)}\n${'bra Lable;\n'.repeat(n)}`)],
  'the same undefined function': [
    4000,
    (n) => `${list(1000, (i) => `.func function${i}();`)}\n${kernel('call functoin;\n'.repeat(n))}`,
  ],
  'undeclared names': [4000, (n) => kernel(list(n, (i) => `mov.u32 b${i}, 1;`))],
  'unknown instructions': [4000, (n) => kernel(list(n, (i) => `xadd.u32 r${i};`))],
  'instructions without a row': [4000, (n) => kernel('wgmma.fence.sync.aligned;\n'.repeat(n))],
  functions: [1000, (n) => `${head}${list(n, (i) => `.func f${i}() { ${i > 0 ? `call f${i - 1};` : ''} ret; }`)}`],
  'forward declarations': [10_000, (n) => `${head}${'.func f();\n'.repeat(n)}`],
  'arguments of a call': [
    1000,
    (n) =>
      `${head}.func f(${list(n, (i) => `.param .u32 p${i}`, ',')}) { ret; }\n.entry k() { ${list(n, (i) => `.param .u32 a${i};`, ' ')} call f, (${list(n, (i) => `a${i}`, ',')}); ret; }`,
  ],
  'elements of a vector': [20_000, (n) => kernel(`.reg .u32 r;\nld.global.v4.u32 {${'r,'.repeat(n)}r}, [r];`)],
  'many errors in a long line': [50_000, (n) => `${head}${' ; '.repeat(n)}`],
  'line directives': [20_000, (n) => kernel('.loc 1 2 3\n'.repeat(n))],
  'debug sections': [20_000, (n) => `${head}.section .debug_str {\n${'.b8 0\n'.repeat(n)}}`],
  warnings: [4000, (n) => kernel(`.reg .u32 r;\n${'mov.u32 r, 0x1ffffffff;\n'.repeat(n)}`)],
  'a fragment with many inputs': [2000, (n) => list(n, (i) => `add.u32 d${i}, a${i}, b${i};`)],
  'a fragment with branches': [
    1500,
    (n) => list(n, (i) => `L${i}: add.u32 r${i}, r${(i * 7919) % n}, 1; @p${i % 100} bra L${(i * 31) % n};`),
  ],
  'a fragment with registers of two widths': [2000, (n) => list(n, (i) => `add.u32 d${i}, a, 1; add.u64 e${i}, a, 1;`)],
  'SASS lines': [2000, (n) => list(n, (i) => `SHFL.UP P${i % 7}, R${i}, R${i + 1}, 0x1, RZ ;`)],
  'control characters': [250_000, (n) => `${head}${'\u0000\u0001'.repeat(n)}`],
  'carriage returns': [250_000, (n) => `${head}${'\r'.repeat(n)};`],
};

/** Parses the text, and renders the diagnostics. */
function parse(text: string): unknown {
  const result = parsePtx(text, { file: 'family.ptx' });
  const rendered = renderDiagnostics({ file: 'family.ptx', text }, result.diagnostics);
  return { result, rendered };
}

export const frontEndFamilies: readonly Family[] = Object.entries(texts).map(([name, [size, textOf]]) => ({
  name,
  size,
  prepare: (chosen) => {
    const text = textOf(chosen);
    return () => parse(text);
  },
}));
