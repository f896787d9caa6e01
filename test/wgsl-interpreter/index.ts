// A lockstep WGSL interpreter with a settable subgroup size, for lane plans that no software
// adapter offers. It runs valid shaders and checks only some rules of validity: types and reserved
// words, but not uniformity analysis or errors in constant expressions. Software adapters check the
// other rules, at other subgroup sizes.

import type { MatrixMode } from '../../src/base/matrix-mode.ts';
import type { GpuBuffer, GpuJob } from '../../src/runtime/device/job.ts';
import { call } from './calls.ts';
import { construct } from './constructors.ts';
import { WgslError } from './error.ts';
import { withFlushing } from './float.ts';
import type { EntryPoint } from './functions.ts';
import { compileEntryPoint } from './functions.ts';
import { withMatrixSums } from './matrix-builtins.ts';
import { evaluateConstant, lookup } from './module-scope.ts';
import type { MemoryVariable } from './program.ts';
import { Program } from './program.ts';
import type { Triple } from './scheduler.ts';
import { dispatch, workgroupSize } from './scheduler.ts';
import { sizeOf } from './types.ts';

export { WgslError } from './error.ts';
export { poison } from './subgroup-builtins.ts';

export interface InterpreterOptions {
  /** The subgroup size, 1 to 128. */
  readonly subgroupSize: number;
  /**
   * The order of a workgroup's invocations on subgroups and lanes; WGSL promises none. Default
   * 'linear'.
   */
  readonly invocationOrder?: 'linear' | 'shuffled';
  /** The seed of the shuffled order. Default 1. */
  readonly seed?: number;
  /**
   * The maximum number of statements that all subgroups together may execute. Default 20 million.
   */
  readonly maxSteps?: number;
  /**
   * Whether to reject subgroup builtins in divergent control flow, where WGSL leaves them
   * undefined. Default false.
   */
  readonly uniformSubgroups?: boolean;
  /** Selects the workgroup variables in which races between subgroups are errors. Default: none. */
  readonly races?: (name: string) => boolean;
  /** Whether f32 arithmetic flushes subnormals. Default false. */
  readonly flushes?: boolean;
  /** The float sums of subgroup matrices. By default, sums are computed in doubles and rounded. */
  readonly matrixSums?: MatrixMode;
}

export interface InterpreterResult {
  /** The contents of the buffers with `read`, by binding. */
  readonly buffers: Map<number, Uint8Array>;
  readonly ms: number;
}

/** A compiled entry point of a shader. */
export interface Compiled {
  readonly program: Program;
  readonly entry: EntryPoint;
  /** The number of invocations of a workgroup in each dimension. */
  readonly size: Triple;
}

const compiled = new Map<string, Compiled>();
const compiledLimit = 64;

const compilers = { call, construct, lookup, evaluateConstant };

/**
 * Runs a job as a GPU with subgroups of `subgroupSize` invocations would, with the same bits.
 * Throws `WgslError` for a shader that is wrong or unsupported, for barriers and subgroup operands
 * that are not uniform, for bindings that do not fit, and after `maxSteps` statements.
 */
export function runWgsl(job: GpuJob, options: InterpreterOptions): InterpreterResult {
  const { subgroupSize } = options;
  if (!Number.isInteger(subgroupSize) || subgroupSize < 1 || subgroupSize > 128) {
    throw new RangeError(`subgroupSize ${subgroupSize} is not in 1..128`);
  }
  const shader = compileWgsl(job);
  const bound = new Map(job.buffers.map((buffer) => [buffer.binding, { buffer, words: wordsOf(buffer) }]));
  for (const variable of shader.program.memories) {
    const { buffer } = (variable.binding === null ? undefined : bound.get(variable.binding)) ?? {};
    if (buffer) checkBinding(variable, buffer);
  }
  const start = performance.now();
  const words = new Map([...bound].map(([binding, each]) => [binding, each.words]));
  runCompiled(shader, words, job.workgroups, options);
  const ms = performance.now() - start;
  const buffers = new Map<number, Uint8Array>();
  for (const { buffer, words } of bound.values()) {
    if (buffer.read) buffers.set(buffer.binding, new Uint8Array(words.buffer));
  }
  return { buffers, ms };
}

/** Runs a shader on the words of each binding, which it modifies. Throws as `runWgsl` does. */
export function runCompiled(
  { program, entry, size }: Compiled,
  bound: ReadonlyMap<number, Uint32Array>,
  workgroups: Triple,
  options: InterpreterOptions,
): void {
  const memories = program.memories.map(({ binding, type }) => {
    if (binding === null) return new Uint32Array(sizeOf(type));
    const words = bound.get(binding);
    if (words === undefined) throw new WgslError(0, `binding ${binding} has no buffer`);
    return words;
  });
  const run = () =>
    dispatch(program, entry, size, {
      workgroups,
      subgroupSize: options.subgroupSize,
      order: (count) => invocationOrder(count, options),
      memories,
      maxSteps: options.maxSteps ?? 20_000_000,
      uniformSubgroups: options.uniformSubgroups ?? false,
      races: options.races ?? (() => false),
    });
  withFlushing(options.flushes ?? false, () => withMatrixSums(options.matrixSums ?? 'ieee', run));
}

/** Compiles an entry point, or returns a recently compiled one. Throws `WgslError`. */
export function compileWgsl({ code, entryPoint }: Pick<GpuJob, 'code' | 'entryPoint'>): Compiled {
  const key = `${entryPoint}\n${code}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const program = new Program(code, compilers);
  const entry = compileEntryPoint(program, entryPoint);
  const result = { program, entry, size: workgroupSize(program, entry) };
  const [oldest] = compiled.keys();
  if (compiled.size >= compiledLimit && oldest !== undefined) compiled.delete(oldest);
  compiled.set(key, result);
  return result;
}

function wordsOf(buffer: GpuBuffer): Uint32Array {
  const bytes = new Uint8Array(buffer.bytes);
  if (buffer.data !== undefined) bytes.set(buffer.data);
  return new Uint32Array(bytes.buffer);
}

function checkBinding(variable: MemoryVariable, buffer: GpuBuffer): void {
  const storage = variable.writable ? 'storage' : 'read-only-storage';
  const expected = variable.space === 'uniform' ? 'uniform' : storage;
  if (buffer.kind !== expected) {
    throw new WgslError(0, `${variable.name} at binding ${buffer.binding} is ${expected}, its buffer ${buffer.kind}`);
  }
  const needed = sizeOf(variable.type) * 4;
  if (buffer.bytes < needed) {
    throw new WgslError(0, `${variable.name} at binding ${buffer.binding} needs ${needed} bytes, not ${buffer.bytes}`);
  }
}

function invocationOrder(count: number, options: InterpreterOptions): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  if (options.invocationOrder !== 'shuffled') return order;
  let state = options.seed ?? 1;
  // Fisher-Yates over a small xorshift-multiply generator (Mulberry32).
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  for (let i = count - 1; i > 0; i--) {
    const j = below(i + 1);
    const moved = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = moved;
  }
  return order;
}
