// Measures sequences of launches natively. The launches share buffers, and a sample is measured
// between two events.

import { windowsOf } from '../../runtime/device/sequence.ts';
import { launchOf } from '../launches/launch-sequence.ts';
import type { SequenceRequest } from './cuda-messages.ts';
import type { CudaDriver } from './driver.ts';

export interface TimedSequence {
  readonly times: readonly number[];
  readonly windows: ReadonlyMap<string, Uint8Array>;
}

/**
 * The device memory of a sequence's buffers. The caller must always call `free`, also after an
 * error.
 */
export class SequenceMemory {
  readonly #driver: CudaDriver;
  readonly #bases = new Map<string, bigint>();

  constructor(driver: CudaDriver) {
    this.#driver = driver;
  }

  allocate({ sequence }: SequenceRequest): void {
    for (const { name, bytes, data } of sequence.buffers) {
      const address = new BigUint64Array(1);
      this.#driver.call('cuMemAlloc_v2', address, Math.max(4, bytes));
      const base = address[0] ?? 0n;
      this.#bases.set(name, base);
      this.#driver.call('cuMemsetD8_v2', base, 0, Math.max(4, bytes));
      if (data && data.length > 0) this.#driver.call('cuMemcpyHtoD_v2', base, data, data.length);
    }
  }

  addressOf(name: string): bigint {
    const base = this.#bases.get(name);
    if (base === undefined) throw new RangeError(`\`${name}\` is not a buffer`);
    return base;
  }

  windows({ sequence }: SequenceRequest): ReadonlyMap<string, Uint8Array> {
    const windows = new Map<string, Uint8Array>();
    for (const { name, bytes, result } of sequence.buffers) {
      if (!result) continue;
      const parts = windowsOf(bytes).map(([offset, size]) => {
        const part = new Uint8Array(size);
        this.#driver.call('cuMemcpyDtoH_v2', part, this.addressOf(name) + BigInt(offset), size);
        return part;
      });
      windows.set(name, new Uint8Array(Buffer.concat(parts)));
    }
    return windows;
  }

  free(): void {
    for (const base of this.#bases.values()) this.#driver.query('cuMemFree_v2', base);
    this.#bases.clear();
  }
}

/** Returns the launches in order: the preparation and the measured steps. */
export function launchesOf({ sequence }: SequenceRequest) {
  const made = (steps: typeof sequence.steps) =>
    steps.map((step) => {
      const launch = launchOf(sequence, step);
      const names = step.args.map((argument) => (typeof argument === 'string' ? argument : ''));
      return { launch, names };
    });
  return { prepare: made(sequence.prepare), steps: made(sequence.steps) };
}
