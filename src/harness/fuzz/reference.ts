// The reference result of a generated kernel, and whether PTX defines all of it.

import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { Printed } from '../../base/printed.ts';
import { type InterpretOptions, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import { loadKernel } from '../executors/load-kernel.ts';

export interface Reference {
  readonly printed: Printed;
  readonly outputs: LaunchOutputs;
  readonly writers: ReadonlyMap<number, Int32Array>;
  /**
   * The reason why the kernel is not a test: the code of a sanitizer finding, or `undefined` if an
   * output byte is undefined.
   */
  readonly flaw: string | undefined;
}

export type ReferenceOf = (launch: Launch, options?: InterpretOptions) => Reference;

/** Interprets without the sanitizer. `flaw` is then a failure or an undefined output byte. */
export const resultsOnly = { sanitize: false, trackWriters: false } as const satisfies InterpretOptions;

/** A generated kernel needs some thousand steps. */
const maxSteps = 500_000;
/**
 * Seeds the warp order. A valid kernel does not depend on it; this order differs much from the
 * usual one.
 */
const seed = 0x5eed;

/**
 * Interprets with garbage in uninitialized memory, and looks for undefined behavior. Throws
 * `KernelError` if the PTX does not parse, and RangeError for unsupported features: both are faults
 * worth reporting.
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
  // harmless unless their results are stored; then the output is undefined.
  const found = findings.find(({ code }) => code !== 'RUN003' && code !== 'RUN006');
  const flaw = failure?.code ?? found?.code ?? (undefinedMasks.size > 0 ? 'undefined' : undefined);
  return { outputs, writers, printed, flaw };
}
