// Executes the emitted WGSL with the lockstep interpreter, for lane plans that no software adapter
// can run.

import { type PortableShape, portablePlan } from '../../src/base/lane-plan.ts';
import { type Launch, pointersOf } from '../../src/base/launch.ts';
import { pointedParams } from '../../src/base/launch-pointers.ts';
import type { MatrixConfig } from '../../src/base/matrix-config.ts';
import type { MatrixMode } from '../../src/base/matrix-mode.ts';
import type { Workarounds } from '../../src/base/workarounds.ts';
import type { ExecutorRun, KernelExecutor } from '../../src/harness/executors/executor.ts';
import { referencesOf } from '../../src/harness/executors/image-buffers.ts';
import { makeJob, readAnswer } from '../../src/harness/executors/kernel-job.ts';
import { kernelKey, loadKernel } from '../../src/harness/executors/load-kernel.ts';
import { KernelError } from '../../src/runtime/launch/kernel-error.ts';
import { type LanePlan, planFor, translate, type WgslProgram } from '../../src/translate/index.ts';
import { type InterpreterOptions, runWgsl } from '../wgsl-interpreter/index.ts';
import { exactFloats, flushedFloats } from './float-profiles.ts';

export interface LockstepOptions extends Omit<InterpreterOptions, 'subgroupSize'> {
  /**
   * Whether WGSL's `subgroup_id` is available. If it is not, the shader numbers its subgroups
   * itself. The default is true.
   */
  readonly subgroupId?: boolean;
  /** The shape of the portable plan. By default, the compiler chooses a shape. */
  readonly shape?: PortableShape;
  /**
   * Whether the compiler knows which parameters of the launch are pointers. The default is true.
   */
  readonly knowsPointers?: boolean;
  /**
   * The number of polls without a change after which a wait ends. The default is that of the
   * compiler.
   */
  readonly maxPolls?: number;
  /** The workarounds for drivers and compilers. The default is the whole registry. */
  readonly workarounds?: Workarounds;
  /** The matrix mode. The default is that of the compiler. */
  readonly matrix?: MatrixMode;
  /** The products of subgroup matrices that the adapter computes (default: none). */
  readonly matrices?: readonly MatrixConfig[];
  /** The adapter's limit of workgroup memory, in bytes (default: none). */
  readonly maxWorkgroupBytes?: number;
  /** The maximum number of invocations of a workgroup (default: that of the compiler). */
  readonly maxInvocations?: number;
  /** Receives each program. */
  readonly onProgram?: (program: WgslProgram) => void;
}

/** The products of subgroup matrices that an H200 computes in Dawn. */
export const h200Matrices: readonly MatrixConfig[] = [
  ...(['f16', 'f32'] as const).flatMap((result): MatrixConfig[] => [
    { component: 'f16', result, m: 16, n: 16, k: 16 },
    { component: 'f16', result, m: 16, n: 8, k: 16 },
    { component: 'f16', result, m: 16, n: 8, k: 8 },
  ]),
  ...[16, 8].flatMap((n): MatrixConfig[] => [
    { component: 'u8', result: 'u32', m: 16, n, k: 32 },
    { component: 'i8', result: 'i32', m: 16, n, k: 32 },
  ]),
];

/** Translates a launch for one lane plan. Throws `KernelError` if it cannot be translated. */
export function translateLaunch(
  launch: Launch,
  plan: LanePlan,
  float = exactFloats,
  pointerParams = pointersOf(launch),
  more: Pick<LockstepOptions, 'maxPolls' | 'workarounds' | 'matrices' | 'maxWorkgroupBytes' | 'maxInvocations'> = {},
): WgslProgram {
  const module = loadKernel(launch);
  const { program, diagnostics } = translate(module, {
    entry: launch.entry,
    block: launch.block,
    grid: launch.grid,
    cluster: launch.cluster,
    sharedBytes: launch.sharedBytes,
    cooperative: launch.cooperative ?? false,
    heapParams: pointedParams(launch),
    references: referencesOf(launch),
    pointerParams,
    plan,
    float,
    ...(more.matrices === undefined ? {} : { maxWorkgroupBytes: 49_152 }),
    ...more,
  });
  if (!program) throw new KernelError('unsupported', module.source, diagnostics);
  return program;
}

/**
 * Selects the compiler's own variables, which are the only variables in which the executor detects
 * races. The reference's sanitizer detects races in the kernel's variables.
 */
const races = (name: string): boolean => name.startsWith('exchange');

/**
 * Returns an executor whose subgroups have `size` invocations; for 1, it uses the portable plan. By
 * design, plans do not use subgroup builtins in divergent control flow, except in dispatched
 * kernels. The executor reports a violation as an error.
 */
export function lockstepExecutor(size: number, options: LockstepOptions = {}): KernelExecutor {
  const {
    subgroupId = true,
    shape,
    knowsPointers = true,
    maxPolls,
    workarounds,
    matrix,
    matrices,
    maxWorkgroupBytes,
    maxInvocations,
    onProgram,
    ...interpreter
  } = options;
  const plan = size === 1 && shape !== undefined ? portablePlan(shape) : planFor(size, { subgroupId });
  const more = {
    ...(maxPolls === undefined ? {} : { maxPolls }),
    ...(workarounds === undefined ? {} : { workarounds }),
    ...(matrices === undefined ? {} : { matrices }),
    ...(maxWorkgroupBytes === undefined ? {} : { maxWorkgroupBytes }),
    ...(maxInvocations === undefined ? {} : { maxInvocations }),
  };
  const programs = new Map<string, WgslProgram>();
  const programOf = (launch: Launch): WgslProgram => {
    const { entry, block, cluster, sharedBytes, cooperative } = launch;
    const pointers = knowsPointers ? pointersOf(launch) : [];
    const pointed = [...pointedParams(launch)];
    const key = JSON.stringify([kernelKey(launch), entry, block, cluster, sharedBytes, cooperative, pointers, pointed]);
    const known = programs.get(key);
    if (known) return known;
    const floats = { ...(options.flushes ? flushedFloats : exactFloats), matrix };
    const program = translateLaunch(launch, plan, floats, pointers, more);
    if (plan.kind === 'portable' && /\bsubgroup[A-Z]\w*\(|builtin\(subgroup_|enable subgroups/.test(program.code))
      throw new Error(`the portable plan uses subgroups:\n${program.code}`);
    programs.set(key, program);
    onProgram?.(program);
    return program;
  };
  return {
    // Executors have the names of the command line. This executor replaces a GPU, so it has the
    // name of a GPU's executor.
    name: 'dawn',
    describe: () => ({ name: 'dawn', subgroupSize: size, lanePlan: plan, ...(matrix === 'hopper' ? { matrix } : {}) }),
    async run(launch): Promise<ExecutorRun> {
      const program = programOf(launch);
      const job = makeJob(program, launch);
      const result = runWgsl(job, { uniformSubgroups: true, races, ...interpreter, subgroupSize: plan.subgroupSize });
      return { ...readAnswer(program, launch, result), ms: result.ms, note: '' };
    },
    async close() {},
  };
}
