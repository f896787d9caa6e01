// What every session does alike: one job at a time, a time limit that kills what hangs, an idempotent close.

import { guard } from '../process/open-sessions.ts';
import type { AdapterReport, GpuJob, GpuResult, GpuSession, GpuShader } from './job.ts';
import { GpuError } from './job.ts';
import type { GpuSequence, GpuSequenceResult } from './sequence.ts';
import { checkResult } from './wire.ts';

export const DEFAULT_TIMEOUT_MS = 60_000;

/// The other side: a page or a child process that holds the device.
export interface Transport {
  send(job: GpuJob): Promise<GpuResult>;
  /// Absent where jobs alone are compiled.
  prepare?(shader: GpuShader): void;
  time(sequence: GpuSequence): Promise<GpuSequenceResult>;
  /// Ends it in order. Called once.
  close(): Promise<void>;
  /// Ends it at once: it may hang in a kernel that never returns. Synchronous, and callable again.
  kill(): void;
}

/// A session over `transport`, closed on signals and at exit too.
export function startSession(adapter: AdapterReport, transport: Transport): GpuSession {
  let closing: Promise<void> | undefined;
  let ended: string | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = (reason: string, forced: boolean): Promise<void> => {
    ended ??= reason;
    closing ??= (async () => {
      if (forced) transport.kill();
      await transport.close();
      release();
    })();
    return closing;
  };
  const release = guard({ close: () => end('the program was interrupted', true), kill: () => transport.kill() });

  const runNow = async <T>(label: string, send: () => Promise<T>, timeoutMs: number): Promise<T> => {
    if (ended) throw new GpuError('lost', `${label}: the session has ended: ${ended}`);
    try {
      return await withTimeLimit(send(), timeoutMs, label);
    } catch (error) {
      const known = error instanceof GpuError ? error : new GpuError('lost', `${label}: ${messageOf(error)}`);
      if (known.kind === 'lost' || known.kind === 'timeout') await end(known.message, true);
      throw known;
    }
  };

  const inTurn = <T>(label: string, send: () => Promise<T>, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<T> => {
    // The time limit starts when the job does, not while it waits for its turn.
    const turn = last.then(() => runNow(label, send, timeoutMs));
    last = turn.catch(() => undefined);
    return turn;
  };

  return {
    adapter,
    prepare: (shader) => {
      if (!ended) transport.prepare?.(shader);
    },
    run: (job, { timeoutMs } = {}) =>
      inTurn(job.label, async () => checkResult(job, await transport.send(job)), timeoutMs),
    time: (sequence, { timeoutMs } = {}) => inTurn(sequence.label, () => transport.time(sequence), timeoutMs),
    close: () => end('it was closed', false),
  };
}

/// What a timer of the platform takes; it fires at once for more. 24 days.
const MAX_TIMER_MS = 2 ** 31 - 1;

/// Rejects with `GpuError` 'timeout' after `ms`. What it waited for is left to whoever kills it.
export async function withTimeLimit<T>(work: Promise<T>, ms: number, label: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const late = (): void => reject(new GpuError('timeout', `${label}: no answer within ${ms} ms`));
    timer = setTimeout(late, Math.min(ms, MAX_TIMER_MS));
  });
  // The loser of the race may still reject, when its process is killed.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
