// Runs a launch on the reference, with buffers that have as many elements as the kernel accesses.
import type { Launch } from '../../src/base/launch.ts';
import { scalarFormats } from '../../src/base/scalars.ts';
import { LaunchError } from '../../src/cpu-ref/executor.ts';
import { type InterpretResult, interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import type { ParamUse } from '../../src/harness/infer/index.ts';
import type { Module, PtxFunction } from '../../src/ptx/index.ts';
import { maxCount } from '../state.ts';
import { launchParam, paramBytes } from './inputs.ts';
import type { LaunchChoices, SuggestedLaunch } from './launch-drafts.ts';
import { maxLaunchBytes } from './limits.ts';

/** The maximum number of instructions that the reference executes in one run. */
const maxSteps = 30_000;

/** Preparing this number of buffer bytes takes about as long as executing an instruction. */
const bytesPerStep = 128;

/**
 * The number of instructions that a search may still execute. With a time limit instead, the result
 * would depend on the machine.
 */
export interface Budget {
  steps: number;
}

/**
 * The maximum number of runs that only determine the buffer sizes. After each, the buffers get the
 * size that the kernel accesses.
 */
const maxGrowths = 4;

/**
 * Runs the candidate with the sanitizer. Before that, enlarges each buffer to the elements that the
 * kernel accesses, unless the user has chosen the buffer's size.
 */
export function tried(
  module: Module,
  entry: PtxFunction,
  params: readonly ParamUse[],
  choices: LaunchChoices,
  candidate: SuggestedLaunch,
  budget: Budget,
): { readonly launch: SuggestedLaunch; readonly result: InterpretResult | undefined } {
  let launch = candidate;
  for (let growths = 0; growths < maxGrowths; growths++) {
    const result = run(module, entry, params, launch, budget, false);
    if (result === undefined) return { launch, result };
    const specs = new Map(launch.specs);
    let grown = false;
    for (const [index, { variable }] of params.entries()) {
      const spec = specs.get(variable.name);
      const extent = result.extents.get(index);
      const isChosen = choices.inputs.get(variable.name)?.count !== undefined;
      if (spec?.as !== 'buffer' || extent === undefined || isChosen) continue;
      const width = scalarFormats[spec.type ?? 'u32'].bytes; // `type` is undefined for a buffer of plain words.
      const needed = Math.max(1, Math.ceil(Math.max(extent.readTo, extent.writtenTo) / width));
      // An access this far away is undefined behavior. It does not determine a size.
      if (needed > maxCount) return { launch, result: undefined };
      if (needed > (spec.count ?? 0)) grown = true; // `count` is undefined while the buffer has no elements.
      specs.set(variable.name, { ...spec, count: needed });
    }
    launch = { ...launch, specs };
    if (result.failure?.code === 'RUN014') return { launch, result };
    if (!grown) break;
  }
  return { launch, result: run(module, entry, params, launch, budget, true) };
}

function run(
  module: Module,
  entry: PtxFunction,
  params: readonly ParamUse[],
  { block, grid, sharedBytes, specs }: SuggestedLaunch,
  budget: Budget,
  sanitize: boolean,
): InterpretResult | undefined {
  const described = params.flatMap(({ variable }) => {
    const spec = specs.get(variable.name);
    return spec ? [{ variable, spec }] : [];
  });
  const bytes = described.reduce((sum, { variable, spec }) => sum + paramBytes(variable, spec), 0);
  if (bytes > maxLaunchBytes) return undefined;
  const made = described.map(({ variable, spec }) => launchParam(variable, spec));
  const { file: ptxFile, text: ptx } = module.source;
  const launch: Launch = { id: '', group: '', ptx, ptxFile, entry: entry.name, grid, block, sharedBytes, params: made };
  try {
    const result = interpret(module, launch, { sanitize, maxSteps });
    budget.steps -= result.steps + bytes / bytesPerStep;
    return result;
  } catch (error) {
    // The page cannot provide a parameter of this kind, such as a texture.
    if (error instanceof LaunchError) return undefined;
    throw error;
  }
}
