// Launches PTX natively on this machine's NVIDIA GPU, through the CUDA driver in a child process.

import type { Launch } from '../../base/launch.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import { DEFAULT_TIMEOUT_MS, takeTurns } from '../../runtime/device/turns.ts';
import type { LaunchSequence } from '../launches/launch-sequence.ts';
import { requirePackage } from '../sessions/packages.ts';
import { CudaError, results } from './cuda-error.ts';
import type { CudaReport, CudaRun, FromChild, RunRequest, SequenceRequest, TimeRequest } from './cuda-messages.ts';
import { CudaProcess } from './cuda-process.ts';
import type { TimedSequence } from './sequence.ts';

export { CudaError } from './cuda-error.ts';
export type { CudaReport, CudaRun } from './cuda-messages.ts';

export interface CudaRunOptions {
  /** The time limit in milliseconds, including compilation. The default is 60 s. */
  readonly timeoutMs?: number;
  /**
   * The value of the guard bytes around each buffer, 0 to 255. If a result depends on this value,
   * the kernel has read out of bounds.
   */
  readonly guardByte?: number;
  /**
   * The time limit of the kernel in milliseconds, from its launch on. By default only `timeoutMs`
   * limits it.
   */
  readonly kernelTimeoutMs?: number;
  /** The level of the driver's optimizer, 0 to 4. By default, the driver chooses the level. */
  readonly optimize?: number;
  /**
   * Later launches. The driver may compile their kernels together with the kernel of this launch.
   * If one of those kernels ends the process, this launch is repeated without them.
   */
  readonly soon?: readonly Launch[];
}

/**
 * An open GPU. It executes requests in order. After an error of kind 'lost' or 'timeout', the next
 * request starts a new process.
 */
export interface CudaSession {
  describe(): CudaReport;
  /**
   * Launches once and returns every buffer. Throws `CudaError` if the driver rejects the launch;
   * for invalid PTX, the message contains the compiler's log. Throws `GpuError` 'validation' if the
   * launch does not match the kernel's parameters or the kernel writes out of bounds.
   */
  run(launch: Launch, options?: CudaRunOptions): Promise<CudaRun>;
  /**
   * Launches a kernel once to warm up, then `samples` times. Returns the milliseconds of each
   * launch on the device. Buffers keep their contents between launches.
   */
  time(launch: Launch, samples: number, options?: Pick<CudaRunOptions, 'timeoutMs'>): Promise<readonly number[]>;
  /**
   * Measures a sequence. Returns the milliseconds of each sample on the device, and the windows of
   * its results.
   */
  timeSequence(
    sequence: LaunchSequence,
    timing: Timing,
    options?: Pick<CudaRunOptions, 'timeoutMs'>,
  ): Promise<TimedSequence>;
  close(): Promise<void>;
}

export interface CudaOptions {
  readonly openTimeoutMs?: number;
}

const OPEN_TIMEOUT_MS = 60_000;
const GUARD_BYTE = 0xa5;

/**
 * Opens the first GPU that the driver reports, which CUDA_VISIBLE_DEVICES can select. Throws
 * `GpuError` 'unavailable'. The message names the missing part: the koffi package, the driver, or a
 * GPU.
 */
export async function openCuda({ openTimeoutMs = OPEN_TIMEOUT_MS }: CudaOptions = {}): Promise<CudaSession> {
  requirePackage('koffi', 'cuda');
  const { process, report } = await CudaProcess.start(openTimeoutMs);
  return new Session(process, report, openTimeoutMs);
}

class Session implements CudaSession {
  readonly #report: CudaReport;
  readonly #openTimeoutMs: number;
  #process: CudaProcess;
  #closed = false;
  readonly #takeTurn = takeTurns();

  constructor(process: CudaProcess, report: CudaReport, openTimeoutMs: number) {
    this.#process = process;
    this.#report = report;
    this.#openTimeoutMs = openTimeoutMs;
  }

  describe(): CudaReport {
    return this.#report;
  }

  async run(
    launch: Launch,
    { timeoutMs, guardByte = GUARD_BYTE, optimize, kernelTimeoutMs, soon = [] }: CudaRunOptions = {},
  ): Promise<CudaRun> {
    const level = optimize === undefined ? {} : { optimize };
    const limit = kernelTimeoutMs === undefined ? {} : { kernelTimeoutMs };
    const alone = { kind: 'run', launch: withoutExpectations(launch), guardByte, ...level, ...limit } as const;
    const ask = (request: RunRequest) => this.#inTurn(request, 'ran', timeoutMs);
    const texts = soon.map(({ ptx }) => ptx);
    const answer =
      texts.length === 0
        ? ask(alone)
        : ask({ ...alone, soon: texts }).catch((error: unknown) => {
            if (mayBeAnothers(error) && !this.#closed) return ask(alone);
            throw error;
          });
    const { outputs, ms, log, printed } = await answer;
    // The received arrays are views into one message. Copy them, so that callers have arrays of
    // their own.
    const own = new Map([...outputs].map(([index, data]) => [index, new Uint8Array(data)]));
    return { outputs: own, ms, log, ...(printed === undefined ? {} : { printed }) };
  }

  async time(
    launch: Launch,
    samples: number,
    { timeoutMs }: Pick<CudaRunOptions, 'timeoutMs'> = {},
  ): Promise<readonly number[]> {
    const request = { kind: 'time', launch: withoutExpectations(launch), samples } as const;
    return (await this.#inTurn(request, 'timed', timeoutMs)).times;
  }

  async timeSequence(
    sequence: LaunchSequence,
    timing: Timing,
    { timeoutMs }: Pick<CudaRunOptions, 'timeoutMs'> = {},
  ): Promise<TimedSequence> {
    const message = await this.#inTurn({ kind: 'sequence', sequence, timing }, 'timed-sequence', timeoutMs);
    const windows = new Map([...message.windows].map(([name, data]) => [name, new Uint8Array(data)]));
    return { times: message.times, windows };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#takeTurn(async () => {
      if (!this.#process.ended) await this.#process.close();
    });
  }

  #inTurn<Kind extends FromChild['kind']>(
    request: RunRequest | TimeRequest | SequenceRequest,
    kind: Kind,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    const { id } = request.kind === 'sequence' ? request.sequence : request.launch;
    if (this.#closed) return Promise.reject(new GpuError('lost', `${id}: the CUDA session is closed`));
    return this.#takeTurn(async () => {
      if (this.#process.ended) this.#process = (await CudaProcess.start(this.#openTimeoutMs)).process;
      return await this.#process.ask(request, kind, timeoutMs, id);
    });
  }
}

/** Whether another launch's kernel may have caused the error: this launch's own did not start. */
const mayBeAnothers = (error: unknown): boolean =>
  error instanceof GpuError &&
  (error.kind === 'lost' || error.kind === 'timeout') &&
  !(error instanceof CudaError && error.code === results.notReady);

/** Removes the expected contents, which the child does not need, to avoid copying them. */
function withoutExpectations(launch: Launch): Launch {
  const params = launch.params.map((param) => {
    if (param.kind !== 'buffer') return param;
    const { expect: _, ...rest } = param;
    return rest;
  });
  return { ...launch, params };
}
