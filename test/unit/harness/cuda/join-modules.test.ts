// Tests which modules the CUDA driver may compile as one, and the joined text.
import { expect, test } from 'vitest';
import { joinModules } from '../../../../src/harness/cuda/join-modules.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { parsePtx } from '../../../../src/ptx/index.ts';

const texts = Array.from({ length: 24 }, (_, index) => printKernel(generateKernel(31, index)).ptx);
const holdsMore = (text: string) => /^\s*(?:\.const|\.func|\.extern|\.visible \.func|\.global)/m.test(text);

test('kernels of one version and target become one module with unique names', () => {
  const lone = texts.filter((text) => !holdsMore(text) && text.startsWith('.version 8.8\n.target sm_90\n'));
  const [first = '', ...others] = lone;
  const joined = joinModules(first, [...others, first]);
  expect([...(joined?.entries.keys() ?? [])]).toEqual(lone);
  const { module, diagnostics } = parsePtx(joined?.text ?? '', { file: 'joined.ptx' });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(module?.functions.map(({ name }) => name)).toEqual(lone.map((_, at) => `k_${at}`));
});

test('kernels of one module share dynamic shared memory', () => {
  const text =
    '.version 8.8\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 far[];\n.visible .entry k()\n{\n\tret;\n}\n';
  const joined = joinModules(text, [text.replace('ret', 'exit')]);
  expect(joined?.text.match(/\.extern|\.entry/g)).toEqual(['.extern', '.entry', '.entry']);
});

test.each([
  ['also has a function', (text: string) => text.replace('.visible .entry', '.func f()\n{\nret;\n}\n.visible .entry')],
  ['has code after its kernel', (text: string) => `${text}\n.global .u32 x;`],
  ['declares a variable in its kernel', (text: string) => text.replace('\texit', '\t.global .u32 x;\n\texit')],
  ['declares a variable after a brace', (text: string) => text.replace('\n\texit', '.global .u32 x;exit')],
  ['is for another target', (text: string) => text.replace('.target sm_90', '.target sm_80')],
  ['has another version', (text: string) => text.replace(/\.version \S+/, '.version 8.0')],
])('a module is compiled separately if the other one %s', (_, changed) => {
  const text = '.version 8.8\n.target sm_90\n.address_size 64\n\n.visible .entry k()\n{\n\tret;\n}\n';
  expect(joinModules(text, [text.replace('ret', 'exit')])?.entries.size).toBe(2);
  expect(joinModules(text, [changed(text.replace('ret', 'exit'))])).toBeUndefined();
});
