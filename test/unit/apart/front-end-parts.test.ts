// The parser in a page loads the rare instructions and the diagnostics when a text needs them. This
// file does not import `provide-parts.ts`.
import { expect, test } from 'vitest';
import { parseText } from '../../../src/ptx/parse-text.ts';
import { parseModuleInPage } from '../../../src/ptx/parts/load.ts';

const kernel = (body: string): string =>
  `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { ${body} }`;

// These tests are the first, because later ones load the parts.
test.each([
  ['opcodes', '.reg .f64 %d; add.rn.f64 %d, %d, %d; ret;'],
  ['opcodes', 'unknown.u32;'],
  ['diagnostics', '.reg .b32 %r; add.u32 %r, %r, %q;'],
])('a text that needs the part `%s` is an internal error of the parser: %s', (part, body) => {
  expect(() => parseText({ file: 'k.ptx', text: kernel(body) })).toThrow(
    `the part \`${part}\` of the compiler is not loaded`,
  );
});

test('a page loads the parts that a text needs', async () => {
  const parsed = (body: string) => parseModuleInPage({ file: 'k.ptx', text: kernel(body) });
  await expect(parsed('.reg .b32 %r; add.u32 %r, %r, %q;')).rejects.toThrow('PTX0404');
  await expect(parsed('unknwn.u32;')).rejects.toThrow('PTX0501');
  const module = await parsed('.reg .f64 %d; add.rn.f64 %d, %d, %d; ret;');
  expect(module.functions.map(({ name }) => name)).toEqual(['k']);
});
