// PTX to WGSL: the passes in order.

import type { FloatProfile } from '../base/float-profile.ts';
import type { LanePlan } from '../base/lane-plan.ts';
import type { Diagnostic, Module, PtxFunction } from '../ptx/ast.ts';
import { buildKernel } from './build-cfg.ts';
import { refuse, TranslateError, translateDiagnostics } from './diagnostics.ts';
import { emitProgram } from './emit/index.ts';
import { bindingsFor } from './find-buffers.ts';
import { foldConstants } from './fold-constants.ts';
import { hoistLoads } from './hoist-loads.ts';
import { indexArrays } from './index-arrays.ts';
import { indexBuffers } from './index-buffers.ts';
import type { Kernel } from './ir.ts';
import { narrowAddresses } from './narrow-addresses.ts';
import { printKernel } from './print.ts';
import type { WgslProgram } from './program.ts';
import { readOnlyLoads } from './read-only-loads.ts';
import { removeDeadCode } from './remove-dead-code.ts';
import { splitRanges } from './split-ranges.ts';
import { unrollLoops } from './unroll-loops.ts';

export type { FloatProfile } from '../base/float-profile.ts';
export { type LanePlan, planFor } from '../base/lane-plan.ts';
export { statusCodes } from './emit/status.ts';
export type { ParamPlace, WgslProgram } from './program.ts';

export interface TranslateOptions {
  /// Kernel to translate; may be left out where the module has one.
  readonly entry?: string;
  /// Threads of a block.
  readonly block: readonly [number, number, number];
  /// Blocks of the grid; needed only where a dimension exceeds `maxWorkgroups`.
  readonly grid?: readonly [number, number, number];
  /// Dynamic shared memory, bytes.
  readonly sharedBytes?: number;
  readonly plan: LanePlan;
  readonly float: FloatProfile;
  /// Limits of the adapter: workgroups a dimension (default 65535), invocations a workgroup (1024), storage buffers a stage (8).
  readonly maxWorkgroups?: number;
  readonly maxInvocations?: number;
  readonly maxStorageBuffers?: number;
  /// Called with the name of each pass and the kernel after it.
  readonly observe?: (pass: string, text: string) => void;
}

/// A program, or at least one error.
export interface TranslateResult {
  readonly program: WgslProgram | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Pass {
  readonly name: string;
  readonly run: (kernel: Kernel, options: TranslateOptions) => Kernel;
}

export const passes: readonly Pass[] = [
  { name: 'split-ranges', run: (kernel) => ({ ...kernel, blocks: splitRanges(kernel.blocks) }) },
  {
    name: 'fold-constants',
    run: (kernel, { block }) => ({ ...kernel, blocks: foldConstants(kernel.blocks, launchConstants(block)) }),
  },
  { name: 'unroll-loops', run: unroll },
  { name: 'remove-dead-code', run: (kernel) => ({ ...kernel, blocks: removeDeadCode(kernel.blocks) }) },
  { name: 'index-buffers', run: (kernel) => ({ ...kernel, blocks: indexBuffers(kernel.blocks) }) },
  { name: 'narrow-addresses', run: (kernel) => ({ ...kernel, blocks: narrowAddresses(kernel.blocks) }) },
  { name: 'index-arrays', run: indexArrays },
  { name: 'sweep', run: (kernel) => ({ ...kernel, blocks: removeDeadCode(kernel.blocks) }) },
  {
    name: 'hoist-loads',
    run: (kernel, { maxStorageBuffers }) => ({
      ...kernel,
      blocks: hoistLoads(kernel.blocks, readOnlyLoads(kernel, bindingsFor(maxStorageBuffers))),
    }),
  },
];

/// Copies of a loop's body write the same registers: each value of them gets a name, and what counted becomes constants.
function unroll(kernel: Kernel, { float, block, maxStorageBuffers }: TranslateOptions): Kernel {
  const blocks = unrollLoops(kernel.blocks, { float, readOnly: readOnlyLoads(kernel, bindingsFor(maxStorageBuffers)) });
  if (blocks === kernel.blocks) return kernel;
  return { ...kernel, blocks: foldConstants(splitRanges(blocks), launchConstants(block)) };
}

/// Special registers whose value the block's size tells.
function launchConstants([x, y, z]: readonly [number, number, number]): ReadonlyMap<string, number> {
  const known: [string, number][] = [
    ['%ntid.x', x],
    ['%ntid.y', y],
    ['%ntid.z', z],
    ['%nwarpid', Math.ceil((x * y * z) / 32)],
    ...(y === 1 ? ([['%tid.y', 0]] as [string, number][]) : []),
    ...(z === 1 ? ([['%tid.z', 0]] as [string, number][]) : []),
    ...(x === 1 ? ([['%tid.x', 0]] as [string, number][]) : []),
  ];
  return new Map(known);
}

/// Translates one kernel of a module for blocks of a size on a lane plan. Never throws for bad or unsupported PTX: that is in the diagnostics.
export function translate(module: Module, options: TranslateOptions): TranslateResult {
  try {
    const entry = chooseEntry(module, options.entry);
    const threads = options.block[0] * options.block[1] * options.block[2];
    if (threads < 1 || threads > 1024) refuse(translateDiagnostics.blockTooLarge(threads), entry.span);
    let kernel = buildKernel(module, entry, options.sharedBytes ?? 0);
    options.observe?.('build-cfg', printKernel(kernel));
    for (const pass of passes) {
      kernel = pass.run(kernel, options);
      options.observe?.(pass.name, printKernel(kernel));
    }
    return { program: emitProgram(kernel, options), diagnostics: [] };
  } catch (error) {
    if (error instanceof TranslateError) return { program: undefined, diagnostics: [error.diagnostic] };
    throw error;
  }
}

function chooseEntry(module: Module, name: string | undefined): PtxFunction {
  const entries = module.functions.filter((fn) => fn.kind === 'entry');
  const names = entries.map((fn) => fn.name);
  const [first] = entries;
  const nowhere = { start: 0, end: Math.min(1, module.source.text.length) };
  if (name !== undefined)
    return entries.find((fn) => fn.name === name) ?? refuse(translateDiagnostics.noEntry(name, names), nowhere);
  if (first === undefined) return refuse(translateDiagnostics.noEntry(undefined, []), nowhere);
  if (entries.length > 1) return refuse(translateDiagnostics.severalEntries(names), first.span);
  return first;
}

/// Names that `--print-after` takes.
export const passNames: readonly string[] = ['build-cfg', ...passes.map(({ name }) => name)];
