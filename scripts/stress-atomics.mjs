// Counts lost and doubled 64-bit updates. Runs the kernels of test/kernels/atomics64.cu many times
// on grids that fill a GPU, and compares with results that do not depend on the order of threads.
// Needs a build.
//
// Usage:
//     node scripts/stress-atomics.mjs [--on dawn] [--adapter NAME] [--kernels tickets64,…] [--blocks 2048]
//        [--threads 256] [--runs 100] [--sharing 512] [--seconds 60] [--out FILE.json]
//     --sharing: the number of threads that share a cell in compare-and-swap loops.
//     --seconds: the time limit for each kernel; the output reports the number of runs.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openExecutor } from '../dist/node.js';

const { values } = parseArgs({
  options: {
    on: { type: 'string', default: 'dawn' },
    adapter: { type: 'string' },
    kernels: { type: 'string' },
    blocks: { type: 'string', default: '2048' },
    threads: { type: 'string', default: '256' },
    runs: { type: 'string', default: '100' },
    sharing: { type: 'string', default: '512' },
    seconds: { type: 'string', default: '60' },
    out: { type: 'string' },
  },
});
const [blocks, threads, runs, seconds] = [values.blocks, values.threads, values.runs, values.seconds].map(Number);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ptx = readFileSync(join(root, 'test/kernels/atomics64.ptx'), 'utf8');

const n = blocks * threads;
const mask64 = (1n << 64n) - 1n;
const multiplier = 0x9e3779b97f4a7c15n;
const first = (1n << 32n) - BigInt(n >> 1);

const u64 = (list) => new Uint8Array(BigUint64Array.from(list, BigInt).buffer);
const u32 = (list) => new Uint8Array(Uint32Array.from(list, Number).buffer);
const filled = (length, value, changes = {}) => Object.assign(Array(length).fill(value), changes);
/**
 * Returns a buffer with the contents `data`, or with zeros, and with its expected contents after
 * the launch.
 */
const buffer = (name, type, expect, data) => ({
  name,
  kind: 'buffer',
  type,
  bytes: expect.length,
  expect,
  ...(data ? { data } : {}),
});
const scalar = (name, type, value) => ({ name, kind: 'scalar', type, value });
const count = scalar('n', 's32', n);

/**
 * The number of cells, so that at most `--sharing` threads swap the same cell. If all threads of a
 * full GPU used one cell, they would be serialized, also natively, because more swaps fail with
 * more threads.
 */
const sharers = Math.ceil(n / Number(values.sharing));
const atCell = (cell) => Math.ceil((n - cell) / sharers);

function loops() {
  const start = [1n, 2n ** 63n + 5n, mask64];
  const cells = Array.from({ length: sharers }, () => [...start]);
  for (let i = 0; i < n; i++) {
    const cell = cells[i % sharers];
    const factor = 2n * BigInt(i) + 0x100000001n;
    const bits = (factor * multiplier) & mask64;
    cell[0] = (cell[0] * factor) & mask64;
    cell[1] ^= bits;
    if (bits < cell[2]) cell[2] = bits;
  }
  const before = cells.flatMap(() => start);
  return [buffer('cells', 'u64', u64(cells.flat()), u64(before)), scalar('sets', 'u32', sharers), count];
}

/**
 * Returns the expected table, by inserting items one after another. In each slot, the greater item
 * remains, and the lesser item moves to the next slot.
 */
function hashTable() {
  const size = 2 ** Math.ceil(Math.log2(n * 2));
  const items = new BigUint64Array(n);
  for (let i = 0; i < n; i++) items[i] = ((BigInt(i % Math.ceil(n * 0.9)) + 1n) * 0xd1342543de82ef95n) & mask64;
  const table = new BigUint64Array(size);
  for (let item of items) {
    let at = Number((((item * multiplier) & mask64) >> 40n) & BigInt(size - 1));
    for (; item !== 0n && table[at] !== item; at = (at + 1) % size)
      if (table[at] < item) [item, table[at]] = [table[at], item];
  }
  const bytes = (list) => new Uint8Array(list.buffer);
  return [
    buffer('items', 'u64', bytes(items), bytes(items)),
    buffer('table', 'u64', bytes(table)),
    scalar('mask', 'u32', size - 1),
    count,
  ];
}

function anywhere() {
  const half = threads / 2;
  const sums = [0, 1].map((odd) => BigInt(half * (half - 1) + half * (odd + 3)));
  const start = 0xffffff00n;
  const [global, shared] = [start + BigInt(blocks) * sums[0], start + sums[1]];
  const words = [(blocks * half) % 7, -(threads + 1) >>> 0, 5, 0];
  for (let block = 0; block < blocks; block++) words.push(half % 7, -(threads + 2) >>> 0, 5);
  const seen = (last) => (last - 1n) >> 20n;
  return [
    buffer('cells', 'u64', u64([global]), u64([start])),
    buffer('words', 'u32', u32(words), u32(filled(words.length, 0, { 1: 9, 2: 5 }))),
    buffer('sums', 'u64', u64([seen(global), seen(shared), ...filled(blocks, shared)])),
  ];
}

