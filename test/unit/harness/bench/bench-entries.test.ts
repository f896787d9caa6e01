// Benchmark entries: every warp row has some, each is defined PTX, and its kernels compute the
// results that their names imply.
import { expect, test } from 'vitest';
import { f16, roundTo, valueIn } from '../../../../src/cpu-ref/lane/half-format.ts';
import { compareWindows } from '../../../../src/harness/bench/check.ts';
import type { BenchEntry } from '../../../../src/harness/bench/entries/entry.ts';
import { instructionEntries } from '../../../../src/harness/bench/entries/instruction-entries.ts';
import { kernelEntries } from '../../../../src/harness/bench/entries/kernel-entries.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { referenceWindows } from '../../../../src/harness/executors/run-sequence.ts';
import { launchOf } from '../../../../src/harness/launches/launch-sequence.ts';
import { warpRows } from '../../../../src/isa/index.ts';
import { planFor, translate } from '../../../../src/translate/index.ts';
import { drawn, inTurn } from '../../../effort.ts';

const instructions = instructionEntries({ software: true });
const kernels = kernelEntries();

const float = {
  mode: 'exact',
  denormals: 'flushed',
  fma: 'fused',
  contracts: false,
  div: 'approx',
  sqrt: 'approx',
} as const;

function entryOf(name: string): BenchEntry {
  const entry = kernels.find(({ id }) => id === `kernel:${name}`);
  if (!entry) throw new Error(`no kernel ${name}`);
  return entry;
}

async function resultsOf(name: string): Promise<{ entry: BenchEntry; words: (buffer: string) => Uint32Array }> {
  const entry = entryOf(name);
  const windows = await referenceWindows(entry.make('check', 1).sequence);
  return { entry, words: (buffer) => new Uint32Array((windows.get(buffer) ?? new Uint8Array()).slice().buffer) };
}

/**
 * Changes a kernel so that the blocks are numbered from the last one, because the interpreter runs
 * them in order.
 */
function fromTheLast(ptx: string): string {
  const numbered = /mov\.u32\s+(%r\d+), %ctaid\.x;/g;
  expect(ptx).toMatch(numbered);
  const reversed =
    '{ .reg .u32 last; mov.u32 last, %nctaid.x; sub.u32 last, last, 1; mov.u32 $1, %ctaid.x; sub.u32 $1, last, $1; }';
  return ptx.replace(numbered, reversed);
}

/** Returns the words that fill.cu computes: the inputs of the kernels. */
function filled(words: number, name: string, limit = 0): Uint32Array {
  const seed = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), words) % 2 ** 32;
  return Uint32Array.from({ length: words }, (_, i) => {
    let x = (Math.imul(i, 0x9e3779b1) + seed) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    x = (x ^ (x >>> 16)) >>> 0;
    return limit === 0 ? x : x % limit;
  });
}

test('every warp row is measured, with unique ids', () => {
  const ids = instructions.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { name } of warpRows)
    expect(
      ids.some((id) => id.startsWith(`${name}:`)),
      name,
    ).toBe(true);
});

test.each([
  { id: 'shfl.sync:bfly:register:independent', changes: ['%c'], uses: /shfl\S* %x0, %x0, %x3, %c, 0xffffffff/ },
  { id: 'shfl.sync:idx:arbitrary:independent', changes: [], uses: /shfl\S* %d, %x0, %x3, %x5, 0xffffffff/ },
  { id: 'shfl.sync:bfly:groups:independent', changes: ['%b', '%c', '%mask'], uses: /shfl\S* %x0, %x0, %b, %c, %mask/ },
  { id: 'redux.sync:add.u32:mask:independent', changes: ['%mask'], uses: /redux\S* %d, %x0, %mask/ },
  { id: 'vote.sync:all:guard:independent', changes: ['%mask', '%low'], uses: /@%low vote\S* %result, %q, %mask/ },
  { id: 'shfl.sync:bfly:unrelated:independent', changes: ['%low'], uses: /@%low shfl\S* %x0, %x0, 5, 4127, 65535/ },
  { id: 'shfl.sync:bfly:register-invariant:independent', changes: [], uses: /shfl\S* %x0, %x0, %b, %c, 0xffffffff/ },
  { id: 'redux.sync:add.u32:mask-invariant:independent', changes: [], uses: /redux\S* %d, %x0, %mask/ },
  { id: 'vote.sync:all:guard-invariant:independent', changes: [], uses: /@%low vote\S* %result, %q, 65535/ },
])('$id: its loop changes $changes', ({ id, changes, uses }) => {
  const entry = instructions.find((candidate) => candidate.id === id);
  const loop = entry?.make('check', 1).sequence.steps[0]?.ptx.split('LOOP:')[1]?.split('bra')[0] ?? '';
  expect(loop).toMatch(uses);
  for (const name of ['%b', '%c', '%mask', '%low']) {
    expect(new RegExp(`^ *\\S+ ${name},`, 'm').test(loop), name).toBe(changes.includes(name));
  }
  expect(entry?.invariant === true).toBe(id.includes('-invariant'));
});

