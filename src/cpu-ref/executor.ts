// The `cpu` executor: parses a launch's PTX and interprets it.
import { type Launch, sourceOf } from '../base/launch.ts';
import { parsePtxOrThrow } from '../ptx/index.ts';
import { type InterpretOptions, type InterpretResult, interpret } from './interpreter/interpret.ts';

export type { InterpretOptions, InterpretResult } from './interpreter/interpret.ts';
export { type Finding, type FindingCode, findingDiagnostic } from './interpreter/state/findings.ts';
export type { Observer, StepEvent } from './interpreter/state/step-event.ts';
export { LaunchError } from './launch-error.ts';

/**
 * Runs a launch on the reference interpreter. Throws `PtxError` where the PTX does not parse and `LaunchError` where the launch does not
 * fit the kernel; unsupported instructions, deadlocks and the like are in the result.
 */
export function runOnCpu(launch: Launch, options: InterpretOptions = {}): InterpretResult {
  const { text, ...source } = sourceOf(launch);
  return interpret(parsePtxOrThrow(text, source), launch, options);
}
