// The common part of all sessions: work is done one piece at a time, each within a time limit. Safe
// for browsers.

import { CompileTimeout, GpuError } from './gpu-error.ts';
import type { JobOptions, OnPhase } from './job.ts';

export const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * The maximum delay of a platform timer, which is 24 days. A timer with a longer delay fires
 * immediately.
 */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts work when all earlier work has ended, successfully or not. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns a queue for work. Time limits belong to the work itself, so they exclude the time in the
 * queue.
 */
export function takeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

const late = (label: string, ms: number): GpuError => new GpuError('timeout', `${label}: no answer within ${ms} ms`);

const lateCompilation = (label: string, ms: number): CompileTimeout =>
  new CompileTimeout(`${label}: the driver did not compile the shader within ${ms} ms`, ms);

/**
 * Waits for `work`. Rejects with `GpuError` 'timeout' after `ms`. The caller must stop the work.
 */
export async function withTimeLimit<T>(work: Promise<T>, ms: number, label: string): Promise<T> {
  return await withTimeLimits(() => work, label, { timeoutMs: ms });
}

/**
 * Limits the phases of `work` separately. Rejects with `GpuError` 'timeout', which is a
 * `CompileTimeout` in the phase 'compiling'. The caller must stop the work.
 */
export async function withTimeLimits<T>(
  work: (onPhase: OnPhase) => Promise<T>,
  label: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, compileTimeoutMs = timeoutMs, onPhase }: JobOptions,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let expire: (error: GpuError) => void = () => undefined;
  const limit = new Promise<never>((_, reject) => {
    expire = reject;
  });
  const watch: OnPhase = (phase) => {
    const isCompiling = phase === 'compiling';
    const ms = isCompiling ? compileTimeoutMs : timeoutMs;
    const expired = () => expire(isCompiling ? lateCompilation(label, ms) : late(label, ms));
    clearTimeout(timer);
    timer = setTimeout(expired, Math.min(ms, MAX_TIMER_MS));
  };
  watch('running');
  let isOver = false;
  const working = work((phase) => {
    if (isOver) return;
    watch(phase);
    onPhase?.(phase);
  });
  // The work may reject later, when its process is killed.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, limit]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
