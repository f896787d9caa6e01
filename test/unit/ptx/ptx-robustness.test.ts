// Random or damaged text: the parser always returns diagnostics, never crashes, and needs time
// linear in the length.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../src/base/cpu-time.ts';
import { type ParseResult, parsePtx, renderDiagnostics } from '../../../src/ptx/index.ts';
import { drawn, effort } from '../../effort.ts';

const dialects = ['auto', 'module', 'fragment', 'sass'] as const;
const head = '.version 8.0\n.target sm_80\n.address_size 64\n';
const scan = readFileSync(new URL('../../kernels/scan.ptx', import.meta.url), 'utf8');

/** Expects a module or errors, with spans inside the text that render. */
function check(text: string, { module, diagnostics }: ParseResult): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  expect(module === undefined).toBe(errors.length > 0);
  for (const { span, labels } of diagnostics) {
    for (const { start, end } of [span, ...labels.map((label) => label.span)]) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThanOrEqual(text.length);
    }
  }
  expect(renderDiagnostics({ file: 'x', text }, diagnostics).length > 0).toBe(diagnostics.length > 0);
}

const checkAll = (text: string) => {
  for (const dialect of dialects) check(text, parsePtx(text, { dialect }));
};

/**
 * The limit of processor time in milliseconds, which suffices for a slow machine. Quadratic code
 * needs minutes.
 */
const limit = effort(5_000, 10_000);
/** Returns a large number, smaller in a short run. */
const large = (count: number): number => count / effort(4, 1);

function timed(text: string, dialect?: (typeof dialects)[number]): ParseResult {
  const start = cpuMs();
  const result = parsePtx(text, dialect === undefined ? {} : { dialect });
  expect(cpuMs() - start).toBeLessThan(limit);
  check(text, result);
  return result;
}

describe('the parser never throws', () => {
  test('arbitrary text', () => {
    // `fc.string` with the unit `binary` spends 1.5 s on a table of all characters.
    const character = fc.oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
    const text = fc.array(character, { maxLength: 200 }).map((list) => String.fromCodePoint(...list));
    fc.assert(fc.property(text, checkAll), { numRuns: effort(40, 600) });
  });

  test('arbitrary words of PTX', () => {
    const words = [
      '.version',
      '8.0',
      '.target',
      'sm_80',
      '.entry',
      '.func',
      'k',
      '(',
      ')',
      '{',
      '}',
      ';',
      ',',
      '[',
      ']',
      '@',
      '!',
      '%p',
      '%r1',
      ':',
      '|',
      '_',
      '-',
      '+',
      '1',
      '0f3f800000',
      '.reg',
      '.b32',
      '.pred',
      '<',
      '>',
      'shfl.sync.up.b32',
      'add.u32',
      'bra',
      'call',
      '=',
      '.global',
      '.param',
      'SHFL.UP',
      'P1',
      'Rx',
      'WARP_SZ',
      '"s"',
      '\n',
      '.section',
      '?',
      '&',
      'generic',
      '.loc',
      '.branchtargets',
      'brx.idx',
      'ld.global.v2.f32',
      'mov.b64',
      '%tid.x',
      '%tid',
    ];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((list) => list.join(' '));
    fc.assert(fc.property(text, checkAll), { numRuns: effort(150, 3000) });
  });

  test('a kernel with pieces removed, repeated or replaced', () => {
    const place = fc.nat(scan.length);
    fc.assert(
      fc.property(
        place,
        fc.nat(40),
        fc.constantFrom('', ';', '{', '}', '(', ',', '\u0000', '%', '@', '/*', '"', 'é', '0x', '.'),
        (at, length, put) => {
          const text = scan.slice(0, at) + put + scan.slice(at + length);
          check(text, parsePtx(text));
        },
      ),
      { numRuns: effort(40, 400) },
    );
  });

  test('a kernel truncated anywhere', () => {
    for (let at = 0; at < scan.length; at += effort(797, 97)) check(scan.slice(0, at), parsePtx(scan.slice(0, at)));
  });

  test.each([
    '',
    ' ',
    '\n\n',
    '// only a comment',
    ';',
    '@',
    '.version',
    '.version 8.0',
    '.target',
    '@p',
    'add',
    'add.u32',
    'add.u32 a',
    'mov.u32 a, (',
    '{',
    '\ufeff',
  ])('%j', checkAll);
});

