// Progress of a long run: a bar on a terminal, a line now and then elsewhere. All of it goes to stderr.
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(done: number, total: number, label: string): void;
  /** Prints lines without breaking the bar. */
  print(text: string): void;
  /** Idempotent. */
  stop(): void;
}

/** Between two plain lines, milliseconds. */
const plainInterval = 5_000;

/** `unit` names what is counted. */
export function startProgress(stream: NodeJS.WriteStream, unit: string): Progress {
  return stream.isTTY ? barProgress(stream, unit) : plainProgress(stream, unit);
}

function barProgress(stream: NodeJS.WriteStream, unit: string): Progress {
  // Signals are the command line's: the bar's own handler would swallow them.
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
      // The bar's line is rewritten by its next update.
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
