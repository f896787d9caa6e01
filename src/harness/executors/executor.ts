// The executors: what runs a launch. Browser-safe; open-executor.ts opens them in Node.

import type { FloatProfile } from '../../base/float-profile.ts';
import type { LanePlan, PlanKind } from '../../base/lane-plan.ts';
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { Printed } from '../../base/printed.ts';
import type { WorkaroundId } from '../../base/workarounds.ts';
import type { AdapterReport } from '../../runtime/device/job.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import type { LaunchSequence, SequenceRun } from '../launches/launch-sequence.ts';

export const executorNames = ['cpu', 'chrome', 'firefox', 'webdriver', 'dawn', 'cuda'] as const;
export type ExecutorName = (typeof executorNames)[number];

/** What `--on` takes: a name; of `webdriver` with an address and the browser's capabilities, `webdriver=http://grid:4444?browserName=firefox`. */
export type ExecutorChoice = Exclude<ExecutorName, 'webdriver'> | `webdriver=${string}`;

export function executorNameOf(choice: ExecutorChoice | ExecutorName): ExecutorName {
  return isWebDriver(choice) ? 'webdriver' : choice;
}

/** What runs a kernel: the interpreter, a shader on WebGPU, or machine code that the GPU's own compiler makes of the PTX. */
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

/** Whether an executor is one of the hardware that PTX is for, so that its results decide. */
export const isNative = (on: ExecutorChoice | ExecutorName): boolean => engineOf(on) === 'native';

export function isWebDriver(choice: ExecutorChoice | ExecutorName): choice is `webdriver=${string}` {
  return choice.startsWith('webdriver=');
}

/** What `--adapter` takes. Each executor knows some of them. */
export const adapterNames = [
  'default',
  'hardware',
  'swiftshader',
  'lavapipe',
  'lavapipe4',
  'lavapipe8',
  'lavapipe16',
] as const;

/** What an executor is, as results carry it. */
export interface ExecutorReport {
  readonly name: ExecutorName;
  /** What `--on` takes for it, where that is not its name: of a user or a key it has none. */
  readonly on?: string;
  /** Absent for `cpu`. */
  readonly adapter?: AdapterReport;
  /** Subgroup size that was measured; 0 where there are no usable subgroups. */
  readonly subgroupSize?: number;
  readonly lanePlan?: LanePlan;
  /** How f32 arithmetic behaves there, as measured. */
  readonly float?: Readonly<Record<string, string | boolean>>;
  /** What was found wrong with the adapter's subgroups. */
  readonly problems?: readonly string[];
  /** Which workarounds shaders for it have (base/workarounds.ts). */
  readonly workarounds?: readonly WorkaroundId[];
  /** When all this was measured, as ISO 8601, where it was not measured now (`OpenOptions.facts`). */
  readonly measuredAt?: string;
}

/** What a command line needs after `--on` for it. */
export function onText({ name, on }: ExecutorReport): string {
  return on === undefined ? name : `'${on}'`;
}

export interface ExecutorRun {
  /** Every buffer parameter after the launch. */
  readonly outputs: LaunchOutputs;
  /** By parameter: one mask byte per byte, 0 where PTX defines it. Only the reference interpreter knows. */
  readonly undefinedMasks?: LaunchOutputs;
  /** By parameter: for each byte the linear global thread that wrote it last, or -1. Only the reference interpreter knows. */
  readonly writers?: ReadonlyMap<number, Int32Array>;
  /** What the kernel printed; absent where the executor does not see it. */
  readonly printed?: Printed;
  readonly ms: number;
  /** What happened on the way, such as a lost device; '' if nothing did. */
  readonly note: string;
}

export interface RunOptions {
  readonly timeoutMs?: number;
  /** The launch that will probably follow: an executor may compile it meanwhile. */
  readonly next?: Launch;
  /** Those that will probably follow in all: an executor that takes as long for one short kernel as for two may compile them together. */
  readonly soon?: readonly Launch[];
  /** Level of the native compiler's optimizer, 0 to 4 (its default); only `cuda` has one. */
  readonly optimize?: number;
  /** As `TimeOptions.toggled`. */
  readonly toggled?: WorkaroundId;
}

export interface KernelExecutor {
  readonly name: ExecutorName;
  describe(): ExecutorReport;
  /** Throws `KernelError` for PTX that does not parse or cannot run there, and `GpuError`. After either the next launch still runs. */
  run(launch: Launch, options?: RunOptions): Promise<ExecutorRun>;
  close(): Promise<void>;
}

/** An executor whose browser or process has been started: other things may be done while it opens. */
export interface StartedExecutor<Executor = KernelExecutor> {
  readonly opened: Promise<Executor>;
  /** Ends with the driver's and the browser's part of it: what follows are probes, each of which waits for this process. Absent where nothing follows. */
  readonly device?: Promise<unknown>;
}

export interface TimeOptions {
  readonly timeoutMs?: number;
  /** As `OpenOptions.float`; the executor's own without it. CUDA has one arithmetic only. */
  readonly float?: FloatMode;
  /** A workaround that the shader lacks although it concerns the adapter, or has although it does not. */
  readonly toggled?: WorkaroundId;
}

/** An executor that measures, too: each but the reference. */
export interface MeasuringExecutor extends Pick<KernelExecutor, 'describe' | 'close'> {
  readonly name: Exclude<ExecutorName, 'cpu'>;
  /** Throws `KernelError` for PTX that cannot run there, and `GpuError`. After either the next sequence still runs. */
  time(sequence: LaunchSequence, timing: Timing, options?: TimeOptions): Promise<SequenceRun>;
}

/** Whether a software rasterizer runs the kernels: its speed says nothing of a GPU's. */
export function isSoftware(executor: Pick<KernelExecutor, 'describe'>): boolean {
  return executor.describe().adapter?.software === true;
}

/** `exact`: PTX's f32 bits; `fast`: the adapter's own arithmetic as it is. */
export type FloatMode = FloatProfile['mode'];

export interface OpenOptions {
  /** A software adapter by name (`swiftshader`, `lavapipe8`, …) instead of what the machine has. */
  readonly adapter?: string | undefined;
  /** `exact` without it. */
  readonly float?: FloatMode | undefined;
  /** Overrules the lane plan that the adapter would get. */
  readonly plan?: PlanKind | undefined;
  /**
   * `kept`: what was measured before of this adapter, driver and browser is taken, if it was, and what is measured is kept in the user's cache
   * folder. `measured`, without it: the adapter is measured now.
   */
  readonly facts?: 'measured' | 'kept' | undefined;
  /** Changes the WGSL before it is compiled: for tests of the validation itself. */
  readonly mutateWgsl?: (code: string) => string;
}
