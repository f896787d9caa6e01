// `lanewise run`. A browser or a driver takes longer to start than all else: it starts first, and the rest is loaded and made meanwhile.

import { existsSync } from 'node:fs';
import type { Console } from './console.ts';
import { closeExecutors, startExecutors } from './open-executors.ts';
import type { RunCommandOptions } from './options.ts';

export async function runCommand(
  paths: readonly string[],
  options: RunCommandOptions,
  console: Console,
): Promise<number> {
  // Without a case no browser need be opened.
  const on = paths.some((path) => existsSync(path)) ? options.on : [];
  const opening = startExecutors({ ...options, on, facts: options.fresh ? 'measured' : 'kept' });
  try {
    await opening.started;
    return await (await import('./run-cases.ts')).runCases(paths, options, console, opening);
  } finally {
    await closeExecutors(opening);
  }
}
