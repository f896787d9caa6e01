// Kernels that clang compiled to LLVM IR, on the reference, against the results that nvcc's PTX of
// the same source had on an NVIDIA H200. scripts/cuda-ir.mjs writes the IR.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { interpret } from '../../../src/cpu-ref/interpreter/interpret.ts';
import { compareOutputs, expectedOutputs } from '../../../src/harness/compare/compare.ts';
import { comparePrinted } from '../../../src/harness/compare/compare-printed.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';
import { effort } from '../../effort.ts';
import { ptxOf } from './run-ir.ts';

const cases = join(import.meta.dirname, '../../kernels');
const folder = join(import.meta.dirname, '../../nvptx');
/** Returns the cases of a PTX file. */
const casesOf = (ptxFile: string) =>
  readdirSync(cases)
    .filter((file) => file.endsWith('.json'))
    .map((file) => join(cases, file))
    .filter((path) => readFileSync(path, 'utf8').slice(0, 400).includes(`"ptx":"${ptxFile}"`))
    .map((path) => readCase(path));

describe.each(readdirSync(folder))('%s', (file) => {
  const ptx = ptxOf(readFileSync(join(folder, file), 'utf8'));
  const module = parsePtxOrThrow(ptx, { file });
  const own = casesOf(`${basename(file, '.ll')}.ptx`);

  test('has cases', () => expect(own.length).toBeGreaterThan(2));

  test.each(own.slice(0, effort(6, own.length)))('$id', (launch) => {
    const result = interpret(module, { ...launch, ptx }, {});
    expect(result.status).toBe('done');
    if (launch.prints !== undefined) expect(comparePrinted(launch.prints, result.printed).first).toBeUndefined();
    const { compared, mismatches, first } = compareOutputs(launch, expectedOutputs(launch), result.outputs, {
      undefinedMasks: result.undefinedMasks,
    });
    expect({ mismatches, first }).toEqual({ mismatches: 0, first: undefined });
    expect(compared).toBeGreaterThan(0);
  });
});
