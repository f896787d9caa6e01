// What an error thrown by an executor means for a result.
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

/** Describes any error; programming errors too, which are reported and not thrown on, so that the next case runs. */
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
 * What is said of a fault of this program's own. An `InternalError` says where it is, and has its stack on request; of other errors the stack tells
 * where.
 */
export function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof InternalError)) return error.stack ?? error.message; // Absent: an error without a stack.
  // Outside of the passes, nobody has said what to send.
  const message = error.message.endsWith(reportRequest)
    ? error.message
    : `internal error: ${error.message}\n${reportRequest}`;
  // The page that validates has no environment.
  if (!globalThis.process?.env.LANEWISE_STACK)
    return `${message}\n  = hint: LANEWISE_STACK=1 adds the stack, which helps us`;
  const { cause } = error;
  return `${message}\n${(cause instanceof Error ? cause : error).stack}`;
}

/** Whether the kernel itself is to blame, so that a kernel with a part of its instructions might do. */
export function blamesKernel({ status, errorKind }: Failure): boolean {
  return status === 'unsupported' || errorKind === 'shader' || errorKind === 'validation' || errorKind === 'other';
}
