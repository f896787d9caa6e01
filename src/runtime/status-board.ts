// Reads the status of kernels: traps and printed text. Kernels write their status to buffers, which
// the runtime reads when a promise is awaited.

import type { Printed } from '../base/printed.ts';
import type { Compiled } from './compiled.ts';
import type { Engine } from './device/engine.ts';
import { memoryUsage } from './device/flags.ts';
import type { Region } from './device/readback.ts';
import { KernelError } from './launch/kernel-error.ts';
import { statusBytes, writtenStatus } from './launch/status-buffer.ts';

/** Receives a text that a kernel printed, and the name of the kernel. */
export type OnPrint = (text: string, kernel: string) => void;

export class StatusBoard {
  readonly #engine: Engine;
  readonly #onPrint: OnPrint;
  readonly #regions = new Map<Compiled, Region>();
  /** The kernels that were launched since the last read, in order. */
  readonly #launched = new Set<Compiled>();
  /** Settles when all texts so far are printed. */
  #reported: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, onPrint: OnPrint) {
    this.#engine = engine;
    this.#onPrint = onPrint;
  }

  /** Returns the status buffer of a kernel, which accumulates the output of its launches. */
  regionOf(compiled: Compiled): Region {
    const known = this.#regions.get(compiled);
    if (known) return known;
    const size = statusBytes(compiled.program);
    const buffer = this.#engine.device.createBuffer({
      label: `${compiled.program.kernel} tells`,
      size,
      usage: memoryUsage,
    });
    const made: Region = { buffer, offset: 0, size };
    this.#regions.set(compiled, made);
    return made;
  }

  /** Registers a launch. Must be called before the launch. */
  launches(compiled: Compiled): void {
    if (this.#launched.has(compiled)) return;
    // Read the text of other kernels first, to keep the order.
    if (prints(compiled)) for (const other of [...this.#launched]) if (prints(other)) this.#look(other);
    this.#launched.add(compiled);
  }

  /**
   * Reads the status of the launches so far. An error in the status rejects the next awaited
   * promise.
   */
  look(): void {
    for (const compiled of [...this.#launched]) this.#look(compiled);
  }

  destroy(): void {
    for (const { buffer } of this.#regions.values()) buffer.destroy();
  }

  #look(compiled: Compiled): void {
    this.#launched.delete(compiled);
    const { faults, queue, readback } = this.#engine;
    const region = this.regionOf(compiled);
    const status = readback.read([region], ([mapped = new Uint8Array()]) => writtenStatus(mapped));
    queue.encode((encoder) => encoder.clearBuffer(region.buffer, 0, region.size));
    const before = this.#reported;
    const report = async () => {
      const [written] = await Promise.all([status, before]);
      return written && (await this.#take(compiled, written));
    };
    const told = report();
    this.#reported = told.catch(() => undefined);
    faults.watch(told);
  }

  async #take(compiled: Compiled, status: Uint8Array): Promise<Error | undefined> {
    const { program, source } = compiled;
    const { readMessages } = await import('./launch/messages.ts');
    let printed: Printed;
    try {
      printed = readMessages(program, source, { status, heap: undefined });
    } catch (error) {
      if (error instanceof KernelError) error.message = `${program.kernel}: ${error.render(false)}`;
      return error instanceof Error ? error : new Error(String(error));
    }
    for (const text of printed.texts) this.#onPrint(text, program.kernel);
    if (printed.dropped > 0)
      this.#onPrint(`(${printed.dropped} texts that ${program.kernel} printed did not fit)`, program.kernel);
    return undefined;
  }
}

/** Whether launches of a kernel may print. */
export const prints = ({ program }: Compiled): boolean =>
  program.status?.sites.some(({ kind }) => kind === 'print') === true;
