// A compute shader that applies lowerings: one function a case, one invocation a vector.

import type { FloatProfile } from '../../src/base/float-profile.ts';
import type { Bits } from '../../src/cpu-ref/index.ts';
import type { GpuJob } from '../../src/harness/webgpu/job.ts';
import { asF32, bare, literal } from '../../src/wgsl/cast.ts';
import type { Expr, LowerContext } from '../../src/wgsl/expr.ts';
import { type HelperName, renderHelpers } from '../../src/wgsl/helpers.ts';
import { laneLowerings } from '../../src/wgsl/lane/index.ts';
import type { Operand, Variant } from './variants.ts';

/// How operands are presented:
/// - `declared`: registers of their own type
/// - `crossed`: f32 values in u32 registers and 32-bit integers in f32 registers
/// - `constantLast`: the last operand known at translation time
/// - `constant`: all known
export type Presentation = 'declared' | 'crossed' | 'constantLast' | 'constant';

export interface LaneCase {
  readonly variant: Variant;
  readonly presentation: Presentation;
  readonly vectors: readonly (readonly Bits[])[];
}

const wordsOf = ({ type }: Operand): number => (type.endsWith('64') ? 2 : 1);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

interface Placed {
  readonly laneCase: LaneCase;
  readonly input: number;
  readonly output: number;
  readonly inputWords: number;
  readonly outputWords: number;
}

export interface LaneJob {
  readonly job: GpuJob;
  /// The results of each case's vectors, out of the output buffer.
  read(output: Uint8Array): { laneCase: LaneCase; results: readonly (readonly Bits[])[] }[];
}

const SENTINEL = 0xdeadbeef;

/// One job for all the cases. A case has at most `vectors` vectors.
export function laneJob(label: string, cases: readonly LaneCase[], float: FloatProfile, vectors: number): LaneJob {
  const placed: Placed[] = [];
  let [input, output] = [0, 0];
  for (const laneCase of cases) {
    const inputWords = sumOf(laneCase.variant.sources.map(wordsOf));
    const outputWords = sumOf(laneCase.variant.results.map(wordsOf));
    placed.push({ laneCase, input, output, inputWords, outputWords });
    input += inputWords * laneCase.vectors.length;
    output += outputWords * laneCase.vectors.length;
  }
  const inputs = new Uint32Array(Math.max(input, 1));
  for (const { laneCase, input: start, inputWords } of placed) {
    laneCase.vectors.forEach((values, row) => {
      let at = start + row * inputWords;
      for (const value of values) {
        if (typeof value === 'bigint') {
          inputs[at++] = Number(value & 0xffffffffn);
          inputs[at++] = Number(value >> 32n);
        } else inputs[at++] = value;
      }
    });
  }
  const bytes = output * 4;
  const job: GpuJob = {
    label,
    code: shaderOf(placed, float),
    entryPoint: 'main',
    buffers: [
      {
        binding: 0,
        kind: 'read-only-storage',
        bytes: inputs.byteLength,
        data: new Uint8Array(inputs.buffer),
        read: false,
      },
      {
        binding: 1,
        kind: 'storage',
        bytes,
        data: new Uint8Array(new Uint32Array(output).fill(SENTINEL).buffer),
        read: true,
      },
    ],
    workgroups: [Math.ceil(vectors / 64), 1, 1],
  };
  return { job, read: (data) => readResults(placed, new Uint32Array(data.buffer, data.byteOffset, output)) };
}

function readResults(placed: readonly Placed[], words: Uint32Array): ReturnType<LaneJob['read']> {
  return placed.map(({ laneCase, output, outputWords }) => ({
    laneCase,
    results: laneCase.vectors.map((_, row) => {
      let at = output + row * outputWords;
      return laneCase.variant.results.map((result): Bits => {
        const low = words[at++] ?? 0;
        return wordsOf(result) === 1 ? low : BigInt(low) | (BigInt(words[at++] ?? 0) << 32n);
      });
    }),
  }));
}

