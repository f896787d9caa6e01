// Untrusted links, decoded without a page: decoding never throws, the result is bounded, and the
// page accepts it.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState, maxInflated } from '../../../demo/link.ts';
import { maxSteps } from '../../../demo/program/limits.ts';
import { analyze } from '../../../demo/program/program.ts';
import { traceProgram } from '../../../demo/program/trace.ts';
import { initialState } from '../../../demo/state.ts';
import { drawn, effort } from '../../effort.ts';
import { hashOf, hostileLinks } from './hostile-links.ts';
import { drawLink, judgeLink } from './link-fuzz.ts';

/**
 * The number of drawn links. For a longer run: `LINKS=300000 LINKS_SEED=7 LINKS_OUT=links.json npx
 * vitest run test/unit/demo/demo-link.test.ts -t drawn`
 */
const count = Number(process.env.LINKS ?? effort(30, 1500));
const seed = Number(process.env.LINKS_SEED ?? 1);

/** Links that once failed to decode or decoded wrongly. */
const kept: readonly (readonly [seed: number, index: number])[] = [[20261121, 192568]];

describe('a link', () => {
  it.each(drawn(hostileLinks, 6))('of $name is refused or decoded to a state', async ({ hash }) => {
    const before = process.memoryUsage().arrayBuffers;
    const { problems } = await judgeLink(hash);
    expect(problems).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 << 20);
  });

  it('drawn at random is refused or decoded to a state', { timeout: 3_600_000 }, async () => {
    const failures: { seed: number; index: number; problems: readonly string[] }[] = [];
    const outcomes = { refused: 0, state: 0 };
    let slowestMs = 0;
    let mostBytes = 0;
    const start = performance.now();
    const numbers = [...kept, ...Array.from({ length: count }, (_, index): readonly [number, number] => [seed, index])];
    for (const [drawn, index] of numbers) {
      const { outcome, problems, ms } = await judgeLink(drawLink(drawn, index));
      if (problems.length > 0) failures.push({ seed: drawn, index, problems });
      outcomes[outcome]++;
      slowestMs = Math.max(slowestMs, ms);
      if (index % 1000 === 0) mostBytes = Math.max(mostBytes, process.memoryUsage().rss);
    }
    const seconds = (performance.now() - start) / 1000;
    const result = { links: numbers.length, seed, ...outcomes, failures, slowestMs, mostBytes, seconds };
    if (process.env.LINKS_OUT) writeFileSync(process.env.LINKS_OUT, `${JSON.stringify(result, null, 2)}\n`);
    expect(failures).toEqual([]);
    // Some links must be refused and some accepted, or the test would cover too little.
    expect(outcomes.refused).toBeGreaterThan(count / 10);
    expect(outcomes.state).toBeGreaterThan(count / 10);
  });

  it.each([
    ['just fits', maxInflated - 100, true],
    ['is too large', maxInflated + 100, false],
  ])('whose document %s', async (_, length, fits) => {
    const text = 'a'.repeat(length - '{"text":""}'.length);
    const state = await decodeState(`#${hashOf({ text })}`);
    expect(state?.text.length).toBe(fits ? text.length : undefined);
  });

  it('is not made from a text that links may not contain', async () => {
    expect(await encodeState({ ...initialState, text: 'a'.repeat(maxInflated) })).toBeUndefined();
  });

  it.each([
    [
      { block: 4294967295, grid: 4294967295 },
      { block: [1024, 1, 1], grid: [1024, 1, 1] },
    ],
    [
      { block: 0, grid: -1 },
      { block: [1, 1, 1], grid: [1, 1, 1] },
    ],
    [
      { block: 1.5, grid: '2' },
      { block: undefined, grid: undefined },
    ],
    [
      { block: [16, 16], grid: [2, 2, 2] },
      { block: [16, 16, 1], grid: [2, 2, 2] },
    ],
    [
      { block: [64, 64, 64], grid: [1, 2, 3, 4] },
      { block: [64, 1, 1], grid: undefined },
    ],
    [
      { shared: -5, block: ['x'] },
      { shared: 0, block: undefined },
    ],
    [
      { step: 4294967295, warp: 4294967295 },
      { step: maxSteps - 1, warp: 31 },
    ],
    [
      { query: 'x'.repeat(2000), entry: ['k'] },
      { query: 'shfl.sync', entry: '' },
    ],
    [
      { runs: -1, seed: 2 ** 32 },
      { runs: 0xffffffff, seed: 1 },
    ],
    [
      { inputs: { x: { pattern: 'lane', value: '', count: 1e9, as: 'toString', type: 'b8', more: 1 } } },
      { inputs: new Map([['x', { pattern: 'lane', value: '', count: 65536 }]]) },
    ],
    [{ inputs: { x: { pattern: 'lane' }, y: null, z: { pattern: '__proto__', value: '' } } }, { inputs: new Map() }],
  ])('with %j is clamped and checked', async (document, expected) => {
    expect(await decodeState(`#${hashOf(document)}`)).toEqual({ ...initialState, ...expected });
  });
});

describe('a text', () => {
  const programOf = (text: string) => {
    const { program, diagnostics } = analyze({ ...initialState, text });
    return { program, codes: diagnostics.map(({ code }) => code) };
  };

  it('may name its registers like members of objects', () => {
    const { program } = programOf('add.u32 x, constructor, 1;\nadd.u32 __proto__, toString, valueOf;');
    expect(program?.inputs.map(({ name }) => name)).toEqual(['constructor', 'toString', 'valueOf']);
    const last = program && traceProgram(program).steps[1];
    expect(last?.after.get('__proto__')?.values.slice(0, 3)).toEqual([0n, 2n, 4n]);
  });

  const kernel = (params: string): string =>
    `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(${params}) { ret; }`;
  const pointers = (count: number): string => Array.from({ length: count }, (_, n) => `.param .u64 p${n}`).join(', ');

  it.each([
    [
      'PAGE001',
      'more registers than the page accepts',
      Array.from({ length: 1100 }, (_, n) => `mov.u32 r${n}, 1;`).join('\n'),
    ],
    ['PAGE001', 'more parameters than the page accepts', kernel(pointers(1025))],
    ['PAGE002', 'two registers with one buffer', 'add.u32 a$, b, 1;\nadd.u32 a_, b, 1;'],
    ['PAGE007', 'no kernel', '.version 8.0\n.target sm_80\n.address_size 64\n.func f() { ret; }'],
  ])('gets %s for %s', (code, _, text) => {
    const { program, codes } = programOf(text);
    expect(program).toBeUndefined();
    expect(codes).toEqual([code]);
  });

  it('gets PAGE003 for buffers of gigabytes', () => {
    const inputs = new Map([['p7', { pattern: 'lane', value: '', as: 'buffer', type: 'u64', count: 65536 } as const]]);
    const state = {
      ...initialState,
      text: kernel(pointers(512)),
      block: [1024, 1, 1],
      grid: [64, 1, 1],
      inputs,
    } as const;
    expect(analyze(state).diagnostics.map(({ code }) => code)).toEqual(['PAGE003']);
  });

  it('that runs for long is limited to the page’s time, and its results are kept', () => {
    const { program } = programOf('L:\nadd.u32 x, x, 1;\nbra L;');
    if (!program) throw new Error('no program');
    const { steps, cut, error } = traceProgram(program, undefined, 0);
    expect([steps.length, cut, error]).toEqual([0, true, 'The reference was stopped after 0 s.']);
    expect(traceProgram(program, undefined, Number.POSITIVE_INFINITY).steps).toHaveLength(maxSteps);
  });
});
