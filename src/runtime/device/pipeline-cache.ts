// Compiles shaders, keeps the pipelines, and turns the compiler's complaints into a readable error.

import { computeStage } from './flags.ts';
import type { GpuBuffer, GpuShader } from './job.ts';
import { GpuError } from './job.ts';

export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/// Pipelines kept at most; the oldest goes first. A driver's compiled code can be some hundred kilobytes.
const MAX_PIPELINES = 256;
/// Compiler messages shown at most: the first ones are the causes.
const MAX_MESSAGES = 5;

export class PipelineCache {
  readonly #device: GPUDevice;
  /// Compiled, or being compiled.
  readonly #pipelines = new Map<string, Promise<Pipeline>>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /// The job's pipeline with an explicit layout for bind group 0. Throws `GpuError` 'shader'.
  get(job: GpuShader): Promise<Pipeline> {
    const bindings = job.buffers.map(({ binding, kind }) => `${binding}=${kind}`).join(',');
    const key = `${job.entryPoint}|${bindings}|${job.code}`;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const made = this.#compile(job);
    const oldest = this.#pipelines.keys().next();
    if (this.#pipelines.size >= MAX_PIPELINES && !oldest.done) this.#pipelines.delete(oldest.value);
    this.#pipelines.set(key, made);
    // A device that is short of memory now may not be when it is asked again.
    made.catch(() => this.#pipelines.delete(key));
    return made;
  }

  async #compile(job: GpuShader): Promise<Pipeline> {
    const device = this.#device;
    const module = device.createShaderModule({ label: job.label, code: job.code });
    const { messages } = await module.getCompilationInfo();
    const errors = [...messages].filter((message) => message.type === 'error');
    if (errors.length > 0) throw new GpuError('shader', shaderErrorText(job, errors));
    const layout = device.createBindGroupLayout({ entries: job.buffers.map(layoutEntry) });
    try {
      const pipeline = await device.createComputePipelineAsync({
        label: job.label,
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: job.entryPoint },
      });
      return { pipeline, layout };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new GpuError('shader', `${job.label}: no pipeline for \`${job.entryPoint}\`: ${text}`);
    }
  }
}

function layoutEntry({ binding, kind }: Pick<GpuBuffer, 'binding' | 'kind'>): GPUBindGroupLayoutEntry {
  return { binding, visibility: computeStage, buffer: { type: kind } };
}

type CompilerMessage = Pick<GPUCompilationMessage, 'message' | 'lineNum' | 'linePos'>;

/// The compiler's messages as `label:line:column: message`, each over its line of WGSL with a caret.
export function shaderErrorText(job: Pick<GpuShader, 'label' | 'code'>, errors: readonly CompilerMessage[]): string {
  const lines = job.code.split('\n');
  const shown = errors.slice(0, MAX_MESSAGES).map(({ message, lineNum, linePos }) => {
    const line = lines[lineNum - 1];
    if (line === undefined) return `${job.label}: ${message}`;
    const margin = String(lineNum);
    const caret = ' '.repeat(Math.max(0, linePos - 1));
    return `${job.label}:${lineNum}:${linePos}: ${message}\n  ${margin} | ${line}\n  ${' '.repeat(margin.length)} | ${caret}^`;
  });
  const rest = errors.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}
