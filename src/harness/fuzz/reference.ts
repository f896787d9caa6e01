// The reference result of a generated kernel, and whether PTX defines all of the result.

import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { Printed } from '../../base/printed.ts';
import { type InterpretOptions, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import { loadKernel } from '../executors/load-kernel.ts';

export interface Reference {
  readonly printed: Printed;
  readonly outputs: LaunchOutputs;
  readonly writers: ReadonlyMap<number, Int32Array>;
  /**
   * The reason why the kernel cannot be used as a test: the code of a sanitizer finding, or
   * `undefined` if an output byte is undefined.
   */
  readonly flaw: string | undefined;
}

export type ReferenceOf = (launch: Launch, options?: InterpretOptions) => Reference;

/**
 * Options for an interpretation without the sanitizer. `flaw` is then a failure or an undefined
 * output byte.
 */
export const resultsOnly = { sanitize: false, trackWriters: false } as const satisfies InterpretOptions;

/** The maximum number of steps. A generated kernel needs a few thousand. */
const maxSteps = 500_000;
/**
 * The seed of the order of warps. Results of a valid kernel do not depend on the order, and this
 * order is very different from the usual order.
 */
const seed = 0x5eed;

/**
 * Interprets a launch with garbage in uninitialized memory, and looks for undefined behavior.
 * Throws `KernelError` if the PTX does not parse, and RangeError for unsupported features. Both
 * errors are faults of the fuzzer or the front end.
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
      `the interpreter does not support the kernel: ${result.diagnostics.map(({ message }) => message).join('; ')}`,
    );
  }
  const { outputs, writers, printed, failure, findings, undefinedMasks } = result;
  // Shuffles from inactive lanes (RUN003) and reads of uninitialized registers (RUN006) are
  // harmless unless their results are stored. If they are stored, the output is undefined.
  const found = findings.find(({ code }) => code !== 'RUN003' && code !== 'RUN006');
  const flaw = failure?.code ?? found?.code ?? (undefinedMasks.size > 0 ? 'undefined' : undefined);
  return { outputs, writers, printed, flaw };
}
