// IR of random kernels, against the PTX that LLVM's own back end selected from it.
// scripts/nvptx/compare-with-llvm.mjs --record writes the kernels and the results.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { seeded } from '../../seed.ts';
import { ptxOf } from './run-ir.ts';

const folder = join(import.meta.dirname, '../../nvptx-random');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const threads = 32;

/** Returns the eight words of each thread. */
function resultsOf(ptx: string, input: BigUint64Array<ArrayBuffer>): readonly bigint[] {
  const { outputs } = runOnCpu({
    id: 'k',
    group: '',
    ptx,
    ptxFile: 'k.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u64', bytes: input.byteLength, data: new Uint8Array(input.buffer) },
      { name: 'out', kind: 'buffer', type: 'u64', bytes: 64 * threads },
    ],
  });
  const out = outputs.get(1);
  if (out === undefined) throw new Error('the kernel has an output');
  return [...new BigUint64Array(out.slice().buffer)];
}

const kernels = readdirSync(folder).filter((file) => file.endsWith('.ll'));

test.each(kernels)('%s', (file) => {
  const random = seeded('nvptx-random', file);
  const input = BigUint64Array.from({ length: 64 }, () => {
    const word = (BigInt(random.u32()) << 32n) | BigInt(random.u32());
    return random.chance(0.3) ? BigInt(random.below(5)) : word >> BigInt(random.below(64));
  });
  const expected = resultsOf(read(file.replace('.ll', '.ptx')), input);
  expect(new Set(expected).size).toBeGreaterThan(10);
  expect(resultsOf(ptxOf(read(file)), input)).toEqual(expected);
});
