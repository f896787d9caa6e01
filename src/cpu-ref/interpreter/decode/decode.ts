// Decodes the entry and all functions that the entry can call into one flat list of instructions.
import { clusterOf, clusterProblem } from '../../../base/cluster.ts';
import { countOf } from '../../../base/dim3.ts';
import type { Launch } from '../../../base/launch.ts';
import type { MatrixMode } from '../../../base/matrix-mode.ts';
import type { Diagnostic, Instruction, Module, PtxFunction, Statement } from '../../../ptx/ast.ts';
import { LaunchError } from '../../launch-error.ts';
import { AddressSpace } from '../memory/address-space.ts';
import { clusterStride } from '../memory/cluster-window.ts';
import { type Destination, LayoutBuilder, type Source } from '../memory/layout.ts';
import type { KeptMemory } from '../memory/variables.ts';
import { turnsOf } from '../operations/turns.ts';
import type { DecodedFunction, Op, Program, Work } from '../state/state.ts';
import { decodeControl } from './decode-control.ts';
import { decodeInstruction } from './decode-instruction.ts';
import { decodeWarpgroup, isProduct } from './decode-warpgroup.ts';
import { originsOf } from './origins.ts';

/**
 * Returns the entry and all functions that it can call, in the order in which they are first
 * mentioned.
 */
function reachableFunctions(module: Module, entry: PtxFunction): PtxFunction[] {
  const found = [entry];
  for (const fn of found) {
    for (const statement of fn.body) {
      const callee = statement.kind === 'instruction' ? statement.operands.callee : undefined;
      if (callee?.kind !== 'call' || callee.service !== undefined) continue;
      const names = callee.indirect?.candidates.map(({ name }) => name) ?? [callee.callee];
      for (const name of names) {
        const target = module.functions.find((candidate) => candidate.name === name && candidate.kind === 'func');
        if (target === undefined)
          throw new LaunchError(`'${fn.name}' calls '${name}', which has no body in this module`);
        if (!found.includes(target)) found.push(target);
      }
    }
  }
  return found;
}

function findEntry(module: Module, name: string): PtxFunction {
  const entries = module.functions.filter((fn) => fn.kind === 'entry');
  const entry = entries.find((fn) => fn.name === name);
  if (entry !== undefined) return entry;
  const names = entries.map((fn) => `'${fn.name}'`).join(', ');
  throw new LaunchError(
    `unknown kernel '${name}': ${names === '' ? 'the module has no kernels' : `expected ${names}`}`,
  );
}

/**
 * Returns a diagnostic for each unsupported instruction of the functions. With any such
 * instruction, the launch cannot run.
 */
function unsupported(functions: readonly PtxFunction[]): Diagnostic[] {
  return functions.flatMap((fn) => fn.body.flatMap((s) => (s.kind === 'unsupported' ? [s.diagnostic] : [])));
}

function isCode(statement: Statement): statement is Instruction {
  return statement.kind === 'instruction';
}

const registersOf = (places: readonly Pick<Source, 'place'>[]): readonly number[] =>
  places.flatMap(({ place: { taint } }) => (taint === 0 ? [] : [taint]));

/** Maps each label of a function to the index of the instruction that follows the label. */
function labelTargets(fn: PtxFunction, start: number): Map<string, number> {
  const targets = new Map<string, number>();
  let at = start;
  for (const statement of fn.body) {
    if (statement.kind === 'label') targets.set(statement.name, at);
    else if (isCode(statement)) at++;
  }
  return targets;
}

function checkThreads(entry: PtxFunction, launch: Launch): void {
  const threads = launch.block[0] * launch.block[1] * launch.block[2];
  const most = entry.maxThreads;
  if (most !== undefined && threads > most[0] * most[1] * most[2]) {
    throw new LaunchError(
      `'${entry.name}' allows ${most.join(' x ')} threads per block (.maxntid), but the launch has ${threads}`,
    );
  }
  const required = entry.requiredThreads;
  if (required?.some((size, axis) => size !== launch.block[axis]) === true) {
    throw new LaunchError(`'${entry.name}' requires blocks of ${required.join(' x ')} threads (.reqntid)`);
  }
}

export interface DecodeOptions {
  readonly trackWriters: boolean;
  readonly sanitize: boolean;
  readonly matrix: MatrixMode;
  readonly memory?: KeptMemory | undefined;
}

/**
 * Decodes a launch. If the entry can reach unsupported instructions, returns diagnostics instead.
 * Throws `LaunchError` if the launch does not fit the kernel.
 */
export function decode(
  module: Module,
  launch: Launch,
  { trackWriters, sanitize, matrix, memory }: DecodeOptions,
): Program | readonly Diagnostic[] {
  const entry = findEntry(module, launch.entry);
  checkThreads(entry, launch);
  const problem = clusterProblem(entry.cluster, launch);
  if (problem !== undefined) throw new LaunchError(problem);
  const functions = reachableFunctions(module, entry);
  const missing = unsupported(functions);
  if (missing.length > 0) return missing;
  const cluster = clusterOf(entry.cluster, launch);
  const space = new AddressSpace(module, entry, functions, launch, trackWriters, memory);
  if (countOf(cluster) > 1 && space.sharedBytes > clusterStride)
    throw new LaunchError(
      `a block of a cluster has at most ${clusterStride} bytes of shared memory, but the kernel uses ${space.sharedBytes}`,
    );
  const builders = functions.map((fn) => new LayoutBuilder(fn, space));
  // Only products of warpgroups access registers while other instructions execute.
  const tracksRegisters = sanitize && functions.some((fn) => fn.body.some((s) => isCode(s) && isProduct(s)));
  const ops: Op[] = [];
  const starts: number[] = [];
  for (const [index, fn] of functions.entries()) {
    const builder = builders[index];
    if (builder === undefined) continue;
    starts.push(ops.length);
    const targets = labelTargets(fn, ops.length);
    const origins = sanitize ? originsOf(fn) : undefined;
    for (const instruction of fn.body.filter(isCode)) {
      const reads: Source[] = [];
      const writes: Destination[] = [];
      const bitReads = new Set<Source>();
      const context = { builder, space, targets, functions, builders, origins, matrix, reads, bitReads, writes };
      const work: Work =
        decodeWarpgroup(instruction, context) ??
        decodeControl(instruction, context) ??
        decodeInstruction(instruction, context);
      const { guard } = instruction;
      const guardSource: Source | undefined =
        guard === undefined ? undefined : { place: builder.register(guard.register), width: 1, negated: guard.negated };
      ops.push({
        work,
        exec: work.kind === 'plain' ? work.exec : undefined,
        instruction,
        span: instruction.span,
        fn: index,
        guard: guardSource,
        reads: reads.filter((source) => source.place.taint !== 0 && !bitReads.has(source)),
        writes,
        registers: tracksRegisters && !isProduct(instruction) ? registersOf([...reads, ...writes]) : undefined,
      });
    }
    const end = { start: fn.span.end, end: fn.span.end };
    ops.push({
      work: { kind: 'return' },
      exec: undefined,
      instruction: undefined,
      span: end,
      fn: index,
      guard: undefined,
      reads: [],
      writes: [],
      registers: undefined,
    });
  }
  // Finish the layouts last, because decoding a call may allocate places for the registers of the
  // callee.
  const decoded = builders.map(
    (builder, index): DecodedFunction => ({ layout: builder.finish(), start: starts[index] ?? 0 }),
  );
  return { ops, functions: decoded, space, cluster, turns: turnsOf(ops, starts) };
}
