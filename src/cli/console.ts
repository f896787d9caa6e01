// The console of the commands. Results are written to stdout, and all other output to stderr.
import pc from 'picocolors';
import { printable, printableButColors, withoutWorkflowCommands } from '../base/printable.ts';
import type { Colors } from '../harness/report/text.ts';
import { exitCodes } from '../harness/runs/results.ts';

/** An error in the arguments. It is printed without a stack, and the exit code is 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export interface Console {
  out(text: string): void;
  err(text: string): void;
  /**
   * Prints a workflow command of GitHub Actions on stderr. (`out` and `err` escape lines that look
   * like such a command.)
   */
  annotate(line: string): void;
  /**
   * The colors of each stream. They are off if the stream is not a terminal, or if NO_COLOR is set.
   */
  readonly outColors: Colors;
  readonly errColors: Colors;
  /** The stream for progress. */
  readonly errStream: NodeJS.WriteStream;
}

/** A console on the process's own streams. */
export interface ProcessConsole extends Console {
  /**
   * Waits until all output has been written. Returns the exit code, which is that of an error if
   * the output could not be written, for example to a full disk.
   */
  finish(code: number): Promise<number>;
}

export function openConsole(): ProcessConsole {
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isClosedPipe(error)) lost ??= error;
  });
  // There is no other stream on which to report the error.
  process.stderr.on('error', () => undefined);
  return {
    async finish(code) {
      await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
      if (lost === undefined) return code;
      process.stderr.write(`error: cannot write the output: ${lost.message}\n`);
      return code === exitCodes.ok ? exitCodes.usage : code;
    },
    out: (text) => void process.stdout.write(safe(text)),
    err: (text) => void process.stderr.write(safe(text)),
    annotate: (line) => void process.stderr.write(`${printable(line)}\n`),
    outColors: pc.createColors(takesColor(process.stdout)),
    errColors: pc.createColors(takesColor(process.stderr)),
    errStream: process.stderr,
  };
}

/**
 * Whether the reader has closed the pipe early (`lanewise … | head`). Further output is then
 * discarded, and the exit code does not change.
 */
function isClosedPipe({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/**
 * Escapes text in messages that would control the terminal or run a workflow command. JSON
 * documents are not changed, because `toJson` has already escaped them.
 */
function safe(text: string): string {
  const shown = printableButColors(text);
  return process.env.GITHUB_ACTIONS ? withoutWorkflowCommands(shown) : shown;
}

/**
 * Whether a stream shows colors. FORCE_COLOR takes precedence over the check for a terminal, and
 * NO_COLOR over both.
 */
function takesColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return stream.isTTY === true && TERM !== 'dumb';
}
