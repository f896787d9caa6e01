// Reads the case files of a command. If a file cannot be read, the other files are still used.

import type { Launch } from '../base/launch.ts';
import { oneLine } from '../base/printable.ts';
import { type ExecutorChoice, executorNameOf } from '../harness/executors/executor.ts';
import { CaseError } from '../harness/launches/case-file.ts';
import { readCase } from '../harness/launches/case-file-node.ts';
import type { Result } from '../harness/runs/results.ts';
import type { Console } from './console.ts';

export interface ReadCases {
  readonly launches: readonly { readonly path: string; readonly launch: Launch }[];
  readonly unreadable: readonly UnreadableCase[];
}

export interface UnreadableCase {
  readonly path: string;
  readonly message: string;
}

/**
 * Reads all files before any case runs, and reports the unreadable files on stderr. If two cases
 * have the same id, the second is refused, because their results would have the same name.
 */
export function readCases(paths: readonly string[], console: Console): ReadCases {
  const launches: { path: string; launch: Launch }[] = [];
  const unreadable: UnreadableCase[] = [];
  const pathsById = new Map<string, string>();
  for (const path of paths) {
    try {
      const launch = readCase(path);
      const other = pathsById.get(launch.id);
      if (other !== undefined) throw new CaseError('id', `the id '${launch.id}' is already used by ${other}`, path);
      pathsById.set(launch.id, path);
      launches.push({ path, launch });
    } catch (error) {
      if (!(error instanceof CaseError)) throw error;
      unreadable.push({ path, message: error.message });
      console.err(`${console.errColors.red('error')}: ${error.message}\n`);
    }
  }
  return { launches, unreadable };
}

/** Returns an error result for each unreadable case and each executor. */
export function unreadableResults(unreadable: readonly UnreadableCase[], on: readonly ExecutorChoice[]): Result[] {
  return unreadable.flatMap(({ path, message }) =>
    on.map((choice) => ({
      id: oneLine(path),
      executor: { name: executorNameOf(choice) },
      status: 'error' as const,
      errorKind: 'invalid' as const,
      cases: 0,
      compared: 0,
      undefined: 0,
      mismatches: 0,
      first: undefined,
      message,
      ms: 0,
    })),
  );
}
