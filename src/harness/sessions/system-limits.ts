// The limits that the system sets for this process.

import { readFileSync } from 'node:fs';

/** The codes of errors about too many open files, too little memory, or too many processes. */
const exhausted: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/**
 * Whether an error means that the program has reached a limit of the system: of open files, memory
 * or processes.
 */
export const isOutOfResources = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && exhausted.has(error.code);

/** Whether `ulimit -v` limits the address space. Only Linux reports this limit. */
export function limitsAddressSpace(read: (path: string) => string = (path) => readFileSync(path, 'utf8')): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /^Max address space +\d/m.test(read('/proc/self/limits'));
  } catch {
    return false;
  }
}
