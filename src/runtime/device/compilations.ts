// Reports long compilations by the driver, and abandons them at a time limit.

import { CompileTimeout } from './gpu-error.ts';
import { reportLongWork, unheldTimer } from './long-work.ts';

/** Reports that the driver is compiling a kernel. */
export interface CompileEvent {
  /** The name of the kernel in the PTX. */
  readonly kernel: string;
  /** The milliseconds since the driver began. */
  readonly ms: number;
  /**
   * - `compiling`: the driver is still compiling.
   * - `compiled`: the kernel can run.
   * - `failed`: the driver rejects the kernel, or the device is lost.
   * - `abandoned`: the time limit is over. The driver may continue on a thread of its own.
   */
  readonly state: 'compiling' | 'compiled' | 'failed' | 'abandoned';
}

/** Receives the events of a compilation that takes long. */
export type OnCompile = (event: CompileEvent) => void;

/** Describes an event in a line, such as `saxpy: compiling (the driver), 12 s`. */
export const compileLine = ({ kernel, ms, state }: CompileEvent): string =>
  `${kernel}: ${state} (the driver), ${Math.round(ms / 1000)} s`;

/**
 * Returns a receiver that writes a line after 2, 4, 8 seconds and so on of each compilation, and at
 * its end.
 */
export function writeCompilations(write: (line: string) => void): OnCompile {
  const next = new Map<string, number>();
  return (event) => {
    const { kernel, ms, state } = event;
    if (state !== 'compiling') next.delete(kernel);
    else if (ms < (next.get(kernel) ?? 0)) return;
    else next.set(kernel, ms * 2);
    write(compileLine(event));
  };
}

export class Compilations {
  /** The time limit of one compilation in milliseconds; undefined for no limit. */
  timeoutMs: number | undefined;
  onCompile: OnCompile | undefined;

  /**
   * Reports a compilation, if it exceeds two seconds. Rejects at the time limit with the error that
   * `late` returns. Without `late`, there is no limit, because commands already wait for the
   * pipeline.
   */
  async watch<T>(kernel: string, work: Promise<T>, late?: (limitMs: number) => CompileTimeout): Promise<T> {
    const { timeoutMs, onCompile } = this;
    const start = performance.now();
    let isReported = false;
    const stopReport =
      onCompile &&
      reportLongWork((ms) => {
        isReported = true;
        onCompile({ kernel, ms, state: 'compiling' });
      });
    let limiting: ReturnType<typeof setTimeout> | undefined;
    const limited = new Promise<never>((_, reject) => {
      if (late && timeoutMs !== undefined) limiting = unheldTimer(() => reject(late(timeoutMs)), timeoutMs);
    });
    // An abandoned compilation may reject later, when no caller awaits it.
    work.catch(() => undefined);
    const end = (state: CompileEvent['state']): void => {
      stopReport?.();
      clearTimeout(limiting);
      if (isReported) onCompile?.({ kernel, ms: Math.round(performance.now() - start), state });
    };
    try {
      const result = await Promise.race([work, limited]);
      end('compiled');
      return result;
    } catch (error) {
      end(error instanceof CompileTimeout ? 'abandoned' : 'failed');
      throw error;
    }
  }
}