describe('time and stack', () => {
  test('random bytes', () => {
    let state = 12345;
    const bytes = Array.from({ length: large(1 << 20) }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return String.fromCharCode(state >>> 24);
    }).join('');
    for (const dialect of dialects) expect(timed(bytes, dialect).module).toBeUndefined();
  });

  test('tens of thousands of lines', () => {
    const lines = Array.from(
      { length: large(25_000) },
      (_, i) =>
        `$L_${i}:\n\tshfl.sync.down.b32 %r${i}|%p1, %r${i + 1}, 16, 31, -1;\n\tadd.s32 %r${i + 2}, %r${i}, ${i};\n\t@%p1 bra $L_${i};`,
    );
    const text = `${head}.visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<30000>;\n${lines.join('\n')}\n\tret;\n}\n`;
    expect(timed(text).module?.functions[0]?.body.length).toBe(4 * large(25_000) + 1);
  });

  const longTexts: readonly (readonly [name: string, text: string])[] = [
    ['open braces', `${head}.entry k() {${'{'.repeat(large(100_000))}`],
    ['nested braces', `${head}.entry k() {${'{'.repeat(large(100_000))}${'}'.repeat(large(100_000))} ret; }`],
    ['parentheses', `mov.u32 r, ${'('.repeat(large(200_000))}1${')'.repeat(large(200_000))};`],
    ['signs', `mov.u32 r, ${'-'.repeat(large(200_000))}1;`],
    ['conditions', `mov.u32 r, ${'1?'.repeat(large(200_000))}1;`],
    ['a long sum', `mov.u32 r, ${'1+'.repeat(large(200_000))}1;`],
    ['initializer braces', `${head}.global .u32 x[] = ${'{'.repeat(large(200_000))};`],
    ['many initial values', `${head}.global .u32 x[] = {${'1,'.repeat(large(200_000))}1};`],
    ['many dimensions', `${head}.global .u32 x${'[2]'.repeat(large(100_000))};`],
    ['a huge range', `${head}.entry k() { .reg .b32 %r<16000000>; mov.u32 %r15999999, 1; ret; }`],
    ['a range that is too large', `${head}.entry k() { .reg .b32 %r<99999999999999999999>; ret; }`],
    ['repeated labels', 'L: '.repeat(large(200_000))],
    ['shadowed registers', `${head}.entry k() {${'{.reg .u32 r; mov.u32 r, 1;}'.repeat(large(20_000))} ret; }`],
    ['semicolons', ';'.repeat(large(500_000))],
    ['a long word', 'a'.repeat(large(500_000))],
    ['a long opcode', `add${'.a'.repeat(large(200_000))} x;`],
    ['a long number', `mov.u32 r, ${'9'.repeat(large(500_000))};`],
    ['unknown instructions', Array.from({ length: large(30_000) }, (_, i) => `xadd.u32 r${i};`).join('\n')],
    [
      'undeclared registers',
      `${head}.entry k() {${Array.from({ length: large(30_000) }, (_, i) => `.reg .u32 a${i}; mov.u32 b${i}, 1;`).join('\n')} }`,
    ],
    [
      'branches everywhere',
      Array.from(
        { length: large(10_000) },
        (_, i) => `L${i}: add.u32 r${i}, r${(i * 7919) % 10_000}, 1; @p${i % 100} bra L${(i * 31) % 10_000};`,
      ).join('\n'),
    ],
    ['branch tables', `T: .branchtargets ${'L,'.repeat(large(5000))}L; L: ${'brx.idx r, T;'.repeat(large(2000))}`],
    ['function declarations', `${head}${'.func f();'.repeat(large(50_000))}`],
    ['an unclosed string', `.file 1 "${'\\"'.repeat(large(200_000))}`],
  ];
  test.each(drawn(longTexts, 6))('%s', (_, text) => void timed(text));
});

