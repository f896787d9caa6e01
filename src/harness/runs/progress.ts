// Shows the progress of a long run on stderr: a bar on a terminal, and otherwise a line from time
// to time.
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(done: number, total: number, label: string): void;
  /** Prints text without damaging the bar. */
  print(text: string): void;
  /** Stops showing progress. Further calls do nothing. */
  stop(): void;
}

/** The interval between plain lines in milliseconds. */
const plainInterval = 5_000;

/** Starts to show progress. `unit` names the counted items. */
export function startProgress(stream: NodeJS.WriteStream, unit: string): Progress {
  return stream.isTTY ? barProgress(stream, unit) : plainProgress(stream, unit);
}

function barProgress(stream: NodeJS.WriteStream, unit: string): Progress {
  // The command line handles signals. The bar's own handler would suppress them.
  const format = ` {bar} {value}/{total} ${unit}  {label}`;
  const bar = new SingleBar(
    { format, stream, hideCursor: true, clearOnComplete: true, barsize: 24, gracefulExit: false },
    Presets.rect,
  );
  let started = false;
  return {
    update(done, total, label) {
      if (!started) bar.start(total, done, { label });
      started = true;
      bar.setTotal(total);
      bar.update(done, { label });
    },
    print(text) {
      // Clear the bar's line. The bar's next update writes it again.
      if (started) stream.write('\r\u001b[K');
      stream.write(`${text}\n`);
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

function plainProgress(stream: NodeJS.WriteStream, unit: string): Progress {
  let last = Date.now();
  return {
    update(done, total, label) {
      if (Date.now() - last < plainInterval) return;
      last = Date.now();
      stream.write(`${done}/${total} ${unit}  ${label}\n`);
    },
    print: (text) => void stream.write(`${text}\n`),
    stop() {},
  };
}
