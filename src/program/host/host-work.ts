// Functions that wait: for the device, for a function of the program, or for some time. Each is a
// generator that yields what it waits for. So the same functions serve a thread that blocks, and a
// program that WebAssembly suspends until a promise resolves (JSPI).
import type { DeviceReply, DeviceRequest } from '../protocol.ts';

/** Something that a function waits for. */
export type HostWait =
  | { readonly kind: 'request'; readonly request: DeviceRequest }
  /** A call of a function of the program, by its address. */
  | { readonly kind: 'call'; readonly address: number; readonly args: readonly number[] }
  | { readonly kind: 'sleep'; readonly ms: number };

/** Work that yields what it waits for. It receives the replies to its requests. */
export type HostWork<T = void> = Generator<HostWait, T, DeviceReply | undefined>;

/** Performs work on a thread that blocks in `wait`. */
export function performBlocking<T>(work: HostWork<T>, wait: (what: HostWait) => DeviceReply | undefined): T {
  let step = work.next();
  while (step.done !== true) step = work.next(wait(step.value));
  return step.value;
}

/** Performs work that awaits `wait`. Returns the result itself if the work does not wait. */
export function performAsync<T>(
  work: HostWork<T>,
  wait: (what: HostWait) => Promise<DeviceReply | undefined>,
): T | Promise<T> {
  const first = work.next();
  if (first.done === true) return first.value;
  return (async () => {
    let step: IteratorResult<HostWait, T> = first;
    while (step.done !== true) step = work.next(await wait(step.value));
    return step.value;
  })();
}

/** A function that a program imports. Its result is a number, or work with a result. */
export type HostFunction = (...args: never[]) => unknown;

/** A function that may wait. */
export type WaitingFunction = (...args: never[]) => HostWork<unknown>;

const GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor;

/** Whether a function returns work that may wait. */
export const mayWait = (work: HostFunction): work is WaitingFunction => work instanceof GeneratorFunction;
