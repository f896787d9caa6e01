// Runs the examples of a page of the documentation.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The output of examples. */
export interface ExampleRun {
  /** The lines that each example printed, in order. There are fewer lists if an example failed. */
  readonly printed: readonly (readonly string[])[];
  readonly stderr: string;
  readonly status: number | null;
}

const end = '--- end of the example ---';

/**
 * Runs modules one after another in one process, which loads the package only once. The paths are
 * absolute.
 */
export function runExamples(
  files: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): ExampleRun {
  const child = join(import.meta.dirname, 'run-examples-child.mjs');
  const { stdout, stderr, status } = spawnSync(process.execPath, [child, end, ...files], {
    ...options,
    encoding: 'utf8',
    timeout: 300_000,
  });
  const printed = stdout.split(`${end}\n`).slice(0, -1);
  return { printed: printed.map((text) => text.trimEnd().split('\n')), stderr, status };
}
