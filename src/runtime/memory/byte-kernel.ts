// WebGPU copies whole words. What begins or ends inside of one goes by this shader.

import type { CommandQueue } from '../command-queue.ts';
import { bufferUsage, computeStage } from '../device/flags.ts';
import type { Faults } from '../faults.ts';
import type { Region } from './allocation.ts';

const lanes = 64;
const most = 65_535;
const paramBytes = 16;

const code = `
// Bytes of the target from \`begin\` to \`end\`; the source's first one, or the word that is repeated.
struct Span { begin: u32, end: u32, source: u32, word: u32 }
@group(0) @binding(0) var<storage, read_write> target_words: array<u32>;
@group(0) @binding(1) var<storage, read> source_words: array<u32>;
@group(0) @binding(2) var<uniform> span: Span;

fn word_at(id: vec3u) -> u32 { return (span.begin >> 2u) + id.x + id.y * ${lanes * most}u; }

fn put(at: u32, index: u32, old: u32, byte: u32) -> u32 {
  let place = at * 4u + index;
  return select(old, insertBits(old, byte, 8u * index, 8u), place >= span.begin && place < span.end);
}

@compute @workgroup_size(${lanes})
fn move_bytes(@builtin(global_invocation_id) id: vec3u) {
  let at = word_at(id);
  if (at * 4u >= span.end) { return; }
  var word = target_words[at];
  for (var index = 0u; index < 4u; index += 1u) {
    let here = span.source + at * 4u + index - span.begin;
    word = put(at, index, word, (source_words[here >> 2u] >> (8u * (here & 3u))) & 0xffu);
  }
  target_words[at] = word;
}

@compute @workgroup_size(${lanes})
fn fill_bytes(@builtin(global_invocation_id) id: vec3u) {
  let at = word_at(id);
  if (at * 4u >= span.end) { return; }
  var word = target_words[at];
  for (var index = 0u; index < 4u; index += 1u) {
    word = put(at, index, word, (span.word >> (8u * index)) & 0xffu);
  }
  target_words[at] = word;
}
`;

export class ByteKernel {
  readonly #queue: CommandQueue;
  readonly #faults: Faults;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  #module: GPUShaderModule | undefined;
  #layout: GPUBindGroupLayout | undefined;
  #none: GPUBuffer | undefined;

  constructor(queue: CommandQueue, faults: Faults) {
    this.#queue = queue;
    this.#faults = faults;
  }

  /// Bytes of `source` from its byte `from` on. It must be another buffer than the target's.
  move(target: Region, at: number, source: GPUBuffer, from: number, bytes: number): void {
    this.#run('move_bytes', target, at, bytes, source, from, 0);
  }

  /// A word again and again; its bytes lie as in a word of the target.
  fill(target: Region, at: number, bytes: number, word: number): void {
    this.#none ??= this.#queue.device.createBuffer({ size: 16, usage: bufferUsage.storage });
    this.#run('fill_bytes', target, at, bytes, this.#none, 0, word);
  }

  destroy(): void {
    this.#none?.destroy();
  }

  #run(entry: string, target: Region, at: number, bytes: number, source: GPUBuffer, from: number, word: number): void {
    const queue = this.#queue;
    const [layout, pipeline] = [this.#groupLayout(), this.#pipeline(entry)];
    const { offset, bytes: span } = queue.room(paramBytes);
    new Uint32Array(span.buffer, span.byteOffset, 4).set([at, at + bytes, from, word]);
    const group = queue.device.createBindGroup({
      layout,
      entries: [
        { binding: 0, resource: target },
        { binding: 1, resource: { buffer: source } },
        { binding: 2, resource: { buffer: queue.uniforms, offset, size: paramBytes } },
      ],
    });
    const groups = Math.ceil(((at % 4) + bytes) / 4 / lanes);
    const pass = queue.pass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.min(groups, most), Math.ceil(groups / most));
  }

  #groupLayout(): GPUBindGroupLayout {
    this.#layout ??= this.#queue.device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: computeStage, buffer: { type: 'storage' } },
        { binding: 1, visibility: computeStage, buffer: { type: 'read-only-storage' } },
        { binding: 2, visibility: computeStage, buffer: { type: 'uniform' } },
      ],
    });
    return this.#layout;
  }

  #pipeline(entryPoint: string): GPUComputePipeline {
    const known = this.#pipelines.get(entryPoint);
    if (known) return known;
    const { device } = this.#queue;
    const made = this.#faults.guard(device, 'validation', () => {
      this.#module ??= device.createShaderModule({ label: 'bytes', code });
      const layout = device.createPipelineLayout({ bindGroupLayouts: [this.#groupLayout()] });
      return device.createComputePipeline({ label: entryPoint, layout, compute: { module: this.#module, entryPoint } });
    });
    this.#pipelines.set(entryPoint, made);
    return made;
  }
}
