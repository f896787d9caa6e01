// Reports work that takes longer than expected.

/** The time in milliseconds before the first report. Most compilations end within this time. */
const quietMs = 2_000;
const tickMs = 1_000;

type Timer = ReturnType<typeof setTimeout>;

/** Starts a timer that does not keep a Node process alive. */
export function unheldTimer(run: () => void, ms: number): Timer {
  const timer: Timer | number = setTimeout(run, ms);
  if (typeof timer === 'object') timer.unref();
  return timer;
}

/**
 * Calls `report` with the milliseconds so far: after two seconds, and then every second. Returns a
 * function that stops the reports.
 */
export function reportLongWork(report: (ms: number) => void): () => void {
  const start = performance.now();
  const tick = (): void => {
    timer = unheldTimer(tick, tickMs);
    report(Math.round(performance.now() - start));
  };
  let timer = unheldTimer(tick, quietMs);
  return () => clearTimeout(timer);
}
