// Writes the LLVM IR of CUDA files for the tests: node scripts/cuda-ir.mjs test/kernels/scan.cu …
// Needs `npm run build` and the package @yowasp/clang. Writes test/nvptx/NAME.ll.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { runLLVM } from '@yowasp/clang';
import { cudaHeaders } from '../dist/cli/compile/wasm-clang.js';
import { clangArguments } from '../dist/nvptx/clang/options.js';

mkdirSync('test/nvptx', { recursive: true });
for (const path of process.argv.slice(2)) {
  const name = basename(path);
  const places = { file: `/${name}`, out: '/out.ll', headers: '/headers', resources: '/usr' };
  const files = { [name]: readFileSync(path), headers: cudaHeaders() };
  const made = await runLLVM(['clang', ...clangArguments(places)], files, { fetchProgress: () => {} });
  const ir = made?.['out.ll'];
  if (!(ir instanceof Uint8Array) && typeof ir !== 'string') throw new Error(`${path} does not compile`);
  writeFileSync(`test/nvptx/${basename(path, '.cu')}.ll`, ir);
}
