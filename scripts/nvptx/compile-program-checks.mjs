// Compiles the programs of test/program to the files that their tests load: the PTX of the kernels, and
// the WebAssembly of the host code. The compiler is too slow to run in each test.
//
//     node scripts/nvptx/compile-program-checks.mjs [NAME…]       after `npm run build`
import { readdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compileWholeProgram } from '../../dist/cli/compile/compile-whole-program.js';

const folder = 'test/program';
const all = readdirSync(folder).flatMap((file) => (file.endsWith('.cu') ? [file.slice(0, -'.cu'.length)] : []));
const names = process.argv.length > 2 ? process.argv.slice(2) : all;
for (const name of names) {
  const options = { includes: [], defines: [], folder: resolve() };
  const { wasm, modules } = await compileWholeProgram([`${folder}/${name}.cu`], options);
  const ptx = modules.join('').replaceAll(`${resolve()}/`, '');
  for (const [kind, data] of [
    ['wasm', wasm],
    ['ptx', ptx],
  ])
    writeFileSync(`${folder}/${name}.${kind}.gz`, gzipSync(data, { level: 9 }));
}
