// The kernels of docs/lab-notes/native-compiler.md can be parsed and run on the reference.
// scripts/native-differences.mjs runs them on hardware.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';

const folder = join(import.meta.dirname, '../../../kernels/native-differences');
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

test.each(files)('%s', (file) => {
  const launch = readCase(join(folder, file));
  const { status, findings, outputs, undefinedMasks } = runOnCpu(launch);
  expect(findings).toEqual([]);
  expect(status).toBe('done');
  expect(undefinedMasks.size).toBe(0);
  // The kernel writes every buffer but the input.
  expect([...outputs.keys()].length).toBe(launch.params.filter(({ kind }) => kind === 'buffer').length);
});

test('the lab notes have cases', () => expect(files.length).toBeGreaterThan(20));
