// Dawn in a Node process. It runs on the calling thread, and some of its calls wait for the device:
// forever, if a kernel never ends. Measured with webgpu 0.6.2 on lavapipe and SwiftShader
// (docs/lab-notes/dawn-in-node.md):
//
// - `GPUDevice.destroy()` waits for the queue, and so does the garbage collection of a device.
// - Node collects all objects when a program ends by itself, and such a program never ends.
//   `process.exit()` collects nothing.
// - `createComputePipeline` waits for the queue on lavapipe; `createComputePipelineAsync` waits on
//   another thread.
// - While a promise of Dawn's is pending, Dawn polls it with `setImmediate`, which keeps the
//   process alive.
//
// So this file destroys a device only after it has finished its work, keeps a reference to it until
// then, and lets the process end if no caller waits for the device.

import { isMainThread } from 'node:worker_threads';
import { fileStore } from './cache/file-store.ts';
import { dawnFlags } from './dawn-flags.ts';
import type { Engine } from './device/engine.ts';
import { GpuError, messageOf } from './device/gpu-error.ts';
import { withTimeLimit } from './device/turns.ts';
import type { Waits } from './device/waits.ts';
import type { Platform } from './open-device.ts';

/** The interval between two polls of a device for which no caller waits. */
const LOOK_MS = 20;

/** The GPU objects in use. Dawn crashes if one is garbage-collected while a device exists. */
const kept = new Set<GPU>();
/** The engines that use a device, or whose device still works. */
const live = new Set<Engine>();

/** The number of callers that wait for devices. */
let waiting = 0;
/** Work that devices still do after its caller timed out or closed the runtime. */
const abandoned = new Set<Promise<unknown>>();

const waits: Waits = {
  async during(work, limit) {
    waiting += 1;
    // Dawn may be between two slow polls, which do not keep the process alive. A timer keeps it
    // alive while a caller waits.
    const hold = abandoned.size > 0 ? setInterval(() => undefined, LOOK_MS) : undefined;
    try {
      return await (limit ? withTimeLimit(work, limit.ms, limit.label) : work);
    } catch (error) {
      if (limit) abandon(work);
      throw error;
    } finally {
      waiting -= 1;
      clearInterval(hold);
    }
  },
};

export const dawnInNode: Platform = {
  async gpu() {
    // Browsers and some other platforms have their own WebGPU.
    const own = globalThis.navigator?.gpu;
    if (own) return own;
    const { create } = await loadDawn();
    const gpu = create(dawnFlags(process.env));
    kept.add(gpu);
    return gpu;
  },
  translations: () => fileStore(),
  opened(engine) {
    watchExit();
    live.add(engine);
  },
  ended(engine, { isOwn, isIdle }) {
    const { device } = engine;
    const destroy = (): void => {
      if (isOwn) device.destroy();
      live.delete(engine);
    };
    if (isIdle) return destroy();
    const done = device.queue.onSubmittedWorkDone();
    abandon(done);
    done.then(destroy, destroy);
  },
  compilesHere: true,
  waits,
};

type Dawn = typeof import('webgpu');

/**
 * Loads the package `webgpu`, which a program may not have installed. Rejects with `GpuError`
 * 'unavailable'.
 */
export async function loadDawn(load: () => Promise<Dawn> = () => import('webgpu')): Promise<Dawn> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const why = isMissing
      ? 'the package `webgpu` is not installed: `npm install webgpu`, or pass `gpu` or `device`'
      : `cannot load the package \`webgpu\`: ${messageOf(error)}`;
    throw new GpuError('unavailable', `no WebGPU here: ${why}`);
  }
}

const immediately = globalThis.setImmediate;

/**
 * Prevents Dawn's polls for this work from keeping the process alive, unless a caller waits for
 * other work.
 */
function abandon(work: Promise<unknown>): void {
  if (abandoned.size === 0) Object.assign(globalThis, { setImmediate: Object.assign(patiently, immediately) });
  abandoned.add(work);
  const forget = (): void => {
    if (abandoned.delete(work) && abandoned.size === 0) globalThis.setImmediate = immediately;
  };
  work.then(forget, forget);
}

function patiently(callback: (...args: unknown[]) => void, ...args: unknown[]): NodeJS.Immediate | NodeJS.Timeout {
  if (waiting > 0 || !isOfDawn(callback)) return immediately(callback, ...args);
  return setTimeout(callback, LOOK_MS).unref();
}

/**
 * Returns whether a callback is an unnamed function of an addon. Functions made by `bind` have a
 * name, and functions that resolve a promise have no `prototype`.
 */
function isOfDawn(callback: { readonly name: string; readonly length: number }): boolean {
  if (callback.name !== '' || callback.length !== 0 || !Object.hasOwn(callback, 'prototype')) return false;
  return /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(callback));
}

let isWatching = false;
let isFatal = false;

function watchExit(): void {
  // When a worker thread ends, it collects all objects in any case.
  if (isWatching || !isMainThread) return;
  isWatching = true;
  process.on('uncaughtExceptionMonitor', () => {
    isFatal = true;
    // If the program still runs at this time, it has handled the exception.
    setTimeout(() => {
      isFatal = false;
    }).unref();
  });
  process.on('exit', onExit);
}

/**
 * Ends the process immediately if a device still works. Otherwise Node would collect all objects,
 * which would wait for the device. `process.exit` in a listener ends the process without that.
 */
function onExit(code: number): void {
  // After a fatal exception, Node prints the exception and collects nothing.
  if (isFatal || [...live].every(({ queue }) => queue.isIdle)) return;
  const listeners = process.rawListeners('exit');
  for (const listener of listeners.slice(listeners.indexOf(onExit) + 1)) listener.call(process, code);
  process.exit();
}
