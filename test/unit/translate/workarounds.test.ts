// The registry of workarounds: the adapters to which each workaround applies, and that no
// workaround changes a result.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AdapterFacts } from '../../../src/base/adapter-facts.ts';
import type { Launch } from '../../../src/base/launch.ts';
import { registry } from '../../../src/base/workaround-registry.ts';
import { allWorkarounds, type WorkaroundId, type Workarounds, workaroundsFor } from '../../../src/base/workarounds.ts';
import { benchSelection, selectEntries } from '../../../src/cli/bench-selection.ts';
import { checkWorkaround } from '../../../src/harness/bench/check-workarounds.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import type { RunOptions } from '../../../src/harness/executors/executor.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { runCase } from '../../../src/harness/runs/run-case.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

const root = new URL('../../../', import.meta.url).pathname;
const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`${root}src/${file}`, 'utf8'));
const without = (id: WorkaroundId): Workarounds => new Set([...allWorkarounds].filter((other) => other !== id));

const nowhere: AdapterFacts = { vendor: '', architecture: '', device: '', description: '', host: '' };
const nvidia = { ...nowhere, vendor: 'nvidia', description: 'NVIDIA: 580.159.04 580.159.4.0' };
const swiftshader = { ...nowhere, vendor: 'google', architecture: 'swiftshader' };
const lavapipe = { ...nowhere, vendor: 'mesa', description: 'llvmpipe: Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6) 0.0.1' };
const apple = { ...nowhere, vendor: 'apple', architecture: 'metal-3' };

const ofNvidia = ['part-bit-tests', 'shift-before-extract', 'ballot-for-any', 'select-by-votes', 'sink-rest'] as const;
const ofNaga = ['run-time-literals'] as const;
const ofTint = ['bound-thread-number', 'clamp-array-bases', 'clamp-matrix-starts'] as const;

describe('the workarounds of an adapter', () => {
  const chrome = 'HeadlessChrome/156.0.8078.79';
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0';
  test.each<[string, AdapterFacts, readonly WorkaroundId[]]>([
    ['an adapter without a report', nowhere, []],
    ['an unknown vendor', { ...nowhere, vendor: 'somebody' }, []],
    ['NVIDIA in Chrome', { ...nvidia, host: chrome }, ofNaga],
    ['NVIDIA in Firefox', { ...nowhere, description: 'NVIDIA H200', host: 'firefox/153.7.0' }, ofTint],
    ['a page of Firefox', { ...nowhere, host: userAgent }, ofTint],
    ['SwiftShader in Chrome', { ...swiftshader, host: chrome }, [...ofNvidia, ...ofNaga]],
    ['lavapipe in Dawn', { ...lavapipe, host: 'Dawn (webgpu 0.6.2), Node 20.20.2' }, [...ofNvidia, ...ofNaga]],
    ['Apple behind WebDriver', { ...apple, host: 'chrome/156.0.8078.79 mac' }, [...ofNvidia, ...ofNaga]],
    [
      'Apple in Safari',
      { ...apple, host: 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1 Version/26.0 Safari/605.1' },
      ofNvidia,
    ],
  ])('%s', (_, facts, absent) => {
    const active = workaroundsFor(facts);
    expect([...allWorkarounds].filter((id) => !active.has(id)).sort()).toEqual([...absent].sort());
  });
});

describe.each(registry)('$id', ({ id, effect, kernels, evidence }) => {
  test('has evidence', () => {
    const [file = '', anchor] = evidence.split('#');
    const text = readFileSync(root + file, 'utf8');
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    if (anchor !== undefined) expect(anchors).toContain(anchor);
  });

  test('is named by the code that applies it', () => {
    expect(sources.some((text) => text.includes(`has('${id}')`))).toBe(true);
  });

  if (effect === 'speed')
    test.each(kernels)('has the benchmark %s', (kernel) => {
      expect(selectEntries(benchSelection([kernel]), true).map((entry) => entry.id)).toContain(kernel);
    });
  else
    describe.each(kernels)('%s', (kernel) => {
      const launch = readCase(`${root}test/fuzz-cases/${kernel}.json`);
      test.each([32, 8, 1])('is right without it in subgroups of %d', async (size) => {
        const executor = lockstepExecutor(size, { workarounds: without(id), flushes: true });
        const [result] = await runCase(launch, [executor]);
        expect(result).toMatchObject({ status: 'pass', mismatches: 0 });
      });
    });
});

describe('checkWorkaround', () => {
  /** Simulates a GPU whose results are right only with the workaround, or always. */
  const machine = (active: boolean, isRight: (has: boolean) => boolean) => {
    const good = lockstepExecutor(32);
    return {
      ...good,
      name: 'dawn' as const,
      describe: () => ({
        ...good.describe(),
        name: 'dawn' as const,
        workarounds: active ? (['part-bit-tests'] as const) : [],
      }),
      run: async (launch: Launch, { toggled }: RunOptions = {}) => {
        const run = await good.run(launch);
        if (isRight(active !== (toggled === 'part-bit-tests'))) return run;
        return { ...run, outputs: new Map([...run.outputs].map(([at, bytes]) => [at, bytes.map((byte) => byte ^ 1)])) };
      },
      time: () => Promise.reject(new Error('nothing is measured')),
    };
  };
  const [row] = registry.filter(({ id }) => id === 'part-bit-tests');
  const options = { reference: cpuExecutor(), sampling: { sampleMs: 1, rounds: 1, samplesPerRound: 1 } };
  const entryOf = () => {
    throw new Error('nothing is measured');
  };
  test.each([
    [true, (has: boolean) => has, 'needed', 'pass'],
    [true, () => true, 'not needed', 'pass'],
    [true, () => false, 'failing', 'fail'],
    [false, (has: boolean) => has, 'needed', 'fail'],
    [false, () => true, 'not needed', 'pass'],
  ] as const)('active %s, %s: %s', async (active, isRight, verdict, status) => {
    if (row === undefined) throw new Error('the registry has no part-bit-tests');
    const check = await checkWorkaround(row, 'flag_behind_match', machine(active, isRight), { ...options, entryOf });
    expect(check).toMatchObject({ active, verdict, asIs: { status } });
  });
});
