// Converts an error from an executor to the failure in a result.
import { InternalError, reportRequest } from '../../base/invariants.ts';
import { LaunchError } from '../../cpu-ref/launch-error.ts';
import { GpuError } from '../../runtime/device/job.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { ErrorKind, Status } from './results.ts';

export interface Failure {
  readonly status: Status;
  readonly errorKind: ErrorKind | undefined;
  readonly message: string;
}

/** Describes any error, including programming errors, so that the next case still runs. */
export function failureOf(error: unknown, color: boolean): Failure {
  if (error instanceof KernelError) {
    const message = error.render(color);
    if (error.kind === 'unsupported') return { status: 'unsupported', errorKind: undefined, message };
    return { status: 'error', errorKind: error.kind, message };
  }
  if (error instanceof GpuError)
    return { status: 'error', errorKind: error.kind, message: `${error.kind}: ${error.message}` };
  if (error instanceof LaunchError) return { status: 'error', errorKind: 'invalid', message: error.message };
  return { status: 'error', errorKind: 'other', message: faultText(error) };
}

/**
 * Returns the message for a fault in this program. An `InternalError` names its place, and contains
 * its stack only on request. For other errors, the stack shows the place.
 */
export function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof InternalError)) return error.stack ?? error.message; // The error has no stack.
  // Errors that are thrown outside of passes lack the request for a report.
  const message = error.message.endsWith(reportRequest)
    ? error.message
    : `internal error: ${error.message}\n${reportRequest}`;
  // On the validation page, there are no environment variables.
  if (!globalThis.process?.env.LANEWISE_STACK)
    return `${message}\n  = hint: set LANEWISE_STACK=1 to include the stack in your report`;
  const { cause } = error;
  return `${message}\n${(cause instanceof Error ? cause : error).stack}`;
}

/** Whether the kernel itself is the cause, so that a kernel with fewer instructions may work. */
export function blamesKernel({ status, errorKind }: Failure): boolean {
  return status === 'unsupported' || errorKind === 'shader' || errorKind === 'validation' || errorKind === 'other';
}
