// The `cpu` executor: parses a launch's PTX and interprets it.
import { type Launch, sourceOf } from '../base/launch.ts';
import { parsePtxOrThrow } from '../ptx/index.ts';
import { type InterpretOptions, type InterpretResult, interpret } from './interpreter/interpret.ts';

export type { InterpretOptions, InterpretResult } from './interpreter/interpret.ts';
export { type Finding, type FindingCode, findingDiagnostic } from './interpreter/state/findings.ts';
export type { Observer, StepAccess, StepEvent, StepState, WaitingLanes } from './interpreter/state/step-event.ts';
export { LaunchError } from './launch-error.ts';

/**
 * Runs a launch on the reference interpreter, which is independent of the translator. Throws
 * `PtxError` for invalid PTX, and `LaunchError` for a launch that does not fit its kernel.
 * Unsupported instructions, traps and deadlocks are in the result.
 *
 * @example
 * ```js
 * import { runOnCpu } from 'lanewise';
 *
 * const { status, outputs, findings } = runOnCpu(launch, { sanitize: true });
 * console.log(status, findings, outputs.get(0));
 * ```
 */
export function runOnCpu(launch: Launch, options: InterpretOptions = {}): InterpretResult {
  const { text, ...source } = sourceOf(launch);
  return interpret(parsePtxOrThrow(text, source), launch, options);
}
