// The common part of all sessions: one piece of work at a time, each within a time limit.
// Browser-safe.

import { GpuError } from './gpu-error.ts';

export const DEFAULT_TIMEOUT_MS = 60_000;

/** The maximum delay of a platform timer, 24 days; a timer with a longer delay fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts work when all earlier work has ended, successfully or not. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns a queue. The work sets its own time limit, so the limit excludes the time in the queue.
 */
export function takeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Rejects with `GpuError` 'timeout' after `ms`. The caller has to stop the work. */
export async function withTimeLimit<T>(work: Promise<T>, ms: number, label: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    const late = (): void => reject(new GpuError('timeout', `${label}: no answer within ${ms} ms`));
    timer = setTimeout(late, Math.min(ms, MAX_TIMER_MS));
  });
  // The work may still reject later, when its process is killed.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
