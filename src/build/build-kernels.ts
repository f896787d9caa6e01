// Translates the kernels of a PTX module for a built module.

import type { PlanKind } from '../base/lane-plan.ts';
import type { Dim3 } from '../base/launch.ts';
import type { MatrixMode } from '../base/matrix-mode.ts';
import { chooseEntry, entriesOf, parameterNamesOf } from '../harness/infer/index.ts';
import type { Diagnostic, Module, PtxFunction } from '../ptx/ast.ts';
import { KernelError } from '../runtime/launch/kernel-error.ts';
import { signatureOf } from '../runtime/launch/signature.ts';
import { translate, type WgslProgram } from '../translate/index.ts';
import { kernelNames } from './kernel-names.ts';
import type { KernelToWrite } from './module-text.ts';
import { type TranslateFor, variantsOf } from './variants.ts';

/** A value for all kernels, or for the kernel with a certain name. */
export interface Choice<T> {
  readonly kernel?: string | undefined;
  readonly value: T;
}

export interface BuildOptions {
  /** The names of the kernels to include. The default is all kernels of the module. */
  readonly entries?: readonly string[] | undefined;
  /** The number of threads of a block. It is not needed for a kernel with `.reqntid`. */
  readonly block: readonly Choice<Dim3>[];
  /** The size of dynamic shared memory, in bytes. The default is 0. */
  readonly shared?: readonly Choice<number>[] | undefined;
  /**
   * The names of the parameters. The default is the names in the CUDA source, if the module
   * contains them.
   */
  readonly params?: readonly Choice<readonly string[]>[] | undefined;
  readonly float: 'exact' | 'fast';
  /** The matrix mode: how floating-point matrix products are added. The default is `ieee`. */
  readonly matrix?: MatrixMode | undefined;
  /** The lane plans to include. The default is all. */
  readonly plans?: readonly PlanKind[] | undefined;
}

const sizesOf: Readonly<Record<PlanKind, readonly number[]>> = {
  native: [32, -32],
  wide: [64, 128],
  narrow: [16, 8, 4],
  portable: [0],
};

/**
 * Translates the kernels. Throws `RangeError` for a kernel that is not in the module, and for a
 * missing or invalid block size. Throws `KernelError` if the PTX cannot be translated, or if a
 * kernel needs memory other than the buffers of its parameters.
 */
export function buildKernels(module: Module, options: BuildOptions): readonly KernelToWrite[] {
  const chosen = options.entries?.map((wanted) => chooseEntry(module, wanted)) ?? entriesOf(module);
  if (chosen.length === 0) throw new RangeError(`${module.source.file} has no kernel`);
  const names = kernelNames(entriesOf(module).map(({ name }) => name));
  const find = <T>(choices: readonly Choice<T>[] | undefined, entry: PtxFunction): T | undefined => {
    const own = choices?.find(({ kernel }) => kernel !== undefined && chooseEntry(module, kernel) === entry);
    return (own ?? choices?.find(({ kernel }) => kernel === undefined))?.value;
  };
  const { plans = ['native', 'wide', 'narrow', 'portable'], float: mode, matrix } = options;
  const sizes = plans.flatMap((plan) => sizesOf[plan]);
  return [...new Set(chosen)].map((entry) => {
    const name = names[entriesOf(module).indexOf(entry)] ?? entry.name;
    const block = blockOf(entry, name, find(options.block, entry));
    const sharedBytes = find(options.shared, entry) ?? 0;
    const translateFor: TranslateFor = (adapter) => programOf(module, entry, { block, sharedBytes, ...adapter });
    const labels = find(options.params, entry) ?? parameterNamesOf(module, entry);
    const shapes = signatureOf(entry);
    if (labels.length !== shapes.length)
      throw new RangeError(`${name} has ${shapes.length} parameters, but ${labels.length} names: ${labels.join(', ')}`);
    const parameters = shapes.map((shape, index) => ({ ...shape, name: labels[index] ?? shape.name }));
    return { name, block, parameters, variants: variantsOf({ mode, matrix }, sizes, translateFor) };
  });
}

function blockOf({ requiredThreads }: PtxFunction, name: string, chosen: Dim3 | undefined): Dim3 {
  const text = requiredThreads?.join(',');
  if (requiredThreads && (chosen === undefined || chosen.join(',') === text)) return requiredThreads;
  if (requiredThreads) throw new RangeError(`${name} requires blocks of ${text} threads (.reqntid), not ${chosen}`);
  if (chosen) return chosen;
  throw new RangeError(
    `the block size of ${name} is unknown: add \`--block ${name}=256\`, or \`?block=256\` to its import, with the size that it was written for`,
  );
}

type Adapter = Parameters<TranslateFor>[0];
interface Shape extends Adapter {
  readonly block: Dim3;
  readonly sharedBytes: number;
}

function programOf(module: Module, entry: PtxFunction, shape: Shape): WgslProgram {
  const { program, diagnostics } = translate(module, { entry: entry.name, grid: 'overrides', images: false, ...shape });
  if (!program) throw new KernelError('unsupported', module.source, diagnostics);
  if (program.cluster) throw new KernelError('unsupported', module.source, [hasCluster(entry)]);
  if (program.heap) throw new KernelError('unsupported', module.source, [needsHeap(entry, program)]);
  return program;
}

const hasCluster = ({ name, span, clusterSpan }: PtxFunction): Diagnostic => ({
  code: 'LW2006',
  severity: 'error',
  message: `a built module of \`${name}\`, which has clusters of several blocks, is not supported`,
  span: clusterSpan ?? span,
  labels: [],
  hint: 'load the PTX with `lanewise/runtime`',
});

function needsHeap({ name, span, params }: PtxFunction, { unclearParams }: WgslProgram): Diagnostic {
  const unclear = unclearParams.map((param) => `\`${params[param]?.name}\``).join(', ');
  const why =
    unclear === ''
      ? `\`${name}\` uses addresses as numbers, or variables of its module`
      : `PTX does not show whether ${unclear} of \`${name}\` is a number added to an address from memory`;
  return {
    code: 'LW2011',
    severity: 'error',
    message: `${why}: a built module has only the buffers of its parameters`,
    span,
    labels: [],
    hint: `${unclear === '' ? '' : 'declare each pointer as one (`.param .u64 .ptr p`), or '}load the PTX with \`lanewise/runtime\``,
  };
}
