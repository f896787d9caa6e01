// Diagnostics for syntax errors in PTX and SASS, and their rendering.
import { describe, expect, test } from 'vitest';
import { PtxError, parsePtx, parsePtxOrThrow, renderDiagnostics } from '../../../src/ptx/index.ts';
import { inKernel, render } from './diagnostic-text.ts';

describe('syntax', () => {
  test('a missing semicolon causes no further errors', () =>
    expect(render(inKernel('\tadd.u32 %r1, %r2, 3\n\tadd.u32 %r1, %r2, 4;'))).toMatchInlineSnapshot(`
      "
      k.ptx:7:21: error[PTX0202]: expected \`;\` at the end of the instruction
      7 |     add.u32 %r1, %r2, 3
        |                        ^
      "
    `));
  test('no version', () =>
    expect(render('.visible .entry k() { ret; }')).toMatchInlineSnapshot(`
    "
    k.ptx:1:1: error[PTX0312]: a module starts with \`.version\`
    1 | .visible .entry k() { ret; }
      | ^^^^^^^^
      = hint: for example \`.version 8.0\`, then \`.target sm_80\` and \`.address_size 64\`
    "
  `));
  test('a misspelled directive, and a misspelled type', () =>
    expect(
      render('.version 7.0\n.target sm_80\n.visble .entry k() { ret; }\n.global .b23 x;\n'),
    ).toMatchInlineSnapshot(`
      "
      k.ptx:3:1: error[PTX0205]: unknown directive \`.visble\`
      3 | .visble .entry k() { ret; }
        | ^^^^^^^
        = hint: did you mean \`.visible\`?

      k.ptx:4:9: error[PTX0304]: unknown type \`.b23\`
      4 | .global .b23 x;
        |         ^^^^
        = hint: did you mean \`.b32\`?
      "
    `));
  test('an instruction outside a function', () =>
    expect(render('.version 7.0\n.target sm_80\nadd.u32 a, b, c;\n.entry k() { ret; }')).toMatchInlineSnapshot(`
      "
      k.ptx:3:1: error[PTX0203]: \`add\` does not belong here
      3 | add.u32 a, b, c;
        | ^^^
        = hint: instructions stand in the body of an \`.entry\` or \`.func\`
      "
    `));
  test('unclosed', () =>
    expect(render('.version 7.0\n.target sm_80\n.entry k() {\n  { ret;\n/* note')).toMatchInlineSnapshot(`
    "
    k.ptx:4:3: error[PTX0204]: this \`{\` is never closed
    4 |   { ret;
      |   ^

    k.ptx:5:1: error[PTX0102]: this comment is never closed
    5 | /* note
      | ^^
      = hint: end it with \`*/\`
    "
  `));
  test('several statements, several messages', () => {
    const text = inKernel('\tadd.u32 %r1, %r2;\n\tfoo %r1;\n\tmov.u32 %r1, 089;\n\tmov.u32 %r1 %r2;\n\tbra;');
    expect(parsePtx(text).diagnostics.map(({ code }) => code)).toEqual([
      'PTX0505',
      'PTX0501',
      'PTX0104',
      'PTX0201',
      'PTX0505',
    ]);
  });
});

describe('SASS', () => {
  test('ranges, roles and modes', () =>
    expect(
      render(
        'SHFL P1, Ry, Rx, 1, 0\nSHFL.UP P1, Ry, Rx, 32, 0x2000\nSHFL.UP R1, Ry, Rx, 3, 1\nFADD Rx, Ry\nIADD3 R1, R2, R3, R4\nadd.f32 R1, R2, R3;',
      ),
    ).toMatchInlineSnapshot(`
      "
      k.ptx:1:1: error[PTX0904]: SHFL requires a mode; there is no default
      1 | SHFL P1, Ry, Rx, 1, 0
        | ^^^^
        = hint: add one of \`.IDX\`, \`.UP\`, \`.DOWN\`, \`.BFLY\`

      k.ptx:2:21: error[PTX0907]: immediate Sb has 5 bits: 0 to 31
      2 | SHFL.UP P1, Ry, Rx, 32, 0x2000
        |                     ^^
        = hint: put other values into a register

      k.ptx:3:9: error[PTX0905]: expected a predicate such as \`P0\`, found \`R1\`
      3 | SHFL.UP R1, Ry, Rx, 3, 1
        |         ^^

      k.ptx:4:1: error[PTX0906]: \`FADD\` takes 3 operands, not 2
      4 | FADD Rx, Ry
        | ^^^^
        = hint: its form is \`FADD Rd, Ra, Sb\`

      k.ptx:5:1: error[PTX0902]: SASS instruction \`IADD3\` is not supported
      5 | IADD3 R1, R2, R3, R4
        | ^^^^^
        = hint: supported are \`SHFL\`, \`SEL\`, \`FADD\`, \`FMUL\`, \`FFMA\`, \`MOV\`, \`EXIT\`, \`NOP\`

      k.ptx:6:1: error[PTX0910]: PTX among SASS
      6 | add.f32 R1, R2, R3;
        | ^^^
        = hint: SASS opcodes are in capitals
      "
    `));
});

describe('rendering', () => {
  const codeFrame = (text: string) => render(text).split('\n').slice(2, 4).join('\n');
  test('tabs are expanded', () =>
    expect(codeFrame('\tmov.u32\ta,\tfoo bar;')).toMatchInlineSnapshot(`
    "1 |     mov.u32 a,  foo bar;
      |                     ^^^"
  `));
  test('wide characters take two columns', () =>
    expect(codeFrame('/* 日本語 👍 */ foo a;')).toMatchInlineSnapshot(`
    "1 | /* 日本語 👍 */ foo a;
      |                 ^^^"
  `));
  test('control characters take one', () =>
    expect(codeFrame('mov.u32 a, \u0001;')).toMatchInlineSnapshot(`
    "1 | mov.u32 a, �;
      |            ^"
  `));
  test('long lines are truncated', () => {
    const [code = '', carets = ''] = codeFrame(`${'/* x */ '.repeat(100)}foo a;${' '.repeat(300)}`).split('\n');
    expect(code.length).toBeLessThan(180);
    expect(code.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('foo');
  });
  test('CRLF', () =>
    expect(render('mov.u32 a, 1;\r\nfoo a;\r\n')).toMatchInlineSnapshot(`
    "
    k.ptx:2:1: error[PTX0501]: unknown instruction \`foo\`
    2 | foo a;
      | ^^^
    "
  `));
  test('color only on request', () => {
    const source = { file: 'k.ptx', text: 'foo a;' };
    const { diagnostics } = parsePtx(source.text);
    expect(renderDiagnostics(source, diagnostics)).not.toContain('\u001b');
    expect(renderDiagnostics(source, diagnostics, { color: true })).toContain('\u001b[1;31merror[PTX0501]\u001b[0m');
  });
  test('PtxError carries source and diagnostics, and has a readable message', () => {
    const parse = () => parsePtxOrThrow('foo a;', { file: 'a.ptx' });
    expect(parse).toThrow(PtxError);
    expect(parse).toThrow(/^a\.ptx:1:1: error\[PTX0501\]: unknown instruction `foo`/);
  });
});
