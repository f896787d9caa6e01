// A kernel for one launch shape: its shader, its pipeline once it has one, and what it tells.

import type { Source } from '../ptx/ast.ts';
import type { WgslProgram } from '../translate/index.ts';
import { computeStage } from './device/flags.ts';
import { GpuError } from './device/gpu-error.ts';
import { shaderErrorText } from './device/pipeline-cache.ts';
import type { Faults } from './faults.ts';
import { bindingsOf, type ProgramBinding } from './launch/bindings.ts';

let made = 0;

export class Compiled {
  /// Among all that were compiled.
  readonly id = ++made;
  readonly program: WgslProgram;
  readonly source: Source;
  readonly bindings: readonly ProgramBinding[];
  readonly layout: GPUBindGroupLayout;
  readonly #device: GPUDevice;
  readonly #faults: Faults;
  #pipeline: GPUComputePipeline | undefined;
  #preparing: Promise<void> | undefined;

  constructor(device: GPUDevice, faults: Faults, program: WgslProgram, source: Source) {
    this.#device = device;
    this.#faults = faults;
    this.program = program;
    this.source = source;
    this.bindings = bindingsOf(program);
    this.layout = device.createBindGroupLayout({
      entries: this.bindings.map(({ binding, kind, of }) => ({
        binding,
        visibility: computeStage,
        // The parameters of each launch lie elsewhere in one buffer.
        buffer: { type: kind, hasDynamicOffset: of === 'params' },
      })),
    });
  }

  get isReady(): boolean {
    return this.#pipeline !== undefined;
  }

  /// The pipeline, which the device compiles while it takes more commands. What is wrong with it is told by what is awaited next.
  now(): GPUComputePipeline {
    if (this.#pipeline) return this.#pipeline;
    const device = this.#device;
    const { kernel } = this.program;
    device.pushErrorScope('validation');
    const module = this.#module();
    const pipeline = device.createComputePipeline(this.#descriptor(module));
    const outcome = device
      .popErrorScope()
      .then(async (error) => (error ? await this.#errorOf(module, error) : undefined));
    this.#faults.watch(outcome);
    this.#pipeline = pipeline;
    pipeline.label = kernel;
    return pipeline;
  }

  /// Compiles without holding up anything. Rejects with `GpuError` 'shader'.
  prepare(): Promise<void> {
    if (this.#pipeline) return Promise.resolve();
    this.#preparing ??= this.#prepare().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  async #prepare(): Promise<void> {
    const module = this.#module();
    try {
      const pipeline = await this.#device.createComputePipelineAsync(this.#descriptor(module));
      this.#pipeline ??= pipeline;
    } catch (error) {
      if (this.#faults.lost) throw this.#faults.lost;
      throw await this.#errorOf(module, error instanceof Error ? error : new Error(String(error)));
    }
  }

  #module(): GPUShaderModule {
    return this.#device.createShaderModule({ label: this.program.kernel, code: this.program.code });
  }

  #descriptor(module: GPUShaderModule): GPUComputePipelineDescriptor {
    const { kernel, entryPoint } = this.program;
    const layout = this.#device.createPipelineLayout({ bindGroupLayouts: [this.layout] });
    return { label: kernel, layout, compute: { module, entryPoint } };
  }

  async #errorOf(module: GPUShaderModule, { message }: { readonly message: string }): Promise<GpuError> {
    const { code, kernel } = this.program;
    const { messages } = await module.getCompilationInfo();
    const errors = [...messages].filter(({ type }) => type === 'error');
    const text = errors.length > 0 ? shaderErrorText({ label: kernel, code }, errors) : `${kernel}: ${message}`;
    return new GpuError('shader', text);
  }
}
