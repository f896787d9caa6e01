// The two forms of `run`, `check` and `bench`: with case files, or with a kernel and its arguments.
import type { Dim3 } from '../base/launch.ts';
import { UsageError } from './console.ts';

/** The options that `run`, `check` and `bench` accept for a kernel without a case file. */
export interface KernelOptions {
  readonly entry?: string;
  readonly grid?: Dim3;
  readonly block?: Dim3;
  readonly cluster?: Dim3;
  readonly shared?: number;
  /** Whether to show the counters of the reference. */
  readonly counters?: boolean;
}

/**
 * Returns whether the first argument of `run`, `check` or `bench` is a kernel instead of a case
 * file.
 */
export const isKernelFile = (path: string | undefined): path is string =>
  path !== undefined && /\.(cu|ptx)$/.test(path);

/** Returns whether the first argument of `bench` is a case file. */
export const isCaseFile = (path: string | undefined): path is string => path?.endsWith('.json') === true;

/**
 * Checks the options of a command. Throws `UsageError` for options that are valid only in its other
 * form.
 */
export function refuseKernelOptions(
  options: KernelOptions & { readonly print?: unknown; readonly save?: unknown },
): void {
  for (const name of ['entry', 'grid', 'block', 'shared', 'print', 'save', 'counters'] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name} is for a .ptx or .cu file, not for a case file`);
  }
}
