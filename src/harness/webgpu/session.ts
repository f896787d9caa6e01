// A session with a device in a page, in a child process or in this thread. The session runs one job
// at a time, and kills a job that exceeds its time limit. Closing the session a second time has no
// effect. Browser-safe.

import { GpuError, messageOf } from '../../runtime/device/gpu-error.ts';
import type {
  AdapterReport,
  CompileTimes,
  GpuJob,
  GpuResult,
  GpuSession,
  GpuShader,
  JobOptions,
  OnPhase,
} from '../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult } from '../../runtime/device/sequence.ts';
import { takeTurns, withTimeLimits } from '../../runtime/device/turns.ts';
import type { Closable } from '../sessions/open-sessions.ts';
import { checkResult } from './wire.ts';

/** The interface to the process, page or thread with the device. */
export interface Transport {
  send(job: GpuJob, onPhase: OnPhase): Promise<GpuResult>;
  /** Compiles a shader in advance. Undefined if shaders are compiled only with their jobs. */
  prepare?(shader: GpuShader): void;
  time(sequence: GpuSequence, onPhase: OnPhase): Promise<GpuSequenceResult>;
  compile(shader: GpuShader): Promise<CompileTimes>;
  /** Closes the device in an orderly way. Called once. */
  close(): Promise<void>;
  /**
   * Kills the process or page of the device, which may hang in a kernel that never returns. The
   * call is synchronous and may be repeated.
   */
  kill(): void;
}

export interface SessionOptions {
  /** The default time limit of jobs, in milliseconds. */
  readonly timeoutMs?: number;
  /**
   * Registers the session to be closed on signals and at exit. In Node, this is `guard` of
   * `open-sessions`.
   */
  readonly guard?: (session: Closable) => () => void;
}

/**
 * The default time limits of a compilation, on GPUs and on software adapters. Drivers compile most
 * shaders in well under a second, but some ordinary kernels need minutes.
 */
const COMPILE_TIMEOUT_MS = { gpu: 120_000, software: 50_000 } as const;

/**
 * Returns the time limit of a compilation on an adapter, in milliseconds. By default it is at least
 * that of the job, because a user who allows a longer job expects its compilation to take as long.
 */
const compileTimeoutOn = (
  { software }: Pick<AdapterReport, 'software'>,
  { timeoutMs = 0, compileTimeoutMs }: JobOptions,
): number => compileTimeoutMs ?? Math.max(COMPILE_TIMEOUT_MS[software ? 'software' : 'gpu'], timeoutMs);

/** Starts a session over `transport`. */
export function startSession(
  adapter: AdapterReport,
  transport: Transport,
  { timeoutMs: usualMs, guard }: SessionOptions = {},
): GpuSession {
  let closing: Promise<void> | undefined;
  let ended: string | undefined;
  const inTurn = takeTurns();

  const end = (reason: string, forced: boolean): Promise<void> => {
    ended ??= reason;
    closing ??= (async () => {
      if (forced) transport.kill();
      await transport.close();
      release?.();
    })();
    return closing;
  };
  const release = guard?.({ close: () => end('the program was interrupted', true), kill: () => transport.kill() });

  const usual = usualMs === undefined ? {} : { timeoutMs: usualMs };

  const runNow = async <T>(label: string, send: (onPhase: OnPhase) => Promise<T>, options: JobOptions): Promise<T> => {
    if (ended !== undefined) throw new GpuError('lost', `${label}: the session has ended: ${ended}`);
    try {
      return await withTimeLimits(send, label, {
        ...usual,
        ...options,
        compileTimeoutMs: compileTimeoutOn(adapter, options),
      });
    } catch (error) {
      const known = error instanceof GpuError ? error : new GpuError('lost', `${label}: ${messageOf(error)}`);
      if (known.kind === 'lost' || known.kind === 'timeout') await end(known.message, true);
      throw known;
    }
  };

  return {
    adapter,
    prepare: (shader) => {
      if (ended === undefined) transport.prepare?.(shader);
    },
    run: (job, options = {}) =>
      inTurn(() => runNow(job.label, async (onPhase) => checkResult(job, await transport.send(job, onPhase)), options)),
    time: (sequence, options = {}) =>
      inTurn(() => runNow(sequence.label, (onPhase) => transport.time(sequence, onPhase), options)),
    compile: (shader, options = {}) =>
      inTurn(() =>
        runNow(
          shader.label,
          (onPhase) => {
            onPhase('compiling');
            return transport.compile(shader);
          },
          options,
        ),
      ),
    close: () => end('it was closed', false),
  };
}
