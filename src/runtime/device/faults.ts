// Collects device errors. Launches are not awaited, so an error of a launch rejects the next
// promise that is awaited after the launch.

import { GpuError, type GpuErrorKind } from './gpu-error.ts';
import type { TimeLimit, Waits } from './waits.ts';

const kinds: Readonly<Record<GPUErrorFilter, GpuErrorKind>> = {
  validation: 'validation',
  'out-of-memory': 'out-of-memory',
  internal: 'validation',
};

export class Faults {
  /** The outcomes of all commands so far. An outcome is an error or undefined. */
  #pending: Promise<Error | undefined>[] = [];
  readonly #known: Error[] = [];
  /**
   * The error that ended the device; undefined until the device is lost or the runtime is closed.
   */
  lost: GpuError | undefined;
  readonly #whenLost: Promise<never>;
  #end: (error: GpuError) => void = () => undefined;

  readonly #waits: Waits;

  constructor(device: GPUDevice, waits: Waits) {
    this.#waits = waits;
    this.#whenLost = new Promise((_, reject) => {
      this.#end = (error) => {
        this.lost ??= error;
        reject(this.lost);
      };
    });
    this.#whenLost.catch(() => undefined);
    void device.lost.then(({ reason, message }) => {
      this.#end(new GpuError('lost', `the GPU device was lost (${reason || 'unknown reason'}): ${message}`));
    });
  }

  /** Makes all later calls fail with this error. */
  end(error: GpuError): void {
    this.#end(error);
  }

  add(error: Error): void {
    this.#known.push(error);
  }

  /**
   * Calls WebGPU, and records a device error of the kind `filter` that the call causes. `what`
   * names the cause in messages. `whenKnown` receives the error or undefined before any awaited
   * promise rejects.
   */
  guard<T>(
    device: GPUDevice,
    filter: GPUErrorFilter,
    call: () => T,
    what = '',
    whenKnown?: (error: GpuError | undefined) => void,
  ): T {
    // Pop the scope synchronously, because a page that also uses the device may have scopes of its
    // own.
    device.pushErrorScope(filter);
    try {
      return call();
    } finally {
      this.watch(
        device.popErrorScope().then((error) => {
          const text = what === '' ? error?.message : `${what}: ${error?.message}`;
          const found = error ? new GpuError(kinds[filter], text ?? '') : undefined;
          whenKnown?.(found);
          return found;
        }),
      );
    }
  }

  /** Runs `work` now. Resolves with the first error that it throws or that its scopes report. */
  outcomeOf(work: () => void): Promise<Error | undefined> {
    const outer = this.#pending;
    this.#pending = [];
    try {
      work();
      return this.#collect(this.#pending);
    } catch (error) {
      return Promise.resolve(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#pending = outer;
    }
  }

  watch(outcome: Promise<Error | undefined>): void {
    // The loss of a device is reported separately.
    this.#pending.push(outcome.catch(() => undefined));
    if (this.#pending.length > 1024) this.#pending = [this.#collect(this.#pending)];
  }

  /**
   * Waits for `work` and for all outcomes so far. Rejects with the first unreported error. If there
   * is a limit, rejects with `GpuError` 'timeout' after it.
   */
  async settle<T>(work: Promise<T>, limit?: TimeLimit): Promise<T> {
    work.catch(() => undefined);
    if (this.lost) throw this.lost;
    const pending = this.#pending;
    this.#pending = [];
    const outcome = this.#collect(pending);
    const both = this.#waits.during(Promise.race([Promise.all([settled(work), outcome]), this.#whenLost]), limit);
    const [done, error] = await both;
    if (error) this.#known.push(error);
    const first = this.#known.shift();
    if (first) {
      this.#known.length = 0;
      throw first;
    }
    if ('error' in done) throw this.lost ?? done.error;
    return done.value;
  }

  /** Resolves or rejects as `work` does. Rejects if the device is lost first. */
  unlessLost<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#whenLost]);
  }

  /** Does the same as `unlessLost`, for work that a caller awaits. */
  orLost<T>(work: Promise<T>): Promise<T> {
    return this.#waits.during(this.unlessLost(work));
  }

  async #collect(pending: readonly Promise<Error | undefined>[]): Promise<Error | undefined> {
    const errors = (await Promise.all(pending)).filter((error) => error !== undefined);
    // If an object could not be created for lack of memory, its uses are also reported as invalid.
    // So return the error about memory.
    return errors.find((error) => error instanceof GpuError && error.kind === 'out-of-memory') ?? errors[0];
  }
}

type Settled<T> = { readonly value: T } | { readonly error: unknown };

const settled = <T>(work: Promise<T>): Promise<Settled<T>> =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
