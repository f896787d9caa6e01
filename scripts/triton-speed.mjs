// Measures the matrix kernels of test/kernels/triton and test/kernels/inductor, and a product of
// warpgroups, in Dawn and natively, at sizes that fill a GPU: with subgroup matrices, and with
// products on words (`plain`). With `--on chrome`, it measures them in Chrome. Needs a build.
//
//     node scripts/triton-speed.mjs OUT.json [--on dawn,chrome,cuda] [--adapter NAME] [--only PATTERN] [--side N] [--small]
//
// `--only` is a regular expression for the names of cases. `--side` is the side of square matrices.
// `--small` measures the launches of the case files, for a test without a GPU. The file is written
// after each kernel.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { scalarFormats } from '../dist/base/scalars.js';
import { measure } from '../dist/harness/bench/measure.js';
import { GpuExecutor } from '../dist/harness/executors/gpu-executor.js';
import { openExecutor } from '../dist/harness/executors/open-executor.js';
import { readCase } from '../dist/harness/launches/case-file-node.js';
import { openDawn } from '../dist/harness/webgpu/dawn/dawn.js';
import { driverFromEnvironment } from '../dist/harness/webgpu/dawn/vulkan-drivers.js';
import { parsePtxOrThrow } from '../dist/ptx/index.js';
import { preflight } from '../dist/runtime/preflight/preflight.js';
import { translate } from '../dist/translate/index.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'test/kernels');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    on: { type: 'string', default: 'dawn,cuda' },
    adapter: { type: 'string' },
    only: { type: 'string', default: '' },
    side: { type: 'string', default: '4096' },
    small: { type: 'boolean', default: false },
  },
});
const [outFile] = positionals;
if (outFile === undefined) throw new Error('expected the file for the results');

const side = Number(values.side);
const heads = 64;
const length = 2048;
const groups = 64;
const copies = 8192;
/** @type {(x: number, y: number) => Size} `x` and `y`: the sides that a block covers, as the grid's axes */
const square = (x, y) => ({
  grid: [side / x, side / y, 1],
  values: { m: side, n: side, k: side },
  counts: { a: side ** 2, b: side ** 2, c: side ** 2 },
  flop: 2 * side ** 3,
});

/**
 * @type {(width: number, share: number) => Size} `share`: the part of the products that the kernel
 * computes
 */
const attention = (width, share) => ({
  grid: [length / 32, heads, 1],
  values: { length },
  counts: { ...counts(['q', 'k', 'v', 'out'], heads * length * width), sums: heads * length },
  flop: 4 * heads * length ** 2 * width * share,
});

const counts = (names, count) => Object.fromEntries(names.map((name) => [name, count]));

/**
 * @typedef {object} Size
 * @property {readonly [number, number, number]} grid
 * @property {Record<string, number>} values scalars by name
 * @property {Record<string, number>} counts elements of buffers by name; other buffers are the case's
 * @property {Record<string, Int32Array>} [data] contents of buffers; others repeat the case's
 * @property {number} flop
 */

/**
 * Full sizes by case. Blocks have the case's size.
 *
 * @type {ReadonlyMap<string, Size>}
 */
const sizes = new Map(
  /** @type {[string, Size][]} */ ([
    ...['f16', 'bf16', 'tf32', 'i8', 'f8'].map((type) => [`triton_matmul_${type}`, square(32, 32)]),
    ...['f16', 'bf16', 'tf32', 'i8'].map((type) => [`triton_matmul_${type}_pipelined`, square(32, 32)]),
    ...['f16', 'tf32', 'i8', 'e5m2'].map((type) => [`triton_wgmma_${type}`, square(64, 64)]),
    ...['bf16', 'e4m3'].map((type) => [`triton_wgmma_${type}`, square(128, 64)]),
    ['warpgroup_gemm', square(32, 64)],
    ['triton_attention_f16', attention(32, 0.5)],
    ['triton_attention_bf16', attention(16, 1)],
    [
      'triton_attention_backward',
      {
        grid: [length / 16, heads, 1],
        values: { length },
        counts: {
          ...counts(['q', 'k', 'v', 'gradient', 'dq', 'dk', 'dv'], heads * length * 32),
          ...counts(['sums', 'deltas'], heads * length),
        },
        flop: 10 * heads * length ** 2 * 32,
      },
    ],
    [
      'triton_grouped',
      {
        grid: [1024 / 16, groups, 1],
        values: { n: 32, k: 1024 },
        counts: { a: groups * 1024 * 1024, b: groups * 1024 * 32, c: groups * 1024 * 32, starts: groups + 1 },
        data: { starts: Int32Array.from({ length: groups + 1 }, (_, group) => group * 1024) },
        flop: 2 * groups * 1024 * 1024 * 32,
      },
    ],
    [
      'triton_linear_gelu',
      {
        grid: [65_536 / 16, 1, 1],
        values: { rows: 65_536, width: 1024 },
        counts: { x: 65_536 * 1024, weights: 64 * 1024, bias: 64, out: 65_536 * 64 },
        flop: 2 * 65_536 * 1024 * 64,
      },
    ],
    [
      'triton_split_k',
      {
        grid: [8192 / 16, 8192 / 32, 1],
        values: { n: 8192, k: 8192 },
        counts: { a: 16 * 8192, b: 8192 * 8192, c: 16 * 8192 },
        flop: 2 * 16 * 8192 * 8192,
      },
    ],
  ]),
);