test('any number of warnings is not a failure', () => {
  const text = Array.from({ length: 500 }, (_, i) => `add.u32 r${i}, a, 0x1ffffffff;`).join('\n');
  const { module, diagnostics } = parsePtx(text);
  expect(module?.functions[0]?.body.length).toBe(500);
  expect(diagnostics.length).toBe(50);
});

test('the parser reports fifty errors, and then one that it stopped', () => {
  const { diagnostics } = parsePtx('foo a;\n'.repeat(500));
  expect(diagnostics.length).toBe(51);
  expect(diagnostics.at(-1)?.code).toBe('PTX0199');
});

const kernelOf = (body: string): string => `${head}.visible .entry k()\n{\n${body}\nret;\n}\n`;

describe('diagnostics of limits', () => {
  test.each<[string, string, string]>([
    ['a name of millions of characters', kernelOf(`mov.u32 ${'a'.repeat(large(10_000_000))}, 1;`), 'PTX0401'],
    ['a string of millions of characters', `${head}.file 1 "${'a'.repeat(large(10_000_000))}"`, ''],
    ['a string of millions of escapes', `${head}.file 1 "${'\\n'.repeat(large(5_000_000))}"`, ''],
    ['an unclosed string of millions of characters', `${head}.file 1 "${'a'.repeat(large(10_000_000))}`, 'PTX0103'],
    ['a modifier of millions of characters', kernelOf(`ld.a${'::a'.repeat(large(3_000_000))} r;`), 'PTX0502'],
    ['a number of very many digits', kernelOf(`.reg .u32 r;\nmov.u32 r, ${'9'.repeat(large(1_000_000))};`), 'PTX0104'],
    [
      'a fraction of very many digits',
      kernelOf(`.reg .f32 r;\nmov.f32 r, ${'1'.repeat(large(1_000_000))}.5;`),
      'PTX0104',
    ],
    ['too many tokens', `${head}${';'.repeat(4_100_000)}`, 'PTX0106'],
    ['scopes a hundred deep', kernelOf('{'.repeat(101) + '}'.repeat(101)), 'PTX0215'],
    ['shared memory of 2^31 bytes', kernelOf('.shared .b8 s[2147483648];'), 'PTX0316'],
    ['shared memory of the module', `${head}.shared .b8 s[232449];`, 'PTX0316'],
    ['local memory of 2^31 bytes', kernelOf('.local .b8 s[2147483648];'), 'PTX0316'],
    ['the sum of local variables', kernelOf('.local .b8 a[400000];\n.local .b8 b[400000];'), 'PTX0317'],
    ['constants', `${head}.const .b8 c[65537];`, 'PTX0316'],
    ['global memory', `${head}.global .b8 g[268435457];`, 'PTX0316'],
    ['the sum of global variables', `${head}.global .b8 g[200000000];\n.global .b8 h[200000000];`, 'PTX0317'],
    ['more bytes than a double can count', `${head}.global .b8 g[4294967295][4294967295];`, 'PTX0307'],
    ['initial values far apart', `${head}.global .u8 g[4][134217728] = {{1},{1}};`, 'PTX0316'],
    [
      '17,000 parameters',
      `${head}.entry k(${Array.from({ length: 17_000 }, (_, i) => `.param .u64 p${i}`).join()}) { ret; }`,
      'PTX0317',
    ],
    [
      'many variables in one declaration',
      `${head}.global .u8 ${Array.from({ length: large(200_000) }, (_, i) => `v${i}`).join()};`,
      '',
    ],
  ])('%s', (_, text, code) => {
    const { diagnostics } = timed(text);
    expect(diagnostics.filter(({ severity }) => severity === 'error').map((each) => each.code)).toEqual(
      expect.arrayContaining(code === '' ? [] : [code]),
    );
    if (code === '') expect(diagnostics).toEqual([]);
    // Messages quote names, which may have any length.
    for (const { message, hint = '' } of diagnostics) expect(message.length + hint.length).toBeLessThan(5000);
  });

  test('the limits of hardware are accepted', () => {
    const text = `${head}.shared .b8 s[232448];\n.const .b8 c[65536];\n${kernelOf('.local .b8 l[524288];').slice(head.length)}`;
    expect(timed(text).diagnostics).toEqual([]);
  });
});
