// The page about a divergent loop shows what the compiler prints. `UPDATE=1` writes the printed forms.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';
import { planFor, translate } from '../../../src/translate/index.ts';

const path = join(import.meta.dirname, '../../../docs/explanation/divergent-loop.md');
const marked = /(<!-- printed: ([\w-]+) -->\n```\w+\n)([\s\S]*?)(```\n)/g;
const forms = ['ptx', 'build', 'join-waits', 'structure', 'lower-control', 'wgsl'];

const float = {
  mode: 'exact',
  denormals: 'kept',
  fma: 'fused',
  contracts: false,
  div: 'exact',
  sqrt: 'exact',
} as const;

/** The forms of the page's kernel, by name. */
function printedForms(ptx: string): ReadonlyMap<string, string> {
  const printed = new Map([['ptx', ptx]]);
  const { program } = translate(parsePtxOrThrow(ptx, { file: 'rounds.ptx' }), {
    block: [32, 1, 1],
    plan: planFor(32),
    float,
    verify: true,
    observe: (pass, text) => void printed.set(pass, text),
  });
  if (program !== undefined) printed.set('wgsl', program.code);
  return printed;
}

const blocksOf = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(marked)].map(([, , name = '', text = '']) => [name, text]));

const page = readFileSync(path, 'utf8');
const printed = printedForms(blocksOf(page).get('ptx') ?? '');
if (process.env.UPDATE) {
  const updated = page.replaceAll(marked, (all, before: string, name: string, _: string, after: string) => {
    const text = printed.get(name);
    return text === undefined ? all : `${before}${text}${after}`;
  });
  writeFileSync(path, updated);
}

describe('the page about a divergent loop', () => {
  const shown = blocksOf(readFileSync(path, 'utf8'));

  it('shows each form once, in order', () => {
    expect([...shown.keys()]).toEqual(forms);
  });

  it.each(forms)('shows the form `%s` as it is printed', (name) => {
    expect(shown.get(name)).toBe(printed.get(name));
  });
});
