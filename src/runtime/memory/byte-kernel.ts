// Copies and fills ranges that begin or end inside a word. This requires a shader, because WebGPU
// copies whole words only.

import type { Engine } from '../device/engine.ts';
import { bufferUsage } from '../device/flags.ts';
import type { Region } from '../device/readback.ts';

const lanes = 64;
const most = 65_535;
const paramBytes = 16;

const code = `
// Bytes of the target from \`begin\` to \`end\`; the source's first one, or the word that is
// repeated.
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

const buffers = [
  { binding: 0, kind: 'storage' },
  { binding: 1, kind: 'read-only-storage' },
  { binding: 2, kind: 'uniform' },
] as const;

export class ByteKernel {
  readonly #engine: Engine;
  #none: GPUBuffer | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Copies bytes of `source` from its byte `from` on. The source and target must be different
   * buffers.
   */
  move(target: Region, at: number, source: GPUBuffer, from: number, bytes: number): void {
    this.#run('move_bytes', target, at, bytes, source, from, 0);
  }

  /**
   * Fills a range with a repeated word. The word is aligned to the target's words, even if the
   * range starts inside of one.
   */
  fill(target: Region, at: number, bytes: number, word: number): void {
    this.#none ??= this.#engine.device.createBuffer({ size: 16, usage: bufferUsage.storage });
    this.#run('fill_bytes', target, at, bytes, this.#none, 0, word);
  }

  destroy(): void {
    this.#none?.destroy();
  }

  #run(entry: string, target: Region, at: number, bytes: number, source: GPUBuffer, from: number, word: number): void {
    const { device, queue, shaders } = this.#engine;
    const shader = shaders.get({ label: 'bytes', code, entryPoint: entry, buffers });
    const { offset, bytes: span } = queue.room(paramBytes);
    new Uint32Array(span.buffer, span.byteOffset, 4).set([at, at + bytes, from, word]);
    const group = device.createBindGroup({
      layout: shader.layout,
      entries: [
        { binding: 0, resource: target },
        { binding: 1, resource: { buffer: source } },
        { binding: 2, resource: { buffer: queue.uniforms, size: paramBytes } },
      ],
    });
    const groups = Math.ceil(((at % 4) + bytes) / 4 / lanes);
    queue.dispatch(shader, group, Uint32Array.of(offset), [Math.min(groups, most), Math.ceil(groups / most), 1]);
  }
}
