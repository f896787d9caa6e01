// Compiles the CUDA files of test/kernels with clang and this project, runs their cases on the
// reference, and compares the results with those of nvcc's PTX on an NVIDIA GPU.
//
//     node scripts/nvptx/compare-with-native.mjs [NAME…]
//
// Needs `npm run build` and the package @yowasp/clang. Prints the files that do not compile and the
// cases that differ, and then the totals.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runLLVM } from '@yowasp/clang';
import { getOrInsert } from '../../dist/base/maps.js';
import { cudaHeaders } from '../../dist/cli/compile/wasm-clang.js';
import { interpret } from '../../dist/cpu-ref/interpreter/interpret.js';
import { compareOutputs, expectedOutputs } from '../../dist/harness/compare/compare.js';
import { comparePrinted } from '../../dist/harness/compare/compare-printed.js';
import { readCase } from '../../dist/harness/launches/case-file-node.js';
import { compileWithWasmClang } from '../../dist/nvptx/clang/compile.js';
import { parsePtxOrThrow } from '../../dist/ptx/index.js';

const folder = 'test/kernels';
const names = readdirSync(folder);
const ptxOf = (source) => source.replace(/cu$/, 'ptx');
/** The paths of the cases, by the name of their PTX. */
const pathsOf = new Map();
for (const name of names.filter((name) => name.endsWith('.json'))) {
  const path = join(folder, name);
  const ptx = /"ptx":"([^"]+)"/.exec(readFileSync(path, 'utf8').slice(0, 600))?.[1];
  getOrInsert(pathsOf, ptx, () => []).push(path);
}
const chosen = process.argv.slice(2);
const sources = chosen.length > 0 ? chosen.map((name) => `${name}.cu`) : names.filter((name) => name.endsWith('.cu'));

/** Compiles a file for the target of nvcc's PTX. Throws an error with the first message. */
async function compile(name) {
  const target = /\.target (\w+)/.exec(readFileSync(join(folder, ptxOf(name)), 'utf8'))?.[1] ?? 'sm_80';
  const changed = new Map([
    ['sm_80', target],
    ['+ptx83', '+ptx88'],
  ]);
  const clang = {
    runLLVM: (args, files, options) =>
      runLLVM(
        args.map((word) => changed.get(word) ?? word),
        files,
        options,
      ),
  };
  const files = { [name]: readFileSync(join(folder, name)) };
  const { ptx, messages } = await compileWithWasmClang(clang, { file: `/${name}`, files, headers: cudaHeaders() });
  if (ptx === undefined) throw new Error(/^.*error.*/m.exec(messages)?.[0] ?? messages);
  return { ptx, module: parsePtxOrThrow(ptx, { file: name }) };
}

/** Returns the number of compared elements of a case and the number of mismatches. */
function run({ ptx, module }, launch) {
  const result = interpret(module, { ...launch, ptx });
  if (launch.fails !== undefined) return { compared: 1, mismatches: result.status === 'failed' ? 0 : 1 };
  const outcome = compareOutputs(launch, expectedOutputs(launch), result.outputs, {
    undefinedMasks: result.undefinedMasks,
  });
  const printed = launch.prints === undefined ? 0 : 1;
  const differs = printed > 0 && comparePrinted(launch.prints, result.printed).first !== undefined;
  const mismatches = outcome.mismatches + (differs || result.status !== 'done' ? 1 : 0);
  return { compared: outcome.compared + printed, mismatches };
}

const totals = { files: 0, compiled: 0, cases: 0, casesOfCompiled: 0, same: 0, elements: 0 };
for (const name of sources) {
  // A case without native results compares nothing.
  const launches = (pathsOf.get(ptxOf(name)) ?? [])
    .map((path) => ({ path, launch: readCase(path) }))
    .filter(({ launch }) => launch.fails ?? launch.prints ?? expectedOutputs(launch).size > 0);
  if (launches.length === 0) continue;
  totals.files++;
  totals.cases += launches.length;
  const compiled = await compile(name).catch((error) => error);
  if (compiled instanceof Error) {
    console.log(`${name} (${launches.length} cases): ${compiled.message.split('\n')[0]}`);
    continue;
  }
  totals.compiled++;
  totals.casesOfCompiled += launches.length;
  for (const { path, launch } of launches) {
    const { compared, mismatches } = run(compiled, launch);
    totals.elements += compared;
    if (mismatches === 0) totals.same++;
    else console.log(`${basename(path)}: ${mismatches} of ${compared} elements differ`);
  }
}
console.log(totals);