/**
 * Returns a larger launch of an Inductor kernel. Inductor compiles the matrix sizes into a kernel,
 * so only the grid can grow. A batched kernel then computes a larger batch. Other kernels execute
 * each block many times, and all copies compute and store the same values.
 *
 * @type {(launch: import('../dist/base/launch.js').Launch) => Size}
 */
function inductorSize({ params, grid: [x, batch], ptx }) {
  const elements = (name) => {
    const found = params.find((param) => param.name === name);
    if (found?.kind !== 'buffer') throw new Error(`no buffer ${name}`);
    return found.bytes / scalarFormats[found.type].bytes;
  };
  const names = ['arg_A', 'arg_B', 'out_ptr0'];
  const each = names.map((name) => elements(name) / batch);
  // The sizes are M·K, K·N and M·N.
  const flop = 2 * Math.sqrt(each[0] * each[1] * each[2]) * copies;
  const isBatched = /%ctaid\.y/.test(ptx);
  const grown = isBatched ? Object.fromEntries(names.map((name, index) => [name, each[index] * copies])) : {};
  return { grid: [x, copies, 1], values: {}, counts: grown, flop };
}

/** The PTX of a kernel that copies the first words of a buffer to the rest of the buffer. */
const repeatPtx = `.version 7.0
.target sm_70
.address_size 64
.visible .entry repeat(.param .u64 from, .param .u64 to, .param .u32 period, .param .u32 words)
{
  .reg .pred %p;
  .reg .b32 %at, %step, %words, %period, %place, %value, %thread, %block;
  .reg .b64 %from, %to, %a, %b;
  ld.param.u64 %from, [from];
  ld.param.u64 %to, [to];
  ld.param.u32 %period, [period];
  ld.param.u32 %words, [words];
  mov.u32 %at, %ctaid.x;
  mov.u32 %block, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %step, %nctaid.x;
  mul.lo.u32 %step, %step, %block;
  mad.lo.u32 %at, %at, %block, %thread;
LOOP:
  setp.ge.u32 %p, %at, %words;
  @%p bra END;
  rem.u32 %place, %at, %period;
  mul.wide.u32 %a, %place, 4;
  add.u64 %a, %from, %a;
  ld.global.u32 %value, [%a];
  mul.wide.u32 %b, %at, 4;
  add.u64 %b, %to, %b;
  st.global.u32 [%b], %value;
  add.u32 %at, %at, %step;
  bra LOOP;
END:
  ret;
}
`;

const bytesOf = (words) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
const padded = (data) => {
  const whole = new Uint8Array(Math.ceil(data.length / 4) * 4);
  whole.set(data);
  return whole;
};

/** Returns the launch of a case as a sequence, with the sizes in `size` if it is defined. */
function sequenceOf(launch, size) {
  const buffers = [];
  const prepare = [];
  const args = launch.params.map((param) => {
    const { name, type } = param;
    if (param.kind !== 'buffer') return { type, value: Number(size?.values[name] ?? param.value) };
    const count = size?.counts[name];
    const bytes = Math.ceil((count === undefined ? param.bytes : count * scalarFormats[type].bytes) / 4) * 4;
    const tolerance = param.tolerance === undefined ? {} : { tolerance: param.tolerance };
    const isResult = param.expect !== undefined;
    const result = isResult ? { result: tolerance } : {};
    const own = size?.data?.[name];
    const data = own ? bytesOf(own) : param.data && padded(param.data);
    if (own || count === undefined || !data || isResult) {
      buffers.push({ name, type, bytes, ...(data && data.length <= bytes ? { data } : {}), ...result });
      return name;
    }
    const period = Math.max(1, Math.floor(param.data.length / 4));
    buffers.push({ name, type, bytes, ...result }, { name: `${name}.case`, type, bytes: data.length, data });
    prepare.push({
      ...{ ptx: repeatPtx, ptxFile: 'repeat.ptx', entry: 'repeat', grid: [4096, 1, 1], block: [256, 1, 1] },
      args: [`${name}.case`, name, { type: 'u32', value: period }, { type: 'u32', value: bytes / 4 }],
    });
    return name;
  });
  const { ptx, ptxFile, entry, block, sharedBytes } = launch;
  const step = { ptx, ptxFile, entry, grid: size?.grid ?? launch.grid, block, sharedBytes, args };
  return { id: launch.id, buffers, prepare, steps: [step] };
}