function shaderOf(placed: readonly Placed[], float: FloatProfile): string {
  const used = new Set<HelperName>();
  const functions = placed.map((place, index) => functionOf(place, index, float, used));
  const calls = placed.map((_, index) => `  case_${index}(id.x);`);
  return `@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

${renderHelpers(used)}
${functions.join('\n')}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
${calls.join('\n')}
}
`;
}

function functionOf(place: Placed, index: number, float: FloatProfile, used: Set<HelperName>): string {
  const { variant, presentation, vectors } = place.laneCase;
  const lines: string[] = [];
  let temporaries = 0;
  const ctx: LowerContext = {
    float,
    use: (helper) => {
      used.add(helper);
      return helper;
    },
    name: (expr) => {
      if (expr.constant !== undefined || /^\w+$/.test(expr.code)) return expr;
      const code = `t${temporaries++}`;
      lines.push(`let ${code}: ${expr.type} = ${bare(expr.code)};`);
      return { code, type: expr.type };
    },
  };
  let at = 0;
  const sources = variant.sources.map((operand, i): Expr => {
    const known =
      presentation === 'constant' ||
      operand.type === 'immediate' ||
      (presentation === 'constantLast' && i === variant.sources.length - 1);
    const start = at;
    at += wordsOf(operand);
    if (known) return constantOf(ctx, operand, vectors[0]?.[i] ?? 0);
    return registerOf(operand, i, start, presentation === 'crossed', lines);
  });
  const results = laneLowerings[variant.row](ctx, variant.mods, sources);
  if (results.length !== variant.results.length) {
    throw new Error(`${variant.label}: ${results.length} results, ${variant.results.length} are due`);
  }
  let out = 0;
  results.forEach((result, i) => {
    const code = `r${i}`;
    lines.push(`let ${code} = ${bare(result.code)};`);
    for (const word of resultWords(result, code)) lines.push(`result[out + ${out++}u] = ${word};`);
  });
  return `// ${variant.label}, ${presentation}
fn case_${index}(row: u32) {
  if (row >= ${vectors.length}u) {
    return;
  }
  let in = ${place.input}u + row * ${place.inputWords}u;
  let out = ${place.output}u + row * ${place.outputWords}u;
  ${lines.join('\n  ')}
}
`;
}

function constantOf(ctx: LowerContext, { type }: Operand, value: Bits): Expr {
  const bits = BigInt(value);
  if (type === 'pred') return literal('bool', bits);
  if (type.endsWith('64')) return literal('vec2<u32>', bits);
  return type === 'f32' ? asF32(ctx, literal('u32', bits)) : literal('u32', bits);
}

function registerOf(operand: Operand, index: number, start: number, crossed: boolean, lines: string[]): Expr {
  const code = `s${index}`;
  const word = (offset: number): string => `source[in + ${start + offset}u]`;
  const declare = (type: Expr['type'], value: string): Expr => {
    lines.push(`let ${code} = ${value};`);
    return { code, type };
  };
  if (operand.type === 'pred') return declare('bool', `${word(0)} != 0u`);
  if (operand.type.endsWith('64')) return declare('vec2<u32>', `vec2<u32>(${word(0)}, ${word(1)})`);
  const isFloat = operand.type === 'f32' || (operand.type.endsWith('32') && crossed && operand.name !== 'carry');
  return isFloat && !(crossed && operand.type === 'f32')
    ? declare('f32', `bitcast<f32>(${word(0)})`)
    : declare('u32', word(0));
}

function resultWords(result: Expr, code: string): string[] {
  switch (result.type) {
    case 'bool':
      return [`u32(${code})`];
    case 'vec2<u32>':
      return [`${code}.x`, `${code}.y`];
    case 'u32':
      return [code];
    default:
      return [`bitcast<u32>(${code})`];
  }
}
