// Valid PTX that is not supported: the diagnostic names the line.
import { describe, expect, test } from 'vitest';
import { isaRows } from '../../../src/isa/index.ts';
import { manualInstructions } from '../../../src/isa/manual.ts';
import { patternOf } from '../../../src/isa/match.ts';
import { parsePtx } from '../../../src/ptx/index.ts';
import { inKernel, render } from './diagnostic-text.ts';

test('unsupported directives and instructions', () =>
  expect(
    render(inKernel('\tcvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;\n\ttcgen05.wait::ld.sync.aligned;')),
  ).toMatchInlineSnapshot(`
    "
    k.ptx:7:5: error[PTX0802]: \`.rs\` is not supported on \`cvt.rs.f16x2.f32\`
    7 |     cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;
      |        ^^^

    k.ptx:8:2: error[PTX0801]: \`tcgen05.wait::ld.sync.aligned\` is valid PTX, but not supported
    8 |     tcgen05.wait::ld.sync.aligned;
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "
  `));

describe("the manual's instructions without a row", () => {
  const words = new Set(isaRows.map((row) => patternOf(row).word));
  const without = manualInstructions().filter(({ name }) => !words.has(name.split('.')[0] ?? ''));

  test('the list is not empty', () => expect(without.length).toBeGreaterThan(20));

  test.each(without.map(({ name }) => name))('the diagnostic of %s names its line', (name) => {
    const { module } = parsePtx(inKernel(`\t${name}.b32 {%r1, %r2}, [%rd1, {%r1}], %p1;`));
    const [refused] = module?.functions.flatMap(({ body }) => body.filter(({ kind }) => kind === 'unsupported')) ?? [];
    expect(refused).toMatchObject({ opcode: `${name}.b32`, diagnostic: { code: 'PTX0801' } });
    expect(refused?.kind === 'unsupported' && refused.diagnostic.message).toContain(name);
  });
});