/** Returns the parameters of each kernel, in order. */
const kernels = {
  tickets64: () => [
    buffer('next', 'u64', u64([first + BigInt(n)]), u64([first])),
    buffer('most', 'u64', u64([first + BigInt(n)])),
    buffer('taken', 'u32', u32(filled(n + 1, 1, { [n]: 0 }))),
    scalar('first', 'u64', first),
    count,
  ],
  tickets64_shared: () => [
    buffer('last', 'u64', u64(filled(2 * blocks, (1n << 32n) - 20n + BigInt(threads)))),
    buffer('taken', 'u32', u32(filled(n, 1))),
    scalar('first', 'u64', (1n << 32n) - 20n),
  ],
  loops64: loops,
  hash_table64: hashTable,
  list64: () => [
    buffer('head', 'u64', u64(Array.from({ length: sharers }, (_, stack) => BigInt(2 * atCell(stack)) << 32n))),
    buffer('next', 'u32', u32(filled(n + 1, 0))),
    buffer('popped', 'u32', u32(filled(n + 1, 1, { 0: 0 }))),
    scalar('stacks', 'u32', sharers),
    count,
  ],
  exchange64: () => [
    buffer('cell', 'u64', u64([0n]), u64([first])),
    buffer('seen', 'u32', u32(filled(n + 2, 1, { [n + 1]: 0 }))),
    buffer('done', 'u32', u32([n])),
    scalar('first', 'u64', first),
    count,
  ],
  whole64: () => [
    buffer('cells', 'u64', u64(filled(4, 0)), u64(filled(4, mask64 - 0xffffffffn))),
    buffer('counts', 'u32', u32([0, n])),
    scalar('rounds', 's32', 8),
    count,
  ],
  anywhere64: anywhere,
};

/** @type {(entry: string) => import('../dist/base/launch.js').Launch} */
const launchOf = (entry) => ({
  id: entry,
  group: 'stress',
  ptx,
  ptxFile: 'atomics64.ptx',
  entry,
  grid: [blocks, 1, 1],
  block: [threads, 1, 1],
  sharedBytes: 0,
  params: kernels[entry](),
});

/** Returns the output elements that differ from the expected ones. */
function wrongElements(launch, outputs) {
  let wrong = 0;
  launch.params.forEach((param, index) => {
    if (param.kind !== 'buffer') return;
    const got = outputs.get(index);
    const size = param.type === 'u64' ? 8 : 4;
    for (let at = 0; at < param.bytes; at += size)
      if (param.expect.subarray(at, at + size).some((byte, k) => byte !== got[at + k])) wrong += 1;
  });
  return wrong;
}

const chosen = values.kernels?.split(',') ?? Object.keys(kernels);
const on = /** @type {import('../dist/harness/executors/executor.js').ExecutorChoice} */ (values.on);
const executor = await openExecutor(on, values.adapter === undefined ? {} : { adapter: values.adapter });
const { adapter, lanePlan } = executor.describe();
console.log(
  `${values.on}: ${adapter?.description || adapter?.vendor || 'unknown'}; ${blocks} blocks of ${threads} threads`,
);
const results = [];
for (const entry of chosen) {
  const launch = launchOf(entry);
  const result = { kernel: entry, runs: 0, wrongRuns: 0, wrongElements: 0, ms: [] };
  const end = Date.now() + seconds * 1000;
  while (result.runs < runs && (result.runs === 0 || Date.now() < end)) {
    try {
      const { outputs, ms } = await executor.run(launch, { timeoutMs: 120_000 });
      const wrong = wrongElements(launch, outputs);
      result.runs += 1;
      result.wrongRuns += wrong > 0 ? 1 : 0;
      result.wrongElements += wrong;
      result.ms.push(ms);
    } catch (error) {
      result.failure = String(error.message ?? error).slice(0, 500);
      break;
    }
  }
  result.ms.sort((a, b) => a - b);
  const [least, middle, most] = [0, result.ms.length >> 1, result.ms.length - 1].map(
    (at) => result.ms[at] ?? Number.NaN,
  );
  const time = `${least.toFixed(1)} / ${middle.toFixed(1)} / ${most.toFixed(1)} ms`;
  console.log(
    `${entry}: ${result.runs} runs, ${result.wrongRuns} wrong (${result.wrongElements} elements), ${time}${result.failure ? `, stopped: ${result.failure}` : ''}`,
  );
  results.push({ ...result, ms: { least, middle, most } });
}
await executor.close();
if (values.out)
  writeFileSync(
    values.out,
    `${JSON.stringify({ on: values.on, adapter, lanePlan, blocks, threads, results }, null, 2)}\n`,
  );
if (results.some(({ wrongRuns, failure }) => wrongRuns > 0 || failure)) process.exitCode = 1;
