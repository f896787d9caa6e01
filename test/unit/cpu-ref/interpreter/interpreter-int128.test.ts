// nvcc's code for 128-bit division on the reference interpreter, against the results of BigInt. The
// code reads the carry flag of subtractions with addc.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';

const folder = join(import.meta.dirname, '../../../kernels');

/** Reads 64-bit numbers from pairs of words, of which the first is the low word. */
function numbers(bytes: Uint8Array | undefined, signed: boolean): bigint[] {
  if (bytes === undefined) throw new Error('no such buffer');
  const words = new BigUint64Array(bytes.slice().buffer);
  const values = Array.from(
    { length: words.length / 2 },
    (_, i) => (words[2 * i] ?? 0n) | ((words[2 * i + 1] ?? 0n) << 64n),
  );
  return signed ? values.map((value) => BigInt.asIntN(128, value)) : values;
}

test.each([
  ['int128_divide', false, (y: bigint) => (y === 0n ? 1n : y)],
  ['int128_divide_signed', true, (y: bigint) => (y === 0n || y === -1n ? 2n : y)],
] as const)('%s', (name, signed, divisor) => {
  const launch = readCase(join(folder, `${name}.json`));
  const [a = [], b = []] = launch.params
    .slice(0, 2)
    .map((param) => numbers('data' in param ? param.data : undefined, signed));
  const { status, outputs } = runOnCpu(launch);
  expect(status).toBe('done');
  expect(a.length).toBe(192);
  expect(numbers(outputs.get(2), signed)).toEqual(a.map((x, i) => x / divisor(b[i] ?? 0n)));
  expect(numbers(outputs.get(3), signed)).toEqual(a.map((x, i) => x % divisor(b[i] ?? 0n)));
});
