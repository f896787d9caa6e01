// The message and exit code of an error that ends the program.

import { LaunchError } from '../cpu-ref/launch-error.ts';
import { FileError } from '../harness/files/file-error.ts';
import { CaseError } from '../harness/launches/case-file.ts';
import { faultText } from '../harness/runs/failure.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { isOutOfResources } from '../harness/sessions/system-limits.ts';
import { QueryError } from '../harness/suites/query.ts';
import { GpuError } from '../runtime/device/job.ts';
import { KernelError } from '../runtime/launch/kernel-error.ts';
import { type Console, UsageError } from './console.ts';

/** Prints the error to stderr. Returns the exit code. */
export function reportError(error: unknown, console: Console): number {
  const { red } = console.errColors;
  if (error instanceof KernelError) {
    console.err(`${error.render(console.errColors.isColorSupported)}\n`);
    return error.kind === 'failed' ? exitCodes.mismatch : exitCodes.usage;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof GpuError) {
    console.err(`${red('error')}: ${message}\n`);
    if (error.kind === 'unavailable') return exitCodes.unavailable;
    return error.kind === 'lost' || error.kind === 'timeout' ? exitCodes.device : exitCodes.mismatch;
  }
  if (isOutOfResources(error)) {
    const hint = 'close other programs, or raise the limits (`ulimit -a` shows them)';
    console.err(`${red('error')}: a system limit was reached: ${message}\n  = hint: ${hint}\n`);
    return exitCodes.unavailable;
  }
  const isUsage = [UsageError, QueryError, CaseError, FileError, LaunchError, RangeError].some(
    (type) => error instanceof type,
  );
  if (isUsage) {
    console.err(`${red('error')}: ${message}\n`);
    return exitCodes.usage;
  }
  console.err(`${red('error')}: ${faultText(error)}\n`);
  return exitCodes.mismatch;
}