const launches = readdirSync(folder)
  .filter((file) => /^((triton|inductor)_.*|warpgroup_gemm)\.json$/.test(file) && new RegExp(values.only).test(file))
  .map((file) => readCase(join(folder, file)))
  .filter(({ id, ptx }) => ptx.includes('mma.sync') || (sizes.has(id) && ptx.includes('wgmma.mma_async')));
/** Whether a kernel has products of types that WebGPU adapters may compute as subgroup matrices. */
const mayBeMatrices = ({ ptx }) => /mma(\.sync|_async)[^;]*\.(f16\.f16|s8\.s8)\b/.test(ptx);
const hasArithmetic = ({ id }) => /attention|gelu/.test(id);

const driver = values.adapter === undefined ? {} : driverFromEnvironment(values.adapter);
const on = values.on.split(',');
const open = () => openDawn(driver);
async function dawn(withMatrices) {
  const session = await open();
  const { matrices, ...measured } = await preflight(session);
  const facts = { translate, measured: withMatrices && matrices ? { ...measured, matrices } : measured };
  return new GpuExecutor({ name: 'dawn' }, {}, open, session, facts);
}

/** Returns the compiler's note about subgroup matrices. */
function noteOn(executor, launch) {
  const { lanePlan, float, matrices, adapter } = executor.describe();
  const { program } = translate(parsePtxOrThrow(launch.ptx), {
    ...{ entry: launch.entry, block: launch.block, grid: launch.grid, sharedBytes: launch.sharedBytes },
    ...{ plan: lanePlan, float, matrices },
    maxWorkgroupBytes: adapter.limits.maxComputeWorkgroupStorageSize,
  });
  return program?.matrixNote ?? null;
}

const [matrix, plain] = [await dawn(true), await dawn(false)];
const others = [
  ...(on.includes('chrome') ? [await openExecutor('chrome')] : []),
  ...(on.includes('cuda') ? [await openExecutor('cuda')] : []),
];
const reference = await openExecutor('cpu');
const { adapter, matrices } = matrix.describe();
const document = {
  command: `node scripts/triton-speed.mjs ${process.argv.slice(2).join(' ')}`,
  date: new Date().toISOString().slice(0, 10),
  adapter: { ...adapter, features: undefined, wgslFeatures: undefined, limits: undefined },
  driver: adapter.description,
  version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  matrices: matrices ?? [],
  kernels: [],
};
// Kernels that can use subgroup matrices are first, and among these the simplest ones, because
// there may not be enough time for all kernels.
const rank = (launch) => (mayBeMatrices(launch) ? 0 : 2) + (launch.id.startsWith('triton_matmul') ? 0 : 1);
const ordered = launches.toSorted((a, b) => rank(a) - rank(b));
for (const launch of ordered) {
  const size = values.small ? undefined : (sizes.get(launch.id) ?? inductorSize(launch));
  const [small, full] = [sequenceOf(launch), sequenceOf(launch, size)];
  const flop = size?.flop ?? 1;
  /** @type {import('../dist/harness/bench/entries/entry.js').BenchEntry} */
  const entry = {
    ...{ id: launch.id, section: 'kernels', unit: 'flop', float: hasArithmetic(launch), grows: 'repeat' },
    make: (which) => (which === 'check' ? { sequence: small, work: 1 } : { sequence: full, work: flop }),
  };
  const dawns = [
    { products: 'matrices', executor: matrix },
    ...(mayBeMatrices(launch) ? [{ products: 'plain', executor: plain }] : []),
  ].filter(() => on.includes('dawn'));
  const measured = await measure(entry, [...dawns.map(({ executor }) => executor), ...others], {
    ...{ reference, sampleMs: 10, rounds: 2, samplesPerRound: 3 },
    modes: hasArithmetic(launch) ? ['exact', 'fast'] : ['exact'],
  });
  const modes = hasArithmetic(launch) ? 2 : 1;
  const results = measured.map(({ machine, float, status, message, compared, rate, sample, clock }, index) => ({
    on: machine === 'cuda' ? 'native' : machine,
    ...(machine === 'dawn' ? { products: dawns[Math.floor(index / modes)]?.products } : {}),
    ...(machine === 'cuda' ? {} : { float }),
    ...{ status, compared },
    ...(rate ? { gflops: Number((rate.median / 1e9).toPrecision(4)), sampleMs: sample?.median, clock } : { message }),
  }));
  const { grid, block } = full.steps[0];
  document.kernels.push({
    id: launch.id,
    entry: launch.entry,
    grid,
    block,
    flop,
    note: noteOn(matrix, launch),
    results,
  });
  writeFileSync(outFile, `${JSON.stringify(document, undefined, 1)}\n`);
  const shown = results.map((result) => Object.values(result).join(' '));
  process.stderr.write(`${launch.id}: ${shown.join('; ')}\n`);
}
await Promise.all([matrix, plain, ...others, reference].map((executor) => executor.close()));
