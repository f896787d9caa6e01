// What a generated kernel must give, from the reference interpreter; and whether PTX defines all of it.

import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { Printed } from '../../base/printed.ts';
import { type InterpretOptions, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import { loadKernel } from '../executors/load-kernel.ts';

export interface Reference {
  readonly printed: Printed;
  readonly outputs: LaunchOutputs;
  readonly writers: ReadonlyMap<number, Int32Array>;
  /** Why the kernel is no test: the code of what the sanitizer found, or `undefined` where an output byte has no defined value. */
  readonly flaw: string | undefined;
}

export type ReferenceOf = (launch: Launch, options?: InterpretOptions) => Reference;

/** The results alone: without the sanitizer `flaw` is a failure, or an output byte that has no defined value. */
export const resultsOnly = { sanitize: false, trackWriters: false } as const satisfies InterpretOptions;

/** A generated kernel takes some thousand steps. */
const maxSteps = 500_000;
/** Kernels that never change by it are right; this one is far from the order in which warps run otherwise. */
const seed = 0x5eed;

/**
 * Interprets with garbage in what nothing wrote, and looks for undefined behaviour. Throws `KernelError` for PTX that does not parse, and
 * RangeError for what the interpreter does not support: both are faults worth reporting.
 */
export function referenceOf(launch: Launch, options: InterpretOptions = {}): Reference {
  const result = interpret(loadKernel(launch), launch, {
    maxSteps,
    sanitize: true,
    seed,
    trackWriters: true,
    ...options,
  });
  if (result.status === 'unsupported') {
    throw new RangeError(
      `the interpreter does not support it: ${result.diagnostics.map(({ message }) => message).join('; ')}`,
    );
  }
  const { outputs, writers, printed, failure, findings, undefinedMasks } = result;
  // Shuffles from inactive lanes (RUN003) and registers that are read before they are written (RUN006) do no harm unless
  // what they give is stored, and then the output is undefined.
  const found = findings.find(({ code }) => code !== 'RUN003' && code !== 'RUN006');
  const flaw = failure?.code ?? found?.code ?? (undefinedMasks.size > 0 ? 'undefined' : undefined);
  return { outputs, writers, printed, flaw };
}
