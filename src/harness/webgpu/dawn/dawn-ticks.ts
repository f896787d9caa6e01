// How often Dawn's binding for Node looks whether something is done. By itself it asks again with `setImmediate` as long as anything is
// pending: while a pipeline compiles on a thread of Dawn's, asking keeps a second core busy.

const immediately = globalThis.setImmediate;
const INTERVAL_MS = 1;

let eagerUntil = Number.NEGATIVE_INFINITY;

/** From now on Dawn asks once a millisecond. To be called before its `create`, in a process that holds nothing else. */
export function throttleTicks(): void {
  Object.assign(globalThis, {
    setImmediate: (callback: () => void) =>
      performance.now() < eagerUntil ? immediately(callback) : setTimeout(callback, INTERVAL_MS),
  });
}

/** For the next `ms` milliseconds it asks without a pause: what is measured to the microsecond must not wait for the next look. */
export function tickEagerly(ms: number): void {
  eagerUntil = performance.now() + ms;
}
