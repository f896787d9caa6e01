// The kernel corpus on the reference interpreter, against the results of the same PTX on an NVIDIA
// H200.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { interpret } from '../../../../src/cpu-ref/interpreter/interpret.ts';
import { compareOutputs, expectedOutputs } from '../../../../src/harness/compare/compare.ts';
import { comparePrinted } from '../../../../src/harness/compare/compare-printed.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { type Module, parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { drawn } from '../../../effort.ts';

const folder = join(import.meta.dirname, '../../../kernels');
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

/** A short run covers at least one case of each family, and other cases each time. */
const chosen = drawn(files, 50, (file) => file.split('_')[0] ?? '');

/** The parsed PTX texts. A text has up to 18 kernels, and even more cases. */
const modules = new Map<string, Module>();
function moduleOf({ ptx, ptxFile }: Launch): Module {
  const module = modules.get(ptx) ?? parsePtxOrThrow(ptx, { file: ptxFile });
  modules.set(ptx, module);
  return module;
}

test('the corpus has kernels', () => {
  expect(files.length).toBeGreaterThan(100);
});

describe('kernels', () => {
  test.each(chosen)('%s', (file) => {
    const launch = readCase(join(folder, file));
    // Use an unusual number of steps per group, and random values in unwritten memory. Defined
    // results must depend on neither.
    const result = interpret(moduleOf(launch), launch, { seed: 20_260, stepsPerYield: 97, sanitize: true });
    if (launch.fails !== undefined) {
      expect(result.failure?.message).toContain(launch.fails);
      return;
    }
    expect(result.failure).toBeUndefined();
    expect(result.status).toBe('done');
    if (launch.prints !== undefined) expect(comparePrinted(launch.prints, result.printed).first).toBeUndefined();
    const expected = expectedOutputs(launch);
    const { compared, mismatches, first } = compareOutputs(launch, expected, result.outputs, {
      undefinedMasks: result.undefinedMasks,
    });
    expect({ mismatches, first }).toEqual({ mismatches: 0, first: undefined });
    if (expected.size > 0) expect(compared).toBeGreaterThan(0);
    if (file.startsWith('wait_')) expect(result.findings).toEqual([]);
    const errors = result.findings.filter(({ severity, code }) => severity === 'error' && code !== 'RUN010');
    expect(errors).toEqual([]);
  });
});
