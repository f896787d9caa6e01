// Compiles test/program/checks.cu to the files that its tests load: the PTX of the kernels, and the
// WebAssembly of the host code. The compiler is too slow to run in each test.
//
//     node scripts/nvptx/compile-program-checks.mjs       after `npm run build`
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compileWholeProgram } from '../../dist/cli/compile/compile-whole-program.js';

const folder = 'test/program';
const { wasm, modules } = await compileWholeProgram([`${folder}/checks.cu`], { includes: [], defines: [] });
writeFileSync(`${folder}/checks.wasm`, wasm);
writeFileSync(`${folder}/checks.ptx`, modules.join('').replaceAll(`${resolve()}/`, ''));
