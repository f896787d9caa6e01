// Caches shaders with their layouts and pipelines. Each shader is created once, on first use or in
// advance. Compiler messages become readable errors.

import { Compilations } from './compilations.ts';
import type { Faults } from './faults.ts';
import { computeStage } from './flags.ts';
import { CompileTimeout, GpuError } from './gpu-error.ts';
import type { CompileTimes, GpuShader } from './job.ts';

/**
 * The maximum number of cached shaders. The oldest is dropped first. A driver's compiled code may
 * have several hundred kilobytes.
 */
const maxShaders = 256;
/**
 * The maximum number of compiler messages in an error. The first messages are usually the causes.
 */
const maxMessages = 5;

/** Returns the error for a compilation that exceeds a limit in milliseconds. */
export type LateError = (limitMs: number) => CompileTimeout;

const lateShader =
  ({ label }: GpuShader): LateError =>
  (limitMs) =>
    new CompileTimeout(`${label}: the driver did not compile the shader within ${limitMs} ms`, limitMs);

/** Reports a compilation, and limits its time if `hasLimit` is true. */
type Watch = (work: Promise<unknown>, hasLimit: boolean) => Promise<unknown>;

interface Layout {
  readonly group: GPUBindGroupLayout;
  readonly pipeline: GPUPipelineLayout;
}

export class Shaders {
  readonly #device: GPUDevice;
  readonly #faults: Faults;
  readonly #compilations: Compilations;
  readonly #known = new Map<string, Shader>();
  /** The layouts, by the bindings that they describe. */
  readonly #layouts = new Map<string, Layout>();

  constructor(device: GPUDevice, faults: Faults, compilations = new Compilations()) {
    this.#device = device;
    this.#faults = faults;
    this.#compilations = compilations;
  }

  /**
   * Returns the shader with an explicit layout for bind group 0, in which uniforms have dynamic
   * offsets. `late` returns the error for a compilation that exceeds the time limit.
   */
  get(given: GpuShader, late: LateError = lateShader(given)): Shader {
    const bindings = given.buffers.map(({ binding, kind }) => `${binding}=${kind}`).join(',');
    const key = `${given.entryPoint}|${bindings}|${given.code}`;
    const known = this.#known.get(key);
    if (known) return known;
    const watch: Watch = (work, hasLimit) => this.#compilations.watch(given.label, work, hasLimit ? late : undefined);
    const made = new Shader(this.#device, this.#faults, watch, given, this.#layoutOf(bindings, given.buffers), () => {
      // After a failure, compile the shader again: a device without free memory may have some at
      // the next attempt.
      if (this.#known.get(key) === made) this.#known.delete(key);
    });
    const oldest = this.#known.keys().next();
    if (this.#known.size >= maxShaders && !oldest.done) this.#known.delete(oldest.value);
    this.#known.set(key, made);
    return made;
  }

  #layoutOf(bindings: string, buffers: GpuShader['buffers']): Layout {
    const known = this.#layouts.get(bindings);
    if (known) return known;
    const entries = buffers.map(({ binding, kind }) => ({
      binding,
      visibility: computeStage,
      buffer: { type: kind, hasDynamicOffset: kind === 'uniform' },
    }));
    const device = this.#device;
    const made = this.#faults.guard(device, 'validation', () => {
      const group = device.createBindGroupLayout({ entries });
      return { group, pipeline: device.createPipelineLayout({ bindGroupLayouts: [group] }) };
    });
    this.#layouts.set(bindings, made);
    return made;
  }
}

export class Shader {
  readonly layout: GPUBindGroupLayout;
  readonly #device: GPUDevice;
  readonly #faults: Faults;
  readonly #watch: Watch;
  readonly #given: GpuShader;
  readonly #pipelineLayout: GPUPipelineLayout;
  readonly #onFailure: () => void;
  /** The pipeline. It is defined once it is compiled, or is being compiled synchronously. */
  pipeline: GPUComputePipeline | undefined;
  #preparing: Promise<void> | undefined;
  /** The driver's work. It continues after a caller has abandoned it. */
  #compiling: Promise<void> | undefined;

  /** `onFailure` is called if the pipeline cannot be created. */
  constructor(
    device: GPUDevice,
    faults: Faults,
    watch: Watch,
    given: GpuShader,
    layout: Layout,
    onFailure: () => void,
  ) {
    this.#device = device;
    this.#faults = faults;
    this.#watch = watch;
    this.#given = given;
    this.layout = layout.group;
    this.#pipelineLayout = layout.pipeline;
    this.#onFailure = onFailure;
  }

