// What every session does alike: one piece of work at a time, each within a time limit. Browser-safe.

import { GpuError } from './gpu-error.ts';

export const DEFAULT_TIMEOUT_MS = 60_000;

/** What a timer of the platform takes; it fires at once for more. 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts work when all that was asked for before has ended, however it ended. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A queue. The work itself sets its time limit, so that waiting for the turn does not count. */
export function takeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Rejects with `GpuError` 'timeout' after `ms`. What it waited for is left to whoever kills it. */
export async function withTimeLimit<T>(work: Promise<T>, ms: number, label: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
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
