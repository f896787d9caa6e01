// The explanations show PTX kernels and the forms that the compiler prints of them. A comment names
// each form: `<!-- printed: lower-control -->`, or `<!-- printed: wgsl subgroups of 8 -->`. An
// `excerpt` is part of a form. `UPDATE=1` writes the forms into the pages.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';
import { type FloatProfile, type LanePlan, planFor, translate } from '../../../src/translate/index.ts';
import { exactFloats } from '../../lockstep/float-profiles.ts';

const folder = join(import.meta.dirname, '../../../docs/explanation');
const marked = /(<!-- printed: ([\w -]+) -->\n```\w+\n)([\s\S]*?)(```\n)/g;
interface Adapter {
  readonly plan: LanePlan;
  readonly float: FloatProfile;
}

/** Adapters by the words that follow the form's name. */
const adapters: Readonly<Record<string, Adapter>> = {
  '': { plan: planFor(32), float: exactFloats },
  'subgroups of 8': { plan: planFor(8), float: exactFloats },
  'subgroups of 32': { plan: planFor(32), float: exactFloats },
  'subgroups of 64': { plan: planFor(64), float: exactFloats },
  'no subgroups': { plan: planFor(0), float: exactFloats },
  'flushed subnormals': { plan: planFor(32), float: { ...exactFloats, denormals: 'flushed' } },
};

/** Maps each form that a page names to the text that the page shows for it. */
const shownForms = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(marked)].map(([, , form = '', text = '']) => [form, text]));

function printedForm(ptx: string, file: string, form: string): string | undefined {
  const [name = '', ...words] = form.split(' ');
  if (name === 'ptx') return ptx;
  const adapter = adapters[words.join(' ')];
  if (adapter === undefined) throw new Error(`unknown adapter: ${form}`);
  const printed = new Map<string, string>();
  const { program } = translate(parsePtxOrThrow(ptx, { file }), {
    ...adapter,
    block: [32, 1, 1],
    verify: true,
    observe: (pass, text) => void printed.set(pass, text),
  });
  return name === 'wgsl' ? program?.code : printed.get(name);
}

const pages = readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'utf8').includes('<!-- printed:'));

it('several explanations show printed forms', () => {
  expect(pages).toContain('divergent-loop.md');
  expect(pages.length).toBeGreaterThan(2);
});

describe.each(pages)('docs/explanation/%s', (name) => {
  const path = join(folder, name);
  const page = readFileSync(path, 'utf8');
  const forms = shownForms(page);
  const [, file = 'kernel.ptx'] = /translate (\w+\.ptx)/.exec(page) ?? [];
  const ptx = forms.get('ptx') ?? '';
  if (process.env.UPDATE) {
    const updated = page.replaceAll(marked, (all, before: string, form: string, _: string, after: string) => {
      const text = printedForm(ptx, file, form);
      return text === undefined ? all : `${before}${text}${after}`;
    });
    writeFileSync(path, updated);
  }
  const shown = shownForms(readFileSync(path, 'utf8'));

  it('begins with the PTX, and shows each form once', () => {
    expect([...shown.keys()][0]).toBe('ptx');
    expect(shown.size).toBe([...page.matchAll(/<!-- printed:/g)].length);
  });

  const excerpts = [...page.matchAll(/<!-- excerpt: ([\w -]+) -->\n```\w+\n([\s\S]*?)```\n/g)];
  it.each(excerpts.map(([, form = '', text = '']) => ({ form, text })))('shows a part of $form', ({ form, text }) => {
    expect(printedForm(ptx, file, form)).toContain(text);
  });

  it.each([...shown.keys()])('shows the printed form `%s`', (form) => {
    expect(shown.get(form)).toBe(printedForm(ptx, file, form));
  });
});
