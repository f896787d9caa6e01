// Compares the matrix products of a training with the CPU reference, for one tile of each kernel.
import { at, get } from '../../src/base/invariants.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import type { PlannedLaunch } from './launches.ts';
import { runOnReference } from './reference.ts';
import type { KernelFile, Trainer } from './trainer.ts';

export interface ProductCheck {
  /** The number of compared sums. */
  readonly compared: number;
  /** A description of the first wrong sum; undefined if all sums are right. */
  readonly difference: string | undefined;
}

type Trained = Pick<Trainer, 'plan' | 'launch' | 'words'>;

/**
 * The kernels of matrix products, without the suffix for their type. Each has the index of the
 * argument that sets the number of products in a sum.
 */
const kernels: readonly (readonly [name: string, terms: number])[] = [
  ['matmul', 0],
  ['matmul_back_input', 1],
  ['matmul_back_weights', 0],
];
/** The maximum number of rows that the check sums for a weight gradient. */
const mostRows = 256;
/**
 * The word that marks unwritten sums: a NaN that differs from PTX's canonical NaN, so the kernels
 * never write it.
 */
const unwritten = 0xffff_ffff;

/**
 * Launches the first block of each product kernel again, on the device and on the reference, with
 * the current contents of the kernel's buffers. With exact floats, the bits of the sums must be
 * those of the reference; for f16, these are the bits of NVIDIA's sm_90. With fast floats, each
 * addition may lose 2^-22 of the sum of the magnitudes. Rejects with the errors of the device.
 */
export async function checkProducts(
  trainer: Trained,
  files: readonly KernelFile[],
  float: 'exact' | 'fast',
): Promise<ProductCheck> {
  let compared = 0;
  for (const [name, terms] of kernels) {
    const launch = firstBlock(trainer.plan.step, name);
    const [out, inputs] = await buffersOf(trainer, launch);
    trainer.launch(launch);
    const sums = await trainer.words(out);
    const isExact = float === 'exact';
    const expected = referenceSums(files, launch, inputs, isExact ? 'hopper' : 'ieee');
    const sizes = isExact ? undefined : floatsOf(referenceSums(files, launch, withoutSigns(inputs), 'ieee'));
    const share = (Number(launch.args[terms]) + 2) * 2 ** -22;
    const [own, wanted] = [floatsOf(sums), floatsOf(expected)];
    for (const [index, bits] of expected.entries()) {
      if (bits === unwritten) continue;
      compared += 1;
      if (sums[index] === bits) continue;
      const [got, want] = [at(own, index, 'a sum'), at(wanted, index, 'a sum')];
      if (sizes && Math.abs(got - want) <= share * at(sizes, index, 'a size')) continue;
      return { compared, difference: `${launch.kernel}: sum ${index} is ${got}, expected ${want}` };
    }
  }
  return { compared, difference: undefined };
}

const floatsOf = ({ buffer }: Uint32Array): Float32Array => new Float32Array(buffer);

function firstBlock(step: readonly PlannedLaunch[], name: string): PlannedLaunch {
  const launch = step.find(({ kernel }) => kernel === name || kernel === `${name}_f16`);
  if (!launch) throw new RangeError(`no launch of ${name}`);
  const [first, ...others] = launch.args;
  const args = name === 'matmul_back_weights' ? [Math.min(Number(first), mostRows), ...others] : launch.args;
  return { ...launch, grid: [1, 1], args };
}

type Contents = ReadonlyMap<string, Uint32Array<ArrayBuffer>>;

/**
 * Returns the name of the buffer with the sums, and the contents of the launch's buffers, in which
 * every sum is marked as unwritten.
 */
async function buffersOf(trainer: Trained, { args }: PlannedLaunch): Promise<readonly [out: string, Contents]> {
  const names = args.filter((argument) => typeof argument === 'string');
  const out = at(names, names.length - 1, 'a buffer');
  const contents = new Map<string, Uint32Array<ArrayBuffer>>();
  for (const name of names) contents.set(name, await trainer.words(name));
  get(contents, out, 'the sums').fill(unwritten);
  return [out, contents];
}

/**
 * Returns the absolute values of inputs. Their product contains the sums of the magnitudes of the
 * terms.
 */
const withoutSigns = (inputs: Contents): Contents =>
  new Map(
    [...inputs].map(([name, words]) => [name, words.map((word) => (word === unwritten ? word : word & 0x7fff_ffff))]),
  );

function referenceSums(
  files: readonly KernelFile[],
  launch: PlannedLaunch,
  inputs: Contents,
  matrix: 'hopper' | 'ieee',
): Uint32Array {
  const file = files.find(({ ptx }) => ptx.includes(`.entry ${launch.kernel}(`));
  if (!file) throw new RangeError(`no file has the kernel ${launch.kernel}`);
  const contents = (name: string): Uint8Array => new Uint8Array(get(inputs, name, 'a buffer').buffer);
  const after = runOnReference(parsePtxOrThrow(file.ptx, { file: file.name }), launch, contents, { matrix });
  const out = [...after].at(-1);
  if (!out) throw new RangeError(`${launch.kernel} has no buffer`);
  return new Uint32Array(out[1].slice().buffer);
}
