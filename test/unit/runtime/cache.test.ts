// Translations that outlive a runtime: kept in a store, checked when read, and bounded in size.
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { planFor } from '../../../src/base/lane-plan.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';
import { fileStore } from '../../../src/runtime/cache/file-store.ts';
import { programsOf, programsText } from '../../../src/runtime/cache/program-text.ts';
import { excess } from '../../../src/runtime/cache/store.ts';
import type { RuntimeOptions, TranslationStore } from '../../../src/runtime/index.ts';
import { translate } from '../../../src/translate/index.ts';
import { addKernel, copyKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform, openFake } from './fake-runtime.ts';

/** A store in memory that counts its calls. */
class MemoryStore implements TranslationStore {
  readonly texts = new Map<string, string>();
  puts = 0;

  async get(key: string): Promise<string | undefined> {
    return this.texts.get(key);
  }

  async put(key: string, text: string): Promise<void> {
    this.puts += 1;
    this.texts.set(key, text);
  }
}

const text = moduleOf(
  addKernel,
  copyKernel,
  kernelOf('stops', ['u64 x'], 'setp.eq.u32 %p1, %i, 40; @%p1 trap; st.global.u32 [%x], %i;'),
);

/** Waits for the `count`th write. */
const writes = (store: MemoryStore, count: number) => vi.waitFor(() => expect(store.puts).toBe(count), 20_000);
/** Waits long enough for an unexpected write to happen. */
const noWrites = () => new Promise((resolve) => setTimeout(resolve, 300));

interface Visit {
  readonly subgroupSize?: number;
  readonly ptx?: string;
}

/** Opens a runtime and adds numbers in it. Returns the first result. */
async function addOnce(
  cache: NonNullable<RuntimeOptions['cache']>,
  { subgroupSize = 32, ptx = text }: Visit = {},
): Promise<number | undefined> {
  const { rt } = await openFake({ features: ['subgroups'], subgroupSize }, { cache });
  const mod = await rt.load(ptx);
  const x = rt.alloc(256);
  mod.kernel('add').launch({ grid: 1, block: 64 }, [x, 7]);
  const [first] = await x.read(Uint32Array);
  rt.close();
  return first;
}

/** Adds numbers, and waits until the program is in the store. */
async function addAndKeep(store: MemoryStore, visit: Visit = {}): Promise<number | undefined> {
  const before = store.puts;
  const first = await addOnce(store, visit);
  await writes(store, before + 1);
  return first;
}

onEachPlatform('the cache of translations', () => {
  test('translates a launch shape once', async () => {
    const store = new MemoryStore();
    expect(await addAndKeep(store)).toBe(7);
    for (let visit = 0; visit < 2; visit++) expect(await addOnce(store)).toBe(7);
    await noWrites();
    expect([store.puts, store.texts.size]).toEqual([1, 1]);
  });

  test('uses the kept program', async () => {
    const store = new MemoryStore();
    await addAndKeep(store);
    const [[key = '', kept = ''] = []] = store.texts;
    const programs = await programsOf(key, kept);
    // Changes the kept program so that it computes a different sum. If the next runtime returns
    // this sum, it has run the kept program.
    const changed = new Map(
      [...(programs ?? [])].map(([shape, program]) => [
        shape,
        { ...program, code: program.code.replace(/(\w+) \+ (params\.\w+|\w+\.n\b)/, '$1 + 1u + $2') },
      ]),
    );
    expect([...changed.values()][0]?.code).not.toBe([...(programs ?? new Map()).values()][0]?.code);
    store.texts.set(key, await programsText(key, changed));
    expect(await addOnce(store)).toBe(8);
  });

  test('translates again after any damage', async () => {
    const store = new MemoryStore();
    await addAndKeep(store);
    const [[key = '', kept = ''] = []] = store.texts;
    const damaged = [kept.replace('32', '33'), kept.slice(0, -1), '', 'x'.repeat(100), `${'0'.repeat(64)}[]`];
    for (const bad of damaged) {
      store.texts.set(key, bad);
      expect(await addAndKeep(store)).toBe(7);
      expect(store.texts.get(key)).toBe(kept);
    }
  });

  test('keeps modules and devices apart', async () => {
    const store = new MemoryStore();
    await addAndKeep(store);
    await addAndKeep(store, { subgroupSize: 8 });
    await addAndKeep(store, { ptx: text.replace('%r1, %r1, %n', '%r1, %n, %n') });
    // The store has one text for each module, with a program for each device.
    expect([store.texts.size, store.puts]).toEqual([2, 3]);
  });

  test('keeps the places of traps and the errors of kernels', async () => {
    const store = new MemoryStore();
    for (let visit = 0; visit < 2; visit++) {
      const { rt } = await openFake({}, { cache: store });
      const mod = await rt.load(text, { file: `visit-${visit}.ptx` });
      const x = rt.alloc(256);
      mod.kernel('stops').launch({ grid: 1, block: 64 }, [x]);
      await expect(rt.synchronize()).rejects.toThrow(new RegExp(`visit-${visit}\\.ptx:\\d+:\\d+: error\\[RUN013\\]`));
      rt.close();
      await writes(store, 1);
      await noWrites();
    }
  });

  test('works without a store, and with one that fails', async () => {
    const failing: TranslationStore = {
      get: () => Promise.reject(new Error('no')),
      put: () => Promise.reject(new Error('full')),
    };
    for (const cache of [failing, false, true]) expect(await addOnce(cache)).toBe(7);
  });
});

