// Assembles generated kernels with ptxas, which must accept all of them: `node
// scripts/assemble-generated.mjs --seed 1 --count 3000` for kernels of a seed, `--templates` for
// every template in every dialect that supports it. Needs `npm run build`, and ptxas of CUDA 12.9
// or later.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { everyForm } from '../dist/harness/fuzz/kernels/every-form.js';
import { generateKernel } from '../dist/harness/fuzz/kernels/generate.js';
import { printKernel } from '../dist/harness/fuzz/print/print.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    count: { type: 'string', default: '1000' },
    templates: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});

function* drawnKernels() {
  const first = Number(values.first);
  for (let index = first; index < first + Number(values.count); index++)
    yield generateKernel(Number(values.seed), index);
}

const folder = mkdtempSync(join(tmpdir(), 'assemble-'));
const refusals = new Map();
let assembled = 0;
let refused = 0;

/**
 * Returns the architecture to pass to ptxas. ptxas no longer supports sm_70, but accepts the same
 * code for sm_75.
 */
const archOf = (ptx) => (/\.target (\S+)/.exec(ptx)?.[1] ?? '').replace('sm_70', 'sm_75');

function assemble(kernel) {
  const { ptx } = printKernel(kernel);
  const file = join(folder, `${kernel.id}.ptx`);
  writeFileSync(file, ptx);
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      execFile(
        'ptxas',
        ['-O0', `-arch=${archOf(ptx)}`, file, '-o', '/dev/null'],
        { maxBuffer: 2 ** 26 },
        (error, out, text) => {
          if (error) refused++;
          else assembled++;
          for (const [, line, why] of `${out}${text}`.matchAll(/line (\d+); error\s*: (.*)/g)) {
            const opcode = (ptx.split('\n')[Number(line) - 1] ?? '').trim();
            const key = why.replace(/'%\w+'/g, 'a register');
            refusals.set(key, [...(refusals.get(key) ?? []), `${kernel.id}: ${opcode}`]);
          }
          if (error && !/error\s*:/.test(`${out}${text}`)) refusals.set(String(error).slice(0, 300), [kernel.id]);
          resolve();
        },
      );
    })
  );
}

const kernels = values.templates ? everyForm() : drawnKernels();
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (const kernel of kernels) await assemble(kernel);
  }),
);
rmSync(folder, { recursive: true });
for (const [why, places] of refusals) console.log(`${why}: ${places.length}\n  ${places.slice(0, 4).join('\n  ')}`);
console.log(`${assembled} kernels assembled, ${refused} refused`);
process.exitCode = refused === 0 ? 0 : 1;
