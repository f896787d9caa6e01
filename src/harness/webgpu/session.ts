// A session over a page, a child process or a device of this thread: one job at a time, a time limit that kills what hangs, an
// idempotent close. Browser-safe.

import { GpuError, messageOf } from '../../runtime/device/gpu-error.ts';
import type { AdapterReport, GpuJob, GpuResult, GpuSession, GpuShader } from '../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult } from '../../runtime/device/sequence.ts';
import { DEFAULT_TIMEOUT_MS, takeTurns, withTimeLimit } from '../../runtime/device/turns.ts';
import type { Closable } from '../sessions/open-sessions.ts';
import { checkResult } from './wire.ts';

/** What holds the device. */
export interface Transport {
  send(job: GpuJob): Promise<GpuResult>;
  /** Absent where jobs alone are compiled. */
  prepare?(shader: GpuShader): void;
  time(sequence: GpuSequence): Promise<GpuSequenceResult>;
  /** Ends it in order. Called once. */
  close(): Promise<void>;
  /** Ends it at once: it may hang in a kernel that never returns. Synchronous, and callable again. */
  kill(): void;
}

export interface SessionOptions {
  /** Of a job that asks for none. */
  readonly timeoutMs?: number;
  /** In Node, `guard` of `open-sessions`: closes the session on signals and at exit too. */
  readonly guard?: (session: Closable) => () => void;
}

/** A session over `transport`. */
export function startSession(
  adapter: AdapterReport,
  transport: Transport,
  { timeoutMs: usualMs = DEFAULT_TIMEOUT_MS, guard }: SessionOptions = {},
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

  const runNow = async <T>(label: string, send: () => Promise<T>, timeoutMs: number): Promise<T> => {
    if (ended !== undefined) throw new GpuError('lost', `${label}: the session has ended: ${ended}`);
    try {
      return await withTimeLimit(send(), timeoutMs, label);
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
    run: (job, { timeoutMs = usualMs } = {}) =>
      inTurn(() => runNow(job.label, async () => checkResult(job, await transport.send(job)), timeoutMs)),
    time: (sequence, { timeoutMs = usualMs } = {}) =>
      inTurn(() => runNow(sequence.label, () => transport.time(sequence), timeoutMs)),
    close: () => end('it was closed', false),
  };
}