describe('texts of programs', () => {
  const float = {
    mode: 'exact',
    denormals: 'flushed',
    fma: 'fused',
    contracts: true,
    div: 'approx',
    sqrt: 'approx',
  } as const;
  const kernels = [
    'print_lines',
    'memory_module',
    'grid_totals_two',
    'counters16',
    'reduce_block_sum',
    'function_table',
  ];

  test.each(kernels)('restore the program of %s', async (name) => {
    const { ptx, entry, block, sharedBytes } = readCase(join(import.meta.dirname, `../../kernels/${name}.json`));
    const options = { entry, block, sharedBytes, plan: planFor(32), float, reportTraps: true };
    const { program } = translate(parsePtxOrThrow(ptx), options);
    if (!program) throw new Error(`${name} is not translated`);
    const restored = await programsOf('k', await programsText('k', new Map([['shape', program]])));
    expect(restored?.get('shape')).toEqual(program);
    expect(await programsOf('other', await programsText('k', new Map()))).toBeUndefined();
  });
});

describe('the store in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-cache-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('keeps texts, and ignores files that others can change', async () => {
    const own = join(folder, 'own');
    const store = fileStore(own);
    await store?.put('a', 'ä text');
    expect(await store?.get('a')).toBe('ä text');
    await expect(store?.get('b')).rejects.toThrow();
    const [name = ''] = readdirSync(own);
    chmodSync(join(own, name), 0o666);
    expect(await store?.get('a')).toBeUndefined();
    rmSync(join(own, name));
    writeFileSync(join(folder, 'elsewhere'), 'x');
    symlinkSync(join(folder, 'elsewhere'), join(own, name));
    expect(await store?.get('a')).toBeUndefined();
  });

  test('removes the texts that were not used for the longest time', async () => {
    const own = join(folder, 'bounded');
    const store = fileStore(own);
    const large = 'x'.repeat(12 * 2 ** 20);
    for (const [index, key] of ['a', 'b'].entries()) {
      await store?.put(key, large);
      utimesSync(join(own, `translations-${key}`), index, index);
    }
    await store?.get('a');
    await store?.put('c', large);
    expect(readdirSync(own).sort()).toEqual(['translations-a', 'translations-c']);
    expect(readFileSync(join(own, 'translations-c'), 'utf8')).toHaveLength(large.length);
  });

  test('chooses what to remove by the last use', () => {
    const entry = (key: string, size: number, used: number) => ({ key, size, used });
    const list = [entry('old', 5, 1), entry('new', 5, 3), entry('middle', 5, 2)];
    expect(excess(list, 15)).toEqual([]);
    expect(excess(list, 12)).toEqual(['old']);
    expect(excess(list, 4)).toEqual(['new', 'middle', 'old']);
  });
});
