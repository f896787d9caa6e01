// The browser-safe API: parse PTX, translate it to WGSL, and ask the reference what each lane gets.

export type { FloatProfile } from './base/float-profile.ts';
export { choosePlan, type LanePlan, planFor } from './base/lane-plan.ts';
export type {
  BufferParam,
  BytesParam,
  Dim3,
  Launch,
  LaunchOutputs,
  LaunchParam,
  ScalarParam,
} from './base/launch.ts';
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
export { type Comparison, compareOutputs, type Mismatch } from './harness/compare/compare.ts';
export { makeJob, readOutputs } from './harness/executors/kernel-job.ts';
export { CaseError, parseCase, writeCase } from './harness/launches/case-file.ts';
export { fragmentToKernel } from './harness/launches/fragment-kernel.ts';
export { type IsaRow, isaRows, type Mods, specialRegisters, warpSize } from './isa/index.ts';
export {
  type Diagnostic,
  type Module,
  type ParseOptions,
  type ParseResult,
  PtxError,
  parsePtx,
  parsePtxOrThrow,
  renderDiagnostic,
  type Source,
} from './ptx/index.ts';
export type { AdapterReport, GpuBuffer, GpuJob, GpuResult, GpuSession } from './runtime/device/job.ts';
export { GpuError } from './runtime/device/job.ts';
export { translate, type WgslProgram } from './translate/index.ts';