test.each(drawn(instructions, 10, ({ id }) => id.split(':')[0] ?? ''))('$id: no result is undefined', async (entry) => {
  const windows = await referenceWindows(entry.make('check', 2).sequence);
  expect(windows.get('out')).toHaveLength(256);
});

/** The subgroup sizes. A short run tests one of them, in rotation. */
const nextSizes = inTurn([32, 4], 1);

const translated = drawn([...instructions, ...kernels], 15, ({ id }) => id.split(':')[0] ?? '');
test.each(translated)('$id translates for subgroups of 32 or 4', (entry) => {
  const { sequence } = entry.make('check', 2);
  const steps = new Map([...sequence.prepare, ...sequence.steps].map((step) => [step.entry, step]));
  for (const step of steps.values()) {
    for (const size of nextSizes()) {
      const { block, entry: name } = step;
      const module = loadKernel(launchOf(sequence, step));
      const { diagnostics } = translate(module, {
        entry: name,
        block,
        plan: planFor(size),
        float,
        maxInvocations: 1024,
      });
      expect(diagnostics).toEqual([]);
    }
  }
});

test('more iterations do more work and change the results', async () => {
  const [entry] = instructions;
  if (!entry) throw new Error('no entries');
  const [few, many] = [entry.make('check', 1), entry.make('check', 3)];
  expect(many.work).toBe(3 * few.work);
  const [a, b] = [await referenceWindows(few.sequence), await referenceWindows(many.sequence)];
  expect(compareWindows(few.sequence, a, b).difference).toMatch(/^out: element \d+/);
  expect(compareWindows(few.sequence, a, a)).toEqual({ compared: 64, difference: undefined });
});

test('reduce, histogram and aggregate compute the sum, the bins and the counts per key', async () => {
  const input = filled(4096, 'in');
  const sum = input.reduce((total, value) => (total + value) >>> 0, 0);
  expect((await resultsOf('reduce')).words('out')).toEqual(Uint32Array.of(sum));

  const bins = new Uint32Array(256);
  for (const byte of new Uint8Array(input.buffer)) bins[byte] = (bins[byte] ?? 0) + 1;
  expect((await resultsOf('histogram')).words('out')).toEqual(bins);

  const counts = (await resultsOf('aggregate')).words('out');
  const keys = filled(4096, 'in', 8);
  // Two blocks alternate over 1024 keys at a time, and each has a table.
  const table = new Uint32Array(8192);
  for (const [i, key] of keys.entries()) {
    const at = (Math.floor(i / 1024) % 2) * 8 + key;
    table[at] = (table[at] ?? 0) + 1;
  }
  expect(counts).toEqual(table);
});

test.each([
  ['in order', (ptx: string) => ptx],
  // The sums of earlier blocks are not ready, so each block computes them.
  ['from the last', fromTheLast],
])('scan computes prefix sums if tiles run %s', async (_, change) => {
  const { sequence, work } = entryOf('scan').make('check', 1);
  const steps = sequence.steps.map((step) => ({ ...step, ptx: change(step.ptx) }));
  const out = (await referenceWindows({ ...sequence, steps })).get('out');
  let running = 0;
  const sums = filled(work / 8, 'in').map((value) => {
    running = (running + value) >>> 0;
    return running;
  });
  expect(new Uint32Array((out ?? new Uint8Array()).slice().buffer)).toEqual(sums);
});

