// The front end on damaged PTX: it always returns a module or diagnostics within the time limit.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fuzzFrontEnd, tryFrontEnd } from '../../../../src/harness/fuzz/front-end.ts';
import { effort, selection } from '../../../effort.ts';

const read = (folder: string) => {
  const url = new URL(folder, import.meta.url);
  const names = readdirSync(url).filter((name) => name.endsWith('.ptx'));
  return names.map((name) => ({ name, text: readFileSync(new URL(name, url), 'utf8') }));
};
const kept = read('../../../fuzz-cases/front-end/');
const kernels = read('../../../kernels/');

test('mutants of texts with each kind of diagnostic are handled', () => {
  expect(kept.length).toBeGreaterThanOrEqual(100);
  for (const { name, text } of kept) expect(tryFrontEnd(text), name).toMatchObject({ problem: undefined });
});

test('kernels of the corpus are valid, and most are translated unchanged', () => {
  const outcomes = selection(kernels, 15, () => '').map(({ text }) => tryFrontEnd(text));
  expect(outcomes.filter(({ parsed, problem }) => !parsed || problem !== undefined)).toEqual([]);
  expect(outcomes.filter(({ translated }) => translated).length).toBeGreaterThan(outcomes.length * 0.9);
});

describe('mutated', () => {
  test.each([
    ['kernels', kernels, effort(60, 800)],
    ['texts that had diagnostics', kept, effort(250, 1500)],
  ])('%s', (_, corpus, count) => {
    const { failures, inputs, parsed } = fuzzFrontEnd(corpus, { seed: 3, count });
    expect(failures).toEqual([]);
    expect(inputs).toBe(count);
    // Some inputs must pass the parser, and some must not.
    expect(parsed).toBeGreaterThan(0);
    expect(parsed).toBeLessThan(count);
  });
});

test('variables larger than any buffer are refused', () => {
  const text =
    '.version 8.0\n.target sm_80\n.address_size 64\n.global .b8 x[4000000000];\n.entry k() { .reg .b32 a; ld.global.u32 a, [x]; st.global.u32 [x+4], a; ret; }';
  expect(tryFrontEnd(text)).toEqual({ parsed: false, translated: false, codes: 'PTX0316', problem: undefined });
});
