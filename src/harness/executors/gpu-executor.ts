// Runs launches on a WebGPU adapter: translates the launches, and replaces a lost device.

import type { LanePlan } from '../../base/lane-plan.ts';
import type { Launch } from '../../base/launch.ts';
import type { WorkaroundId } from '../../base/workarounds.ts';
import {
  type AdapterReport,
  CompileTimeout,
  type CompileTimes,
  GpuError,
  type GpuJob,
  type GpuSession,
  type GpuShader,
  type JobOptions,
} from '../../runtime/device/job.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import { cliWaysOut, compileTimeout } from '../../runtime/launch/compile-limit.ts';
import { needsResidency, type Resident, workgroupsOf } from '../../runtime/launch/dispatch.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { Preflight } from '../../runtime/preflight/preflight.ts';
import { planOn } from '../../runtime/preflight/profile.ts';
import { ResidencyProbes } from '../../runtime/preflight/residency.ts';
import type { WgslProgram } from '../../translate/index.ts';
import type { LaunchSequence, SequenceRun } from '../launches/launch-sequence.ts';
import { checkBlockMemory } from './block-memory-limit.ts';
import type {
  ExecutorReport,
  ExecutorRun,
  FloatMode,
  KernelExecutor,
  MeasuringExecutor,
  OpenOptions,
  RunOptions,
  TimeOptions,
} from './executor.ts';
import { referencesOf } from './image-buffers.ts';
import { makeJob, readAnswer } from './kernel-job.ts';
import { programTarget, type Translate, translateLaunch, workaroundsOn } from './launch-program.ts';
import { kernelKey, loadKernel } from './load-kernel.ts';
import { makeSequence, readSequence } from './sequence-job.ts';

/**
 * The number of cached programs. A validation runs some hundred kernels, and runs each of them more
 * than once with `--exhaustive`.
 */
const maxPrograms = 512;

export type GpuExecutorName = 'chrome' | 'firefox' | 'webdriver' | 'dawn';

/** The options of one program. */
interface ProgramChoices {
  readonly float?: FloatMode | undefined;
  readonly toggled?: WorkaroundId | undefined;
}

/** A compiled launch, and the times of its parts in milliseconds. */
export interface CompiledLaunch extends CompileTimes {
  readonly program: WgslProgram;
  readonly translateMs: number;
}

/** The measurements of the adapter, and the translator. */
export interface Facts {
  readonly measured: Preflight;
  readonly translate: Translate;
  /** The same as `ExecutorReport.measuredAt`. */
  readonly measuredAt?: string;
}

export interface GpuExecutorIdentity {
  readonly name: GpuExecutorName;
  /** The same as `ExecutorReport.on`. */
  readonly on?: string;
}

function shaderOf({ label, code, entryPoint, buffers }: GpuJob): GpuShader {
  return { label, code, entryPoint, buffers: buffers.map(({ binding, kind }) => ({ binding, kind })) };
}

/**
 * Runs translated launches on a session. Translates for the properties in `measured`. When a
 * session ends, calls `open` for a new session.
 */
export class GpuExecutor implements KernelExecutor, MeasuringExecutor {
  readonly name: GpuExecutorName;
  readonly #options: OpenOptions;
  readonly #open: () => Promise<GpuSession>;
  readonly #measured: Preflight;
  readonly #translate: Translate;
  readonly #plan: LanePlan;
  readonly #programs = new Map<string, WgslProgram>();
  readonly #residency = new ResidencyProbes();
  readonly #adapter: AdapterReport;
  #session: GpuSession | undefined;
  /** The number of unfinished launches. */
  #running = 0;
  readonly #report: ExecutorReport;

