// The shaders of a built module: those that a device selects equal those of the runtime, and fit
// the device.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type FloatProfile, promisedFloats } from '../../../src/base/float-profile.ts';
import { choosePlan } from '../../../src/base/lane-plan.ts';
import type { Dim3 } from '../../../src/base/launch.ts';
import { floatStrengths, strengthBit } from '../../../src/base/strengths.ts';
import { workaroundsFor } from '../../../src/base/workarounds.ts';
import { buildKernels } from '../../../src/build/build-kernels.ts';
import type { Variant } from '../../../src/build/variants.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import { translate } from '../../../src/translate/index.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const unknown = { vendor: '', architecture: '', device: '', description: '', host: '' };
const fused = { ...promisedFloats, fma: 'fused', contracts: false } as const;

interface Adapter {
  readonly float: Omit<FloatProfile, 'mode'>;
  readonly vendor: string;
  readonly description?: string;
  readonly subgroups: Parameters<typeof choosePlan>[0];
}

const sized = (subgroupSize: number, subgroupId = true) => ({ subgroupSize, subgroupId, explicitSizes: [] });

/** The adapters. The first three are measured (docs/results); the others are possible. */
const adapters: Readonly<Record<string, Adapter>> = {
  'NVIDIA H200': {
    float: { ...fused, extremes: 'exact', exp2: 'close', nans: 'canonical', packHalf: 'exact' },
    vendor: 'nvidia',
    subgroups: sized(32),
  },
  SwiftShader: {
    float: { ...promisedFloats, contracts: false, div: 'exact', sqrt: 'exact', extremes: 'approx', exp2: 'approx' },
    vendor: 'google',
    description: 'SwiftShader driver',
    subgroups: sized(4),
  },
  lavapipe: {
    float: { ...promisedFloats, denormals: 'kept', contracts: false, div: 'exact', sqrt: 'exact' },
    vendor: 'mesa',
    description: 'llvmpipe (LLVM 19, 256 bits)',
    subgroups: sized(8),
  },
  'another GPU': { float: fused, vendor: 'apple', subgroups: sized(32) },
  'a GPU with subgroups of 64': { float: fused, vendor: 'amd', subgroups: sized(64) },
  'a GPU with subgroups on request': {
    float: fused,
    vendor: 'intel',
    subgroups: { subgroupSize: 0, subgroupId: true, explicitSizes: [16, 32] },
  },
  'a GPU without `subgroup_id`': { float: fused, vendor: '', subgroups: sized(32, false) },
  'a GPU without subgroups': { float: fused, vendor: 'arm', subgroups: sized(0, false) },
};

const kernels: readonly (readonly [file: string, kernel: string, block: Dim3])[] = [
  ['docs/examples/saxpy.ptx', 'saxpy', [256, 1, 1]],
  ['bench/kernels/neural.ptx', 'layer_norm', [256, 1, 1]],
  ['bench/kernels/neural.ptx', 'matmul', [16, 16, 1]],
  ['demo/gallery/kernels/bodies.ptx', 'move_bodies', [256, 1, 1]],
];

/** Selects a variant in the same way as the launcher. */
function select(variants: readonly Variant[], size: number, strengths: number): Variant | undefined {
  const choose = (wanted: number) =>
    variants.find((variant) => variant.size === wanted && (variant.needs & strengths) === variant.needs);
  return choose(size) ?? choose(0);
}

function strengthsOf({ float, vendor, subgroups }: Adapter): number {
  const isOther = vendor !== '' && vendor !== 'nvidia';
  return (
    floatStrengths(float) |
    (isOther ? strengthBit('otherDriver') : 0) |
    (subgroups.subgroupId ? strengthBit('subgroupId') : 0)
  );
}

describe.each(kernels)('the shaders of %s, %s', (file, kernel, block) => {
  const module = parseModule(readFileSync(join(root, file), 'utf8'), file);
  const [built] = buildKernels(module, { entries: [kernel], block: [{ value: block }], float: 'exact' });

  test.each(Object.entries(adapters))('are those of the runtime on %s', (_, adapter) => {
    const plan = choosePlan(adapter.subgroups);
    const size = plan.kind === 'portable' ? 0 : plan.sizeControl ? -plan.subgroupSize : plan.subgroupSize;
    const selected = select(built?.variants ?? [], size, strengthsOf(adapter));
    const { program } = translate(module, {
      entry: kernel,
      block,
      grid: 'overrides',
      images: false,
      plan,
      float: { mode: 'exact', ...adapter.float },
      workarounds: workaroundsFor({ ...unknown, vendor: adapter.vendor, description: adapter.description ?? '' }),
    });
    expect(selected?.program.code).toBe(program?.code);
  });
});
