// Shows that a driver is compiling. Compilations of less than two seconds are not shown.
import { oneLine } from '../../base/printable.ts';
import { type CompileEvent, compileLine, writeCompilations } from '../../runtime/device/compilations.ts';
import type { JobPhase } from '../../runtime/device/job.ts';
import { reportLongWork } from '../../runtime/device/long-work.ts';

/** Receives the phases of kernels (`OpenOptions.onPhase`). */
export type OnKernelPhase = (phase: JobPhase, kernel: string) => void;

export interface CompileWatch {
  readonly onPhase: OnKernelPhase;
  /** Ends the report, after an error or at the end of the program. Further calls do nothing. */
  stop(): void;
}

/**
 * After two seconds of compilation, and then every second, calls `show` with an event. Calls `hide`
 * when the compilation has ended.
 */
export function watchCompilations(show: (event: CompileEvent) => void, hide: () => void): CompileWatch {
  let stopReport: () => void = () => undefined;
  let isShown = false;
  const stop = (): void => {
    stopReport();
    if (isShown) hide();
    isShown = false;
  };
  return {
    stop,
    onPhase(phase, kernel) {
      stop();
      if (phase !== 'compiling') return;
      stopReport = reportLongWork((ms) => {
        isShown = true;
        show({ kernel: oneLine(kernel, 100), ms, state: 'compiling' });
      });
    },
  };
}

/**
 * Shows compilations on a stream. On a terminal, a line changes every second. Otherwise a new line
 * is written after 2, 4, 8 seconds and so on.
 */
export function showCompilations(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): CompileWatch {
  if (stream.isTTY) {
    return watchCompilations(
      (event) => void stream.write(`\r\u001b[K${compileLine(event)}`),
      () => void stream.write('\r\u001b[K'),
    );
  }
  const lines = () => writeCompilations((line) => void stream.write(`${line}\n`));
  let write = lines();
  return watchCompilations(
    (event) => write(event),
    () => {
      write = lines();
    },
  );
}
