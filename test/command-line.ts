// Runs the command line in this process, and captures its output.
import picocolors from 'picocolors';
import type { Console } from '../src/cli/console.ts';
import { main } from '../src/cli/main.ts';

export const lanewise = (...argv: string[]): Promise<{ code: number; out: string; err: string }> =>
  lanewiseWith(() => undefined, ...argv);

/** Runs the command line, and calls `onOut` before each text on stdout. */
export async function lanewiseWith(
  onOut: () => void,
  ...argv: string[]
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const plain = picocolors.createColors(false);
  const console: Console = {
    out: (text) => {
      onOut();
      out += text;
    },
    err: (text) => {
      err += text;
    },
    annotate: () => undefined,
    outColors: plain,
    errColors: plain,
    // The stream is not a terminal, so the command prints progress as plain lines.
    errStream: Object.assign(Object.create(process.stderr), { isTTY: false, write: () => true }),
  };
  return { code: await main(argv, console), out, err };
}
