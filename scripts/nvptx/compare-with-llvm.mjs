// Compiles CUDA files to LLVM IR with clang, and the IR to PTX twice: with this project and with
// LLVM's own back end. Both PTX must have the same results on the reference.
//
//     node scripts/nvptx/compare-with-llvm.mjs [--count N] [--seed N] [--llvm 19] [--keep FOLDER] [--record]
//
// Needs `npm run build`, clang-N and llc-N. Each file is random (random-kernel.mjs). The seed of a
// failing file is printed, and its sources stay in FOLDER. `--record` writes the IR and LLVM's PTX
// of every file to test/nvptx-random, for the tests.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runOnCpu } from '../../dist/cpu-ref/executor.js';
import { freshSeed, random } from '../../dist/harness/suites/random.js';
import { compileIr } from '../../dist/nvptx/index.js';
import { randomKernel } from './random-kernel.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(freshSeed()) },
    llvm: { type: 'string', default: '19' },
    record: { type: 'boolean', default: false },
    keep: { type: 'string', default: join(tmpdir(), 'lanewise-nvptx') },
  },
});
const seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), 'lanewise-llvm-'));
mkdirSync(values.keep, { recursive: true });
const optimizations = ['-O0', '-O1', '-O2', '-O3', '-Os'];
const threads = 32;

/** Returns the output words of the kernel. */
function resultsOf(ptx, inputs) {
  const launch = {
    id: 'k',
    group: '',
    ptx,
    ptxFile: 'k.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u64', bytes: inputs.byteLength, data: new Uint8Array(inputs.buffer) },
      { name: 'out', kind: 'buffer', type: 'u64', bytes: threads * 64 },
    ],
  };
  const bytes = runOnCpu(/** @type {any} */ (launch)).outputs.get(1);
  return [...new BigUint64Array(bytes.slice().buffer)];
}

/** Runs a program. If the program fails, returns the start of its messages. */
function messageOf(program, args) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  if (error) throw error;
  return status === 0 ? undefined : stderr.slice(0, 300);
}

/**
 * Compares the results of one file. Returns a description of the failure, or undefined if there is
 * none.
 */
function compare(number) {
  const rng = random(seed, 'nvptx', number);
  const [source, ir, theirs] = ['k.cu', 'k.ll', 'k.ptx'].map((name) => join(folder, name));
  writeFileSync(source, randomKernel(rng));
  const optimization = rng.pick(/** @type {any} */ (optimizations));
  const flags = [
    '-x',
    'cuda',
    '--cuda-device-only',
    '--cuda-gpu-arch=sm_90',
    '-nocudainc',
    '-nocudalib',
    '-w',
    '-fwrapv',
  ];
  const debug = rng.chance(0.3) ? ['-g'] : [];
  const options = [
    ...flags,
    '-ffp-contract=off',
    '-Wno-unknown-cuda-version',
    optimization,
    ...debug,
    '-S',
    '-emit-llvm',
  ];
  const failure =
    messageOf(`clang-${values.llvm}`, [...options, '-o', ir, source]) ??
    messageOf(`llc-${values.llvm}`, ['-mcpu=sm_90', '-mattr=+ptx83', '-o', theirs, ir]);
  if (failure !== undefined) return { skipped: failure };
  const text = readFileSync(ir, 'utf8');
  // LLVM 19 converts a true signed bit to 1 instead of -1.
  if (/sitofp i1 /.test(text)) return { skipped: 'a conversion of a signed bit, which LLVM selects wrongly' };
  const { ptx, diagnostics } = compileIr(text);
  if (ptx === undefined) return { optimization, problem: `not supported: ${diagnostics[0].message}` };
  writeFileSync(join(folder, 'ours.ptx'), ptx);
  const inputs = BigUint64Array.from({ length: 64 }, () => {
    const word = (BigInt(rng.u32()) << 32n) | BigInt(rng.u32());
    return rng.chance(0.3) ? BigInt(rng.below(5)) : word >> BigInt(rng.below(64));
  });
  const [own, expected] = [ptx, readFileSync(theirs, 'utf8')].map((text) => {
    try {
      return resultsOf(text, inputs);
    } catch (error) {
      return `${error.message}`.slice(0, 300);
    }
  });
  if (typeof expected === 'string') return { skipped: `LLVM's PTX: ${expected}` };
  if (typeof own === 'string') return { optimization, problem: own };
  const at = own.findIndex((value, index) => value !== expected[index]);
  if (at < 0) return undefined;
  return {
    optimization,
    problem: `thread ${at >> 3}, word ${at & 7}: ${own[at].toString(16)}, LLVM ${expected[at].toString(16)}`,
  };
}

/** Copies the IR and LLVM's PTX of the file that was compared last. */
function record(number) {
  mkdirSync('test/nvptx-random', { recursive: true });
  for (const type of ['ll', 'ptx']) {
    const text = readFileSync(join(folder, `k.${type}`), 'utf8');
    // Remove the names of the temporary folder and of the current folder from the texts.
    const plain = text.replaceAll(`${folder}/`, '').replaceAll(process.cwd(), '/');
    writeFileSync(`test/nvptx-random/${seed}-${number}.${type}`, plain);
  }
}

const counts = { same: 0, different: 0, skipped: 0 };
for (let number = 0; number < Number(values.count); number++) {
  const found = compare(number);
  if (found === undefined) {
    counts.same++;
    if (values.record) record(number);
  } else if (found.skipped !== undefined) {
    counts.skipped++;
    console.log(`${number}: skipped: ${found.skipped}`);
  } else {
    counts.different++;
    console.log(`${number} ${found.optimization}: ${found.problem}`);
    for (const name of readdirSync(folder))
      copyFileSync(join(folder, name), join(values.keep, `${seed}-${number}-${name}`));
  }
}
rmSync(folder, { recursive: true });
console.log(`seed ${seed}: ${counts.same} the same, ${counts.different} different, ${counts.skipped} skipped`);
process.exitCode = counts.different === 0 ? 0 : 1;
