// Native CUDA: launches PTX on this machine's NVIDIA GPU, through the driver, in a child process.

import type { Launch } from '../../base/launch.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import { DEFAULT_TIMEOUT_MS, takeTurns } from '../../runtime/device/turns.ts';
import type { LaunchSequence } from '../launches/launch-sequence.ts';
import { requirePackage } from '../sessions/packages.ts';
import type { CudaReport, CudaRun, FromChild, RunRequest, SequenceRequest, TimeRequest } from './cuda-messages.ts';
import { CudaProcess } from './cuda-process.ts';
import type { TimedSequence } from './sequence.ts';

export { CudaError } from './cuda-error.ts';
export type { CudaReport, CudaRun } from './cuda-messages.ts';

export interface CudaRunOptions {
  /** Compiling included; 60 s without it. */
  readonly timeoutMs?: number;
  /** What fills the memory around each buffer, 0 to 255: results that change with it come from reads out of bounds. */
  readonly guardByte?: number;
  /** Level of the driver's optimizer, 0 to 4; 4 without it. */
  readonly optimize?: number;
  /** Launches that will follow: the driver may compile their kernels with this one's. Where that ends the process, this launch runs alone. */
  readonly soon?: readonly Launch[];
}

/** An open GPU. Requests wait for their turn. After an error of kind 'lost' or 'timeout' the next one gets a fresh process. */
export interface CudaSession {
  describe(): CudaReport;
  /**
   * Launches once, and returns every buffer. Throws `CudaError` where the driver refused (PTX that does not compile has its log in
   * the message), and `GpuError` 'validation' where the launch does not fit the kernel or the kernel wrote beside a buffer.
   */
  run(launch: Launch, options?: CudaRunOptions): Promise<CudaRun>;
  /** Milliseconds on the device of each of `samples` launches, after one that does not count. Buffers carry over from one to the next. */
  time(launch: Launch, samples: number, options?: Pick<CudaRunOptions, 'timeoutMs'>): Promise<readonly number[]>;
  /** Milliseconds on the device of each sample of a sequence, and its results' windows. */
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
 * Opens the first GPU that the driver shows (CUDA_VISIBLE_DEVICES chooses). Throws `GpuError` 'unavailable' that says what is missing:
 * the koffi package, the driver, or a GPU.
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
    { timeoutMs, guardByte = GUARD_BYTE, optimize, soon = [] }: CudaRunOptions = {},
  ): Promise<CudaRun> {
    const level = optimize === undefined ? {} : { optimize };
    const alone = { kind: 'run', launch: withoutExpectations(launch), guardByte, ...level } as const;
    const ask = (request: RunRequest) => this.#inTurn(request, 'ran', timeoutMs);
    const texts = soon.map(({ ptx }) => ptx);
    const answer =
      texts.length === 0
        ? ask(alone)
        : ask({ ...alone, soon: texts }).catch((error: unknown) => {
            // It may have been another's kernel that the driver could not bear.
            if (error instanceof GpuError && (error.kind === 'lost' || error.kind === 'timeout') && !this.#closed)
              return ask(alone);
            throw error;
          });
    const { outputs, ms, log, printed } = await answer;
    // What arrives are views into one received message; callers get arrays of their own.
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
    if (this.#closed) return Promise.reject(new GpuError('lost', `${id}: the CUDA session has been closed`));
    return this.#takeTurn(async () => {
      if (this.#process.ended) this.#process = (await CudaProcess.start(this.#openTimeoutMs)).process;
      return await this.#process.ask(request, kind, timeoutMs, id);
    });
  }
}

/** What the child needs: expected contents would only be copied in vain. */
function withoutExpectations(launch: Launch): Launch {
  const params = launch.params.map((param) => {
    if (param.kind !== 'buffer') return param;
    const { expect: _, ...rest } = param;
    return rest;
  });
  return { ...launch, params };
}