test('compact keeps the even values of each tile in order', async () => {
  const { words } = await resultsOf('compact');
  const input = filled(4096, 'in');
  const [out, counts] = [words('out'), words('counts')];
  for (let tile = 0; tile < 4; tile++) {
    const kept = input.slice(tile * 1024, tile * 1024 + 1024).filter((value) => value % 2 === 0);
    expect(counts[tile]).toBe(kept.length);
    expect(out.slice(tile * 1024, tile * 1024 + kept.length)).toEqual(kept);
  }
});

test('sorts groups of 32, and everything', async () => {
  const input = filled(4096, 'in');
  const byWarp = new Uint32Array(4096);
  for (let i = 0; i < 4096; i += 32) byWarp.set(input.slice(i, i + 32).sort(), i);
  expect((await resultsOf('bitonic')).words('out')).toEqual(byWarp);
  const { entry, words } = await resultsOf('radix-sort');
  expect(words('out')).toEqual(filled(entry.make('check', 1).work, 'in').sort());
});

test('transpose moves each element to its transposed place', async () => {
  const { entry, words } = await resultsOf('transpose');
  const side = Math.sqrt(entry.make('check', 1).work / 8);
  const hashes = filled(side * side, 'in');
  // `unit` keeps 24 bits of the hash.
  const value = (i: number): number => Math.fround(((hashes[i] ?? 0) | 0) >> 8) / 2 ** 23;
  const out = new Float32Array(words('out').buffer);
  expect(out.every((got, i) => got === value((i % side) * side + Math.floor(i / side)))).toBe(true);
});

test('the stencil moves each element toward its neighbors, except at the border', async () => {
  const { entry, words } = await resultsOf('stencil');
  const side = Math.sqrt(entry.make('check', 1).work / 8);
  const from = [...filled(side * side, 'in')].map((hash) => ((hash | 0) >> 8) / 2 ** 23);
  const at = (row: number, column: number): number => from[row * side + column] ?? Number.NaN;
  const errors = [...new Float32Array(words('out').buffer)].map((got, i) => {
    const [row, column] = [Math.floor(i / side), i % side];
    const centre = at(row, column);
    if (row === 0 || column === 0 || row === side - 1 || column === side - 1) return got === centre ? 0 : 1;
    const around = at(row - 1, column) + at(row + 1, column) + at(row, column - 1) + at(row, column + 1);
    return Math.abs(got - (centre + (around - 4 * centre) / 8));
  });
  expect(Math.max(...errors)).toBeLessThan(2 ** -21);
});

test('forces between bodies are rounded as in f64', async () => {
  // The numbers of the fill and their products are exact in f64, so the result is rounded once.
  const number = [...filled(128 * 4, 'in')].map((hash) => ((hash | 0) >> 8) / 2 ** 23);
  const body = (i: number): number[] => number.slice(i * 4, i * 4 + 4);
  const out = new Float64Array((await resultsOf('n-body-f64')).words('out').buffer);
  for (const own of [0, 77, 127]) {
    const [x = 0, y = 0, z = 0] = body(own);
    const sums = [0, 0, 0];
    for (let i = 0; i < 128; i++) {
      const [ox = 0, oy = 0, oz = 0, mass = 0] = body(i);
      const distance = [ox - x, oy - y, oz - z];
      const square = distance.reduce((sum, d) => sum + d * d, 2 ** -10);
      for (const [axis, d] of distance.entries()) sums[axis] = (sums[axis] ?? 0) + (d * mass) / square ** 1.5;
    }
    for (const [axis, sum] of sums.entries()) expect(out[own * 3 + axis]).toBeCloseTo(sum, 6);
  }
});

test('the hash table has each key once, and half of the searched keys', async () => {
  const { words } = await resultsOf('hash-table');
  const input = filled(3 * 1024, 'in');
  const key = (i: number): string => `${(input[2 * i] ?? 0) | 1} ${input[2 * i + 1]}`;
  const there = new Set(Array.from({ length: 1024 }, (_, i) => key(i)));
  const found = Uint32Array.from({ length: 1024 }, (_, i) => (there.has(key(512 + i)) ? 1 : 0));
  expect(words('found')).toEqual(found);
  expect(words('counts')).toEqual(
    Uint32Array.of(
      there.size,
      found.reduce((sum, one) => sum + one),
    ),
  );
});

test('each launch continues from the previous one', async () => {
  let values = filled(256, 'a');
  // The fourth launch writes `a`, which is not a result.
  for (let step = 0; step < 3; step++) values = values.map((x) => (Math.imul(x, 1664525) + step) >>> 0);
  expect((await resultsOf('small-launches')).words('b')).toEqual(values);
});

