// Where the commands print: results to stdout, everything else to stderr.
import pc from 'picocolors';
import { printable, printableButColors, withoutWorkflowCommands } from '../base/printable.ts';
import type { Colors } from '../harness/report/text.ts';
import { exitCodes } from '../harness/runs/results.ts';

/** Bad arguments: printed without a stack, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export interface Console {
  out(text: string): void;
  err(text: string): void;
  /** A workflow command of GitHub Actions, on stderr. What looks like one in `out` and `err` is none. */
  annotate(line: string): void;
  /** Colours as each stream takes them: none where it is no terminal, or where NO_COLOR is set. */
  readonly outColors: Colors;
  readonly errColors: Colors;
  /** Where progress goes. */
  readonly errStream: NodeJS.WriteStream;
}

/** The program's own console. */
export interface ProcessConsole extends Console {
  /** Waits until everything is written. Returns the exit code: a run whose results went nowhere (a full disk) has not passed. */
  finish(code: number): Promise<number>;
}

export function openConsole(): ProcessConsole {
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isClosedPipe(error)) lost ??= error;
  });
  // There is no place left to tell it.
  process.stderr.on('error', () => undefined);
  return {
    async finish(code) {
      await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
      if (lost === undefined) return code;
      process.stderr.write(`error: the output could not be written: ${lost.message}\n`);
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

/** The reader has seen enough (`lanewise … | head`): what follows is dropped, and the exit code still tells. */
function isClosedPipe({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/**
 * Whatever got into a message, it neither steers the terminal nor runs a workflow command. Documents are safe as they are made
 * (`toJson`), and so are not changed here.
 */
function safe(text: string): string {
  const shown = printableButColors(text);
  return process.env.GITHUB_ACTIONS ? withoutWorkflowCommands(shown) : shown;
}

/** FORCE_COLOR overrides the terminal, NO_COLOR everything. */
function takesColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return stream.isTTY === true && TERM !== 'dumb';
}
