// Limits how often Dawn's binding for Node polls for finished work. By default, the binding polls
// with `setImmediate` while any work is pending. While a thread of Dawn compiles a pipeline, this
// polling would occupy a second core.

const immediately = globalThis.setImmediate;
const INTERVAL_MS = 1;

let eagerUntil = Number.NEGATIVE_INFINITY;

/**
 * Makes Dawn poll once a millisecond. Must be called before Dawn's `create`, in a process that uses
 * `setImmediate` only for Dawn.
 */
export function throttleTicks(): void {
  Object.assign(globalThis, {
    setImmediate: (callback: () => void) =>
      performance.now() < eagerUntil ? immediately(callback) : setTimeout(callback, INTERVAL_MS),
  });
}

/**
 * Makes Dawn poll continuously for the next `ms` milliseconds, so that measurements in microseconds
 * do not wait for the next poll.
 */
export function tickEagerly(ms: number): void {
  eagerUntil = performance.now() + ms;
}