  constructor(
    { name, on }: GpuExecutorIdentity,
    options: OpenOptions,
    open: () => Promise<GpuSession>,
    session: GpuSession,
    { measured, measuredAt, translate }: Facts,
  ) {
    this.name = name;
    this.#options = options;
    this.#open = open;
    this.#session = session;
    this.#adapter = session.adapter;
    this.#measured = measured;
    this.#translate = translate;
    this.#plan = planOn(measured, options.plan);
    this.#report = {
      name,
      ...(on === undefined ? {} : { on }),
      adapter: session.adapter,
      subgroupSize: measured.subgroupSize,
      lanePlan: this.#plan,
      float: { ...measured.float },
      ...(measured.matrices === undefined ? {} : { matrices: measured.matrices }),
      ...(options.matrix === 'hopper' ? { matrix: options.matrix } : {}),
      problems: measured.problems,
      workarounds: [...workaroundsOn(session.adapter)],
      ...(measuredAt === undefined ? {} : { measuredAt }),
    };
  }

  describe(): ExecutorReport {
    return this.#report;
  }

  async run(launch: Launch, { timeoutMs, next, toggled }: RunOptions = {}): Promise<ExecutorRun> {
    const program = this.#program(launch, { toggled });
    const ahead = next && this.#shaderAhead(next);
    const resident = await this.#residencyOf(program, launch);
    const job: GpuJob = { ...this.#job(program, launch, resident), ...(ahead ? { ahead: [ahead] } : {}) };
    const limit = this.#jobOptions(program.kernel, timeoutMs);
    const send = async () => await (await this.#opened()).run(job, limit);
    // Compile the shader while other launches run.
    if (this.#running > 0) this.#session?.prepare(shaderOf(job));
    this.#running++;
    try {
      const result = await send();
      return { ...readAnswer(program, launch, result), ms: result.ms, note: '' };
    } catch (error) {
      if (!this.#hasEnded(error) || error.kind !== 'lost') throw this.#explained(error, launch, program);
      const result = await send();
      const note = `the device was lost (${error.message}); a new device produced the result`;
      return { ...readAnswer(program, launch, result), ms: result.ms, note };
    } finally {
      this.#running--;
    }
  }

  /**
   * Measures a sequence. Does not retry after a lost device, because samples of two devices would
   * be mixed.
   */
  async time(sequence: LaunchSequence, timing: Timing, options: TimeOptions = {}): Promise<SequenceRun> {
    const { timeoutMs, float, toggled } = options;
    const request = makeSequence(sequence, timing, (launch) => this.#program(launch, { float, toggled }));
    const session = await this.#opened();
    try {
      return readSequence(sequence, await session.time(request, this.#jobOptions(sequence.id, timeoutMs)));
    } catch (error) {
      this.#hasEnded(error);
      throw error;
    }
  }

  /**
   * Translates a launch and compiles its shader, and measures both times. Rejects as `run` does,
   * and with `CompileTimeout`.
   */
  async compile(launch: Launch): Promise<CompiledLaunch> {
    const session = await this.#opened();
    const start = performance.now();
    const program = this.#program(launch);
    const translateMs = performance.now() - start;
    try {
      const shader = shaderOf(this.#job(program, launch));
      const times = await session.compile(shader, this.#jobOptions(program.kernel, undefined));
      return { program, translateMs, ...times };
    } catch (error) {
      this.#hasEnded(error);
      throw this.#explained(error, launch, program);
    }
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
  }

  async #opened(): Promise<GpuSession> {
    this.#session ??= await this.#open();
    return this.#session;
  }

  #jobOptions(kernel: string, timeoutMs: number | undefined): JobOptions {
    const { compileTimeoutMs, onPhase } = this.#options;
    return {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(compileTimeoutMs === undefined ? {} : { compileTimeoutMs }),
      ...(onPhase === undefined ? {} : { onPhase: (phase) => onPhase(phase, kernel) }),
    };
  }

  /**
   * Returns the error. For an abandoned compilation, the error names the cause, and the settings
   * that may help.
   */
  #explained(error: unknown, launch: Launch, program: WgslProgram): unknown {
    if (!(error instanceof CompileTimeout)) return error;
    const { source, functions } = loadKernel(launch);
    const kernel = functions.find(({ name }) => name === program.kernel);
    if (kernel === undefined) return error;
    const isFast = this.#options.float === 'fast';
    return compileTimeout({ program, source, span: kernel.span, isFast }, error.limitMs, cliWaysOut);
  }

  /** Whether the session has ended. If so, the next launch opens another session. */
  #hasEnded(error: unknown): error is GpuError {
    const ended = error instanceof GpuError && (error.kind === 'lost' || error.kind === 'timeout');
    if (ended) this.#session = undefined;
    return ended;
  }

  /**
   * Returns whether as many workgroups of this size as the launch has run at the same time. This is
   * measured at the first launch whose blocks wait for each other.
   */
  async #residencyOf(program: WgslProgram, { id, grid }: Launch): Promise<Resident> {
    if (!needsResidency(program, grid)) return 'unknown';
    const shape = {
      workgroups: workgroupsOf(program, id, grid),
      invocations: program.workgroupSize,
      bytes: program.workgroupBytes,
    };
    try {
      return (await this.#residency.holds(await this.#opened(), shape)) ? 'all' : 'not all';
    } catch (error) {
      this.#hasEnded(error);
      throw error;
    }
  }

  #job(program: WgslProgram, launch: Launch, resident?: Resident): GpuJob {
    const { mutateWgsl } = this.#options;
    checkBlockMemory(program, launch, this.#adapter.limits);
    const made = makeJob(program, launch, resident);
    return mutateWgsl ? { ...made, code: mutateWgsl(made.code) } : made;
  }

  /**
   * Returns the shader of the next launch. Returns undefined if that launch cannot run; it will
   * report the error itself.
   */
  #shaderAhead(launch: Launch): GpuShader | undefined {
    try {
      return shaderOf(this.#job(this.#program(launch), launch));
    } catch {
      return undefined;
    }
  }

  #program(launch: Launch, { float = this.#options.float, toggled }: ProgramChoices = {}): WgslProgram {
    const target = programTarget(this.#measured, this.#adapter, { ...this.#options, float, toggled });
    // The grid affects the program only if a dimension exceeds the dispatch limit.
    const grid = launch.grid.some((size) => size > target.maxWorkgroups) ? launch.grid : undefined;
    const { entry, block, cluster, sharedBytes, cooperative } = launch;
    const references = referencesOf(launch);
    const key = JSON.stringify([
      kernelKey(launch),
      entry,
      block,
      cluster,
      sharedBytes,
      grid,
      cooperative,
      float,
      toggled,
      references,
    ]);
    const known = this.#programs.get(key);
    if (known) return known;
    const { program, diagnostics } = translateLaunch(launch, target, this.#translate);
    if (!program) throw new KernelError('unsupported', loadKernel(launch).source, diagnostics);
    if (this.#programs.size >= maxPrograms) this.#programs.clear();
    this.#programs.set(key, program);
    return program;
  }
}
