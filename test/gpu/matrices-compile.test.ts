// Shaders with subgroup matrices must be valid WGSL. No software adapter has the feature, but
// Dawn's null backend checks them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernelEntries } from '../../src/harness/bench/entries/kernel-entries.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { launchOf } from '../../src/harness/launches/launch-sequence.ts';
import { probeMatrices } from '../../src/runtime/preflight/matrices.ts';
import { planFor } from '../../src/translate/index.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import { h200Matrices, translateLaunch } from '../lockstep/lockstep-executor.ts';

interface Shader {
  readonly code: string;
  /**
   * Whether to create a pipeline too. This is possible if the backend has enough workgroup memory
   * for the shader.
   */
  readonly compiles: boolean;
}

function validate(shaders: readonly Shader[]): readonly string[] {
  const script = join(import.meta.dirname, 'null-backend.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [script], {
    input: JSON.stringify(shaders),
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The backend's maximum subgroup size. A workgroup must contain a whole subgroup. */
const backendSize = 128;
const backendBytes = 16_384;

describe("Dawn's null backend", () => {
  it('rejects a matrix of an array of atomics', () => {
    const code = `enable chromium_experimental_subgroup_matrix;
var<workgroup> words: array<atomic<u32>, 256>;
@compute @workgroup_size(128) fn main() {
  _ = subgroupMatrixLoad<subgroup_matrix_left<i8, 32, 16>, row_major>(&words, 0u, 8u);
}`;
    const [error] = validate([{ code, compiles: true }]);
    expect(error).toMatch(/no matching call to 'subgroupMatrixLoad/);
  });

  it('accepts the kernels with matrix products', () => {
    const names = ['matmul-f16', 'matmul-f16-async', 'matmul-f16-triton', 'matmul-s8', 'attention'];
    const cases = ['warpgroup_gemm', 'triton_wgmma_i8'];
    const programs = names.map((name) => {
      const entry = kernelEntries().find(({ id }) => id === `kernel:${name}`);
      const sequence = entry?.make('check', 1).sequence;
      const step = sequence?.steps.at(-1);
      if (sequence === undefined || step === undefined) throw new Error(`no kernel ${name}`);
      const launch = launchOf(sequence, step, new Map());
      return translateLaunch(launch, planFor(32), exactFloats, undefined, { matrices: h200Matrices });
    });
    for (const name of cases) {
      const launch = readCase(join(import.meta.dirname, `../kernels/${name}.json`));
      programs.push(translateLaunch(launch, planFor(32), exactFloats, undefined, { matrices: h200Matrices }));
    }
    for (const { matrixNote, code } of programs) {
      expect(matrixNote).toMatch(/^Subgroup matrices for/);
      // The threads of a block leave each loop together, so no loop needs votes.
      expect(code).not.toContain('any_in_block');
    }
    const shaders = programs.map(({ code, workgroupBytes, workgroupSize }) => {
      expect(workgroupSize).toBe(backendSize);
      return { code, compiles: workgroupBytes <= backendBytes };
    });
    expect(validate(shaders)).toEqual(programs.map(() => ''));
  });

  it('accepts the probe of every product', async () => {
    const adapter = { features: [], wgslFeatures: [], limits: {}, matrices: h200Matrices };
    let code = '';
    const run = async (job: { readonly code: string }) => {
      code = job.code.replace('@workgroup_size(32)', `@workgroup_size(${backendSize})`);
      return { buffers: new Map<number, Uint8Array>(), ms: 0 };
    };
    await probeMatrices({ adapter: { ...adapter, subgroupMinSize: 32, subgroupMaxSize: 32 }, run }, 32);
    expect(validate([{ code, compiles: true }])).toEqual(['']);
  });
});
