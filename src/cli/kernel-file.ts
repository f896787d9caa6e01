// The two forms of `run`, `check` and `bench`: case files, or a kernel with its arguments.
import type { Dim3 } from '../base/launch.ts';
import { UsageError } from './console.ts';

/** Options of `run`, `check` and `bench` for a kernel that has no case file. */
export interface KernelOptions {
  readonly entry?: string;
  readonly grid?: Dim3;
  readonly block?: Dim3;
  readonly shared?: number;
}

/** Whether `run`, `check` and `bench` are asked for a kernel: the first argument is not a case file. */
export const isKernelFile = (path: string | undefined): path is string =>
  path !== undefined && /\.(cu|ptx)$/.test(path);

/** Refuses options that belong to the other form of a command. */
export function refuseKernelOptions(
  options: KernelOptions & { readonly print?: unknown; readonly save?: unknown },
): void {
  for (const name of ['entry', 'grid', 'block', 'shared', 'print', 'save'] as const) {
    if (options[name] !== undefined)
      throw new UsageError(`--${name} is for a .ptx or .cu file; a case file says it itself`);
  }
}
