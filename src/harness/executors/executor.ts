// The interface of executors, which run launches. Safe for browsers; open-executor.ts opens
// executors in Node.

import type { FloatProfile } from '../../base/float-profile.ts';
import type { LanePlan, PlanKind } from '../../base/lane-plan.ts';
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { MatrixConfig } from '../../base/matrix-config.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import type { Printed } from '../../base/printed.ts';
import type { WorkaroundId } from '../../base/workarounds.ts';
import type { AdapterReport, JobPhase } from '../../runtime/device/job.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import type { LaunchSequence, SequenceRun } from '../launches/launch-sequence.ts';
import type { ShownCounters } from './shown-counters.ts';

/** The names of the executors. */
export const executorNames = ['cpu', 'chrome', 'firefox', 'webdriver', 'dawn', 'cuda'] as const;
/**
 * The name of an executor: `cpu` is the reference interpreter, `dawn` runs WebGPU in Node, `cuda`
 * uses the NVIDIA driver, the others are browsers.
 */
export type ExecutorName = (typeof executorNames)[number];

/** An executor to open: a name, or `webdriver=URL` for a browser with a WebDriver endpoint. */
export type ExecutorChoice = Exclude<ExecutorName, 'webdriver'> | `webdriver=${string}`;

export function executorNameOf(choice: ExecutorChoice | ExecutorName): ExecutorName {
  return isWebDriver(choice) ? 'webdriver' : choice;
}

/**
 * The engine of an executor: the interpreter, a shader on WebGPU, or machine code that the GPU's
 * own compiler generates from the PTX.
 */
export type Engine = 'reference' | 'webgpu' | 'native';

const engines: Readonly<Record<ExecutorName, Engine>> = {
  cpu: 'reference',
  chrome: 'webgpu',
  firefox: 'webgpu',
  webdriver: 'webgpu',
  dawn: 'webgpu',
  cuda: 'native',
};

export const engineOf = (on: ExecutorChoice | ExecutorName): Engine => engines[executorNameOf(on)];

/** Whether the executor runs PTX natively on hardware. Its results are authoritative. */
export const isNative = (on: ExecutorChoice | ExecutorName): boolean => engineOf(on) === 'native';

export function isWebDriver(choice: ExecutorChoice | ExecutorName): choice is `webdriver=${string}` {
  return choice.startsWith('webdriver=');
}

/** The values of `--adapter`. Each executor supports some of them. */
export const adapterNames = [
  'default',
  'hardware',
  'swiftshader',
  'lavapipe',
  'lavapipe4',
  'lavapipe8',
  'lavapipe16',
] as const;

/** The identity and measured properties of an executor. */
export interface ExecutorReport {
  /** The name of the executor. */
  readonly name: ExecutorName;
  /**
   * The value of `--on` that selects the executor, without credentials. Absent if it is the name.
   */
  readonly on?: string;
  /** The WebGPU adapter or CUDA device; absent for `cpu`. */
  readonly adapter?: AdapterReport;
  /** The measured subgroup size; 0 without usable subgroups. */
  readonly subgroupSize?: number;
  /** The lane plan that launches use. */
  readonly lanePlan?: LanePlan;
  /** The measured behavior of f32 arithmetic. */
  readonly float?: Readonly<Record<string, string | boolean>>;
  /**
   * The mode whose bits the executor computes for floating-point matrix products. If absent, its
   * results are within the bound of the exact sum.
   */
  readonly matrix?: MatrixMode;
  /** The products of subgroup matrices that the adapter computes correctly. */
  readonly matrices?: readonly MatrixConfig[];
  /** Problems with the adapter's subgroups. */
  readonly problems?: readonly string[];
  /** The workarounds that shaders for the adapter contain. */
  readonly workarounds?: readonly WorkaroundId[];
  /** The time of the measurement as ISO 8601, if it was cached (`OpenOptions.facts`). */
  readonly measuredAt?: string;
}

/** Returns the value of `--on` that selects the executor. */
export function onText({ name, on }: ExecutorReport): string {
  return on === undefined ? name : `'${on}'`;
}

/** The result of a launch. */
export interface ExecutorRun {
  /** The contents of every buffer parameter after the launch. */
  readonly outputs: LaunchOutputs;
  /**
   * For each parameter number, a mask for each byte of the bits that PTX leaves undefined. Only the
   * reference reports them.
   */
  readonly undefinedMasks?: LaunchOutputs;
  /**
   * For each parameter number, the linear global thread that wrote each byte last, or -1. Only the
   * reference reports them.
   */
  readonly writers?: ReadonlyMap<number, Int32Array>;
  /** The output of `printf`, if the executor reports it. */
  readonly printed?: Printed;
  /**
   * The counters, if `RunOptions.counters` requests them. Only the reference interpreter counts
   * them.
   */
  readonly counters?: ShownCounters;
  /** The duration in milliseconds, including transfers. */
  readonly ms: number;
  /** A remark on the run, such as a lost device that was replaced; usually empty. */
  readonly note: string;
}