  /**
   * Returns the pipeline immediately. A device in another process compiles the pipeline while it
   * accepts more commands. A compile error rejects the next awaited promise.
   */
  now(): GPUComputePipeline {
    if (this.pipeline) return this.pipeline;
    const device = this.#device;
    device.pushErrorScope('internal');
    device.pushErrorScope('validation');
    const module = this.#module();
    const made = device.createComputePipeline(this.#descriptor(module));
    this.pipeline = made;
    const complaint = async (error: GPUError | null): Promise<GpuError | undefined> => {
      if (!error) return undefined;
      // The next launch compiles the shader again, and reports the error.
      if (this.pipeline === made) this.pipeline = undefined;
      return await this.#errorOf(module, error);
    };
    const scopes = [device.popErrorScope(), device.popErrorScope()];
    for (const scope of scopes) this.#faults.watch(scope.then(complaint));
    this.#watch(Promise.all(scopes), false).catch(() => undefined);
    return made;
  }

  /**
   * Compiles the pipeline without blocking. Rejects with `GpuError` 'shader', with
   * `CompileTimeout`, and if the device is lost. A later call continues an abandoned compilation.
   */
  prepare(): Promise<void> {
    if (this.pipeline) return Promise.resolve();
    this.#preparing ??= this.#faults.unlessLost(this.#watched()).finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  async #watched(): Promise<void> {
    this.#compiling ??= this.#prepare().finally(() => {
      this.#compiling = undefined;
    });
    await this.#watch(this.#compiling, true);
  }

  /** Compiles as `prepare` does, and measures the time. */
  async timed(): Promise<CompileTimes> {
    if (this.pipeline) return { moduleMs: 0, pipelineMs: 0 };
    const start = performance.now();
    let checked = start;
    const whenChecked = async (module: GPUShaderModule): Promise<void> => {
      await module.getCompilationInfo();
      checked = performance.now();
    };
    await this.#faults.unlessLost(this.#prepare(whenChecked));
    return { moduleMs: checked - start, pipelineMs: performance.now() - checked };
  }

  /** Compiles the module and then the pipeline. `before` is awaited between the two. */
  async #prepare(before?: (module: GPUShaderModule) => Promise<void>): Promise<void> {
    const device = this.#device;
    // Ignore errors of the module, because creating its pipeline reports them.
    device.pushErrorScope('validation');
    const module = this.#module();
    device.popErrorScope().catch(() => undefined);
    if (before) await before(module);
    try {
      const pipeline = await device.createComputePipelineAsync(this.#descriptor(module));
      this.pipeline ??= pipeline;
    } catch (error) {
      if (this.#faults.lost) throw this.#faults.lost;
      throw await this.#errorOf(module, error instanceof Error ? error : new Error(String(error)));
    }
  }

  #module(): GPUShaderModule {
    const { label, code } = this.#given;
    return this.#device.createShaderModule({ label, code });
  }

  #descriptor(module: GPUShaderModule): GPUComputePipelineDescriptor {
    const { label, entryPoint } = this.#given;
    return { label, layout: this.#pipelineLayout, compute: { module, entryPoint } };
  }

  async #errorOf(module: GPUShaderModule, { message }: { readonly message: string }): Promise<GpuError> {
    this.#onFailure();
    const { label, entryPoint } = this.#given;
    const { messages } = await module.getCompilationInfo();
    const errors = [...messages].filter(({ type }) => type === 'error');
    const text =
      errors.length > 0
        ? shaderErrorText(this.#given, errors)
        : `${label}: cannot create the pipeline of \`${entryPoint}\`: ${message}`;
    return new GpuError('shader', text);
  }
}

type CompilerMessage = Pick<GPUCompilationMessage, 'message' | 'lineNum' | 'linePos'>;

/**
 * Returns the compiler's messages as `label:line:column: message`, each followed by its WGSL line
 * with a caret.
 */
export function shaderErrorText(job: Pick<GpuShader, 'label' | 'code'>, errors: readonly CompilerMessage[]): string {
  const lines = job.code.split('\n');
  const shown = errors.slice(0, maxMessages).map(({ message, lineNum, linePos }) => {
    const line = lines[lineNum - 1];
    if (line === undefined) return `${job.label}: ${message}`;
    const margin = String(lineNum);
    const caret = ' '.repeat(Math.max(0, linePos - 1));
    return `${job.label}:${lineNum}:${linePos}: ${message}\n  ${margin} | ${line}\n  ${' '.repeat(margin.length)} | ${caret}^`;
  });
  const rest = errors.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}
