/**
 * Everything in `lanewise`, and executors, case files on disk and validation. Requires Node.
 *
 * @packageDocumentation
 */

export type { CaseLanes, LaneOutcome, LaneRole, LaneRow, LaneVerdict } from './harness/compare/lane-table.ts';
export {
  type ExecutorChoice,
  type ExecutorName,
  type ExecutorReport,
  type ExecutorRun,
  executorNames,
  type KernelExecutor,
  type OpenOptions,
  type RunOptions,
} from './harness/executors/executor.ts';
export { openExecutor } from './harness/executors/open-executor.ts';
export { type CaseTexts, readCase, saveCase, saveCases } from './harness/launches/case-file-node.ts';
export type { ErrorKind, FirstMismatch, Result, Status } from './harness/runs/results.ts';
export { exitCodeOf } from './harness/runs/results.ts';
export { type RunCaseOptions, runCase } from './harness/runs/run-case.ts';
export { type ValidateOptions, type ValidateProgress, type ValidateResult, validate } from './harness/runs/validate.ts';
export { QueryError } from './harness/suites/index.ts';
export * from './index.ts';
export { KernelError } from './runtime/launch/kernel-error.ts';