test('the softmax of Triton equals the one of CUDA C++', async () => {
  const of = async (name: string) => [...new Float32Array((await resultsOf(name)).words('out').buffer)];
  const [ours, theirs] = [await of('softmax'), await of('softmax-triton')];
  expect(Math.max(...ours.map((value, i) => Math.abs(value / (theirs[i] ?? 0) - 1)))).toBeLessThan(1e-5);
});

test('copy-async copies its input', async () => {
  expect((await resultsOf('copy-async')).words('out')).toEqual(filled(16_384, 'in'));
});

test.each([
  ['matmul-f16', 64],
  ['matmul-f16-async', 64],
  ['matmul-f16-triton', 64],
  ['matmul-f16-warpgroup', 128],
])('%s multiplies values rounded to f16', async (name, side) => {
  const matrix = (from: string): number[] =>
    // `unit` keeps 24 bits of the hash.
    [...filled(side * side, from)].map((hash) => valueIn(f16, roundTo(f16, ((hash | 0) >> 8) / 2 ** 23, 'rn')));
  const [a, b] = [matrix('a'), matrix('b')];
  const c = new Float32Array((await resultsOf(name)).words('c').buffer);
  const along = Array.from({ length: side }, (_, k) => k);
  const errors = [...c].map((got, i) => {
    const [row, column] = [Math.floor(i / side), i % side];
    return Math.abs(got - along.reduce((sum, k) => sum + (a[row * side + k] ?? 0) * (b[k * side + column] ?? 0), 0));
  });
  expect(Math.max(...errors)).toBeLessThan(2 ** -15);
});

test('attention sums the values, weighted by the softmax of scores', async () => {
  const [n, depth] = [64, 64];
  const halves = (words: Uint32Array): number[] => [...new Uint16Array(words.buffer)].map((bits) => valueIn(f16, bits));
  const rows = (numbers: readonly number[]): number[][] =>
    Array.from({ length: n }, (_, row) => numbers.slice(row * depth, (row + 1) * depth));
  const matrix = (name: string): number[][] => {
    const random = new Int16Array(filled((n * depth) / 2, name).buffer);
    return rows([...random].map((x) => valueIn(f16, roundTo(f16, x / 2 ** 15, 'rn'))));
  };
  const [q, k, v] = [matrix('q'), matrix('k'), matrix('v')];
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  const out = rows(halves((await resultsOf('attention')).words('out')));
  const errors = q.flatMap((query, row) => {
    const weights = k.map((key) => Math.exp(dot(query, key) / 8));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return query.map((_, at) => {
      const wanted =
        dot(
          weights,
          v.map((value) => value[at] ?? 0),
        ) / total;
      return Math.abs((out[row]?.[at] ?? Number.NaN) - wanted);
    });
  });
  expect(Math.max(...errors)).toBeLessThan(2 ** -10);
});

test('the product of integers is exact, and wrong elements are counted', async () => {
  const { entry, words } = await resultsOf('matmul-f16-4096');
  const { sequence } = entry.make('check', 1);
  const small = (line: number, k: number, seed: number): number => {
    let x = (Math.imul(line * 4096 + k, 0x9e3779b1) + seed) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (((x ^ (x >>> 16)) >>> 0) % 17) - 8;
  };
  const product = Float32Array.from({ length: 64 * 64 }, (_, i) => {
    const [row, column] = [Math.floor(i / 64) % 13, (i % 64) % 11];
    return Array.from({ length: 64 }, (_k, k) => small(row, k, 1_234_567) * small(column, k, 89_101_112)).reduce((a, b) => a + b, 0); // biome-ignore format: one line
  });
  expect(new Float32Array(words('c').buffer)).toEqual(product);
  expect(words('wrong')).toEqual(Uint32Array.of(0));
  // Results that are equal but wrong must not pass.
  const expected = new Map([
    ['c', new Uint8Array(product.buffer)],
    ['wrong', Uint8Array.of(3, 0, 0, 0)],
  ]);
  expect(compareWindows(sequence, expected, expected).difference).toMatch(/^wrong: element 0 .* is 3, expected 0/);
  expect(compareWindows(sequence, undefined, expected).compared).toBe(1);
});