/** Options of `KernelExecutor.run`. */
export interface RunOptions {
  /** The time limit in milliseconds. */
  readonly timeoutMs?: number;
  /** The next launch, which the executor may compile in advance. */
  readonly next?: Launch;
  /**
   * Further launches. The executor may compile their kernels together with the kernel of this
   * launch.
   */
  readonly soon?: readonly Launch[];
  /**
   * The time limit of the kernel itself in milliseconds, without compilation. Only `cuda` uses it.
   */
  readonly kernelTimeoutMs?: number;
  /** The optimization level of the native compiler, 0 to 4. Only `cuda` uses it. */
  readonly optimize?: number;
  /** A workaround to switch on or off, contrary to the registry. */
  readonly toggled?: WorkaroundId;
  /**
   * Whether to count the properties that make a kernel slow on every GPU. Only `cpu` uses this
   * option.
   */
  readonly counters?: boolean;
}

/**
 * An executor, which runs launches on the reference, a browser, Dawn or an NVIDIA driver.
 * `openExecutor` opens an executor. The caller must call `close`.
 */
export interface KernelExecutor {
  /** The name of the executor. */
  readonly name: ExecutorName;
  /** Returns the identity and measured properties. */
  describe(): ExecutorReport;
  /**
   * Runs a launch. Rejects with `KernelError` for PTX that is invalid, unsupported or fails, and
   * with `GpuError` for a failure of the device. The next launch still runs.
   */
  run(launch: Launch, options?: RunOptions): Promise<ExecutorRun>;
  /** Closes the browser, process or device. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * An executor whose browser or process is starting, so the caller can do other work until it is
 * open.
 */
export interface StartedExecutor<Executor = KernelExecutor> {
  readonly opened: Promise<Executor>;
  /**
   * Resolves when the driver and the browser have created the device. Until then, this process is
   * free for other work. The probes that follow need the process. Absent if no probes follow.
   */
  readonly device?: Promise<unknown>;
}

export interface TimeOptions {
  readonly timeoutMs?: number;
  /**
   * The f32 arithmetic, as in `OpenOptions.float`. The default is that of the executor. CUDA has
   * only one arithmetic.
   */
  readonly float?: FloatMode;
  /** A workaround to switch on or off, contrary to the registry. */
  readonly toggled?: WorkaroundId;
}

/** An executor that also measures: every executor except the reference. */
export interface MeasuringExecutor extends Pick<KernelExecutor, 'describe' | 'close'> {
  readonly name: Exclude<ExecutorName, 'cpu'>;
  /**
   * Measures a sequence. Throws `KernelError` for PTX that cannot run on the executor, and
   * `GpuError` for a failure of the device. After an error, the next sequence still runs.
   */
  time(sequence: LaunchSequence, timing: Timing, options?: TimeOptions): Promise<SequenceRun>;
}

/**
 * Whether a software rasterizer runs the kernels. Its speed does not predict the speed of a GPU.
 */
export function isSoftware(executor: Pick<KernelExecutor, 'describe'>): boolean {
  return executor.describe().adapter?.software === true;
}

/** The f32 arithmetic. `exact` returns PTX's bits. `fast` is the adapter's own arithmetic. */
export type FloatMode = FloatProfile['mode'];

/** Options of `openExecutor`. */
export interface OpenOptions {
  /**
   * The name of a software adapter, such as `swiftshader` or `lavapipe8`, to use instead of the
   * GPU.
   */
  readonly adapter?: string | undefined;
  /** Whether f32 arithmetic is exact (the default) or fast. */
  readonly float?: FloatMode | undefined;
  /**
   * The additions of floating-point matrix products. By default, the reference computes `hopper`,
   * and shaders compute `ieee`. Native hardware ignores the mode.
   */
  readonly matrix?: MatrixMode | undefined;
  /** The kind of lane plan to use, if the adapter supports it. */
  readonly plan?: PlanKind | undefined;
  /**
   * The source of the adapter's measurements. `measured` (the default) measures the adapter. `kept`
   * reuses earlier measurements of the same adapter, driver and browser from the user's cache
   * folder, and stores new measurements there.
   */
  readonly facts?: 'measured' | 'kept' | undefined;
  /**
   * The time limit of the compilation of a kernel by the driver, in milliseconds. The default is
   * 120 s, or 50 s on a software adapter, and at least the time limit of the launch.
   */
  readonly compileTimeoutMs?: number | undefined;
  /**
   * Receives the phase of a kernel when the driver starts to compile it, and when the kernel starts
   * to run.
   */
  readonly onPhase?: ((phase: JobPhase, kernel: string) => void) | undefined;
  /** Changes the WGSL before compilation, for tests of the validation. */
  readonly mutateWgsl?: (code: string) => string;
}
