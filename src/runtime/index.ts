/**
 * CUDA kernels on a `GPUDevice`, in a page, a worker or Node.
 *
 * @packageDocumentation
 */

// For `Symbol.dispose` in the declarations, which a project's own `lib` may lack.
/// <reference lib="esnext.disposable" preserve="true" />

export type { PlanKind } from '../base/lane-plan.ts';
export type { MatrixMode } from '../base/matrix-mode.ts';
export type {
  Im2colTensorMap,
  PixelBox,
  TensorLayout,
  TensorMap,
  TensorType,
  TiledTensorMap,
} from '../base/tensor-map.ts';
export type { Diagnostic, Severity, Source, Span } from '../ptx/ast.ts';
export { PtxError } from '../ptx/diagnostics/error.ts';
export { type RenderOptions, renderDiagnostic } from '../ptx/diagnostics/render.ts';
export type { TranslationStore } from './cache/store.ts';
export type { KernelProblem } from './check/check-module.ts';
export type { CompileEvent, OnCompile } from './device/compilations.ts';
export type { DeviceReport } from './device/device.ts';
export { GpuError, type GpuErrorKind } from './device/gpu-error.ts';
export type { Event } from './events.ts';
export type { Kernel, LaunchArguments, LaunchConfig, LaunchShape, Size } from './kernel.ts';
export type { KernelArgument } from './launch/arguments.ts';
export { KernelError } from './launch/kernel-error.ts';
export type { ArgumentKind, ParameterShape } from './launch/signature.ts';
export type { AllocOptions } from './memory/device-memory.ts';
export type { ArrayOf, DevicePointer, Ptr } from './memory/pointer.ts';
export type { LoadedModule, Preparation } from './module.ts';
export type { Capture, CaptureOptions } from './observe/capture.ts';
export type { Captured, CapturedCase, SkippedLaunch } from './observe/captured-case.ts';
export type { SanitizeOptions, SanitizerReport } from './observe/reports.ts';
export type { DeviceOptions } from './open-device.ts';
export type { NamedArgument } from './recorder.ts';
export { Runtime } from './runtime.ts';
export type { AdoptOptions, Leak, LoadOptions, RuntimeOptions } from './runtime-options.ts';
export type { Sequence } from './sequence.ts';
export type { OnPrint } from './status-board.ts';
export type { Stream } from './stream.ts';
