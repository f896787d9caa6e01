/**
 * PTX in TypeScript: parse it, translate it to WGSL, and compute each lane on the CPU reference.
 * Safe for browsers and workers.
 *
 * @packageDocumentation
 */

export type { FloatProfile } from './base/float-profile.ts';
export {
  choosePlan,
  type LanePlan,
  type MeasuredSubgroups,
  type PlanKind,
  type PortableShape,
  planFor,
} from './base/lane-plan.ts';
export type {
  BufferParam,
  BytesParam,
  Dim3,
  ElementKind,
  InnerPointer,
  Launch,
  LaunchOutputs,
  LaunchParam,
  OriginFile,
  ScalarKind,
  ScalarParam,
  Tolerance,
} from './base/launch.ts';
export type { MatrixMode } from './base/matrix-mode.ts';
export { type Finding, type InterpretOptions, type InterpretResult, runOnCpu } from './cpu-ref/executor.ts';
export {
  type Bits,
  type LaneFunction,
  laneFunctions,
  type WarpFunction,
  type WarpResult,
  type WarpState,
  warpFunctions,
} from './cpu-ref/index.ts';
export {
  type CompareOptions,
  type Comparison,
  compareOutputs,
  type Mismatch,
  type ThreadPlace,
} from './harness/compare/compare.ts';
export { makeJob, readOutputs } from './harness/executors/kernel-job.ts';
export { CaseError, parseCase, writeCase } from './harness/launches/case-file.ts';
export { fragmentToKernel } from './harness/launches/fragment-kernel.ts';
export { type IsaRow, isaRows, type Mods, specialRegisters, warpSize } from './isa/index.ts';
export {
  type Diagnostic,
  type Dialect,
  type Module,
  type ParseOptions,
  type ParseResult,
  PtxError,
  parsePtx,
  parsePtxOrThrow,
  type RenderOptions,
  renderDiagnostic,
  type Severity,
  type Source,
  type Span,
} from './ptx/index.ts';
export { GpuError, type GpuErrorKind } from './runtime/device/gpu-error.ts';
export type { AdapterReport, GpuBuffer, GpuJob, GpuResult, GpuShader } from './runtime/device/job.ts';
export { type TranslateOptions, type TranslateResult, translate, type WgslProgram } from './translate/index.ts';
