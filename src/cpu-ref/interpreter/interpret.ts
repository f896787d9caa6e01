// Runs whole PTX kernels on the CPU, lane by lane, and reports which output bits PTX defines.

import { countOf } from '../../base/dim3.ts';
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import { nothingPrinted, type Printed } from '../../base/printed.ts';
import type { Diagnostic, Module } from '../../ptx/ast.ts';
import { RunningCluster } from './cluster.ts';
import { reportDeadlock } from './deadlock.ts';
import { decode } from './decode/decode.ts';
import { LaunchMachine, type MachineOptions } from './machine.ts';
import { Repetition } from './repetition.ts';
import { type Finding, type FindingCode, Halt } from './state/findings.ts';

/** Options of `runOnCpu`. */
export type InterpretOptions = MachineOptions;

/** The result of a launch on the reference interpreter. */
export interface InterpretResult {
  /**
   * How the launch ended:
   * - `done`: all threads exited.
   * - `unsupported`: the kernel can reach unsupported instructions, which `diagnostics` lists. No
   * instruction was executed.
   * - `failed`: the launch ended early, for the reason in `failure`. The outputs are those at that
   * time.
   */
  readonly status: 'done' | 'unsupported' | 'failed';
  /** The reason for `failed`, such as a deadlock or a trap. */
  readonly failure: { readonly code: FindingCode; readonly message: string } | undefined;
  /** The contents of every buffer parameter. */
  readonly outputs: LaunchOutputs;
  /**
   * By parameter number: the bits of each byte that PTX leaves undefined. A buffer without
   * undefined bits has no entry.
   */
  readonly undefinedMasks: LaunchOutputs;
  /**
   * By parameter number, if `trackWriters` is set: the linear global index of the last thread that
   * wrote each byte, or -1.
   */
  readonly writers: ReadonlyMap<number, Int32Array>;
  /**
   * By parameter number: the ends of the accessed range of each buffer, including accesses out of
   * bounds.
   */
  readonly extents: ReadonlyMap<number, Extent>;
  /** The output of `printf`, until the end or the failure of the launch. */
  readonly printed: Printed;
  /** Undefined behavior and other problems, if `sanitize` is set. */
  readonly findings: readonly Finding[];
  /** Errors and warnings about the PTX. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * The number of executed instructions. An instruction that several lanes of a warp execute
   * together counts once.
   */
  readonly steps: number;
}

/** The ends of the ranges of a buffer parameter that the launch read and wrote. */
export interface Extent {
  readonly readTo: number;
  readonly writtenTo: number;
}

/**
 * The number of steps that a block executes before the next block starts. The number is limited
 * because a block may wait for a later one.
 */
const blockTurn = 1 << 18;
const mostResidentBlocks = 1024;
/**
 * The number of steps that a block executes before the next one continues, after all blocks have
 * started.
 */
const lastTurn = 1 << 14;

function runGrid(machine: LaunchMachine): void {
  const blocks = countOf(machine.program.cluster);
  const total = countOf(machine.launch.grid) / blocks;
  const mostResident = Math.floor(mostResidentBlocks / blocks);
  // The clusters may start in random order, because all of them are resident: a block that waits for
  // a later one does not keep the later one from running.
  const order = machine.shuffles && total <= mostResident ? machine.order(total) : undefined;
  let started = 0;
  let resident: RunningCluster[] = [];
  const repetition = new Repetition(machine);
  while (started < total || resident.length > 0) {
    do {
      if (started < total && resident.length < mostResident) {
        resident.push(new RunningCluster(machine, order?.[started] ?? started));
        started++;
      }
      // `stepsPerTurn` simulates blocks that run at the same time, so all blocks start first.
    } while (machine.stepsPerTurn !== undefined && started < total && resident.length < mostResident);
    const turn = machine.stepsPerTurn ?? (started < total ? blockTurn : lastTurn);
    for (const cluster of resident) cluster.run(turn, resident.length > 1);
    resident = resident.filter(({ done }) => !done);
    const going = started === total ? resident.flatMap((cluster) => cluster.blocks) : [];
    const first = going.find(({ done }) => !done);
    if (first !== undefined && repetition.isFound(going)) reportDeadlock(first, true);
  }
}

/**
 * Runs a launch. The result reports failures of the kernel itself, such as a deadlock, a trap or a
 * timeout. Throws `LaunchError` if the launch does not fit the kernel. Without a seed, blocks run
 * in linear order, and warps are 32 lanes in linear thread order. Results that PTX defines depend
 * on neither order.
 */
export function interpret(module: Module, launch: Launch, options: InterpretOptions = {}): InterpretResult {
  const program = decode(module, launch, {
    trackWriters: options.trackWriters ?? false,
    sanitize: options.sanitize ?? false,
    matrix: options.matrix ?? 'hopper',
    memory: options.memory,
  });
  const nothing = new Map<number, Uint8Array>();
  if (!('ops' in program)) {
    const empty = {
      outputs: nothing,
      undefinedMasks: nothing,
      writers: new Map(),
      extents: new Map(),
      printed: nothingPrinted,
      findings: [],
      steps: 0,
    };
    return { status: 'unsupported', failure: undefined, diagnostics: program, ...empty };
  }
  const machine = new LaunchMachine(program, launch, options);
  let failure: InterpretResult['failure'];
  try {
    runGrid(machine);
  } catch (error) {
    if (!(error instanceof Halt)) throw error;
    failure = { code: error.code, message: error.message };
  }
  const outputs = new Map<number, Uint8Array>();
  const undefinedMasks = new Map<number, Uint8Array>();
  const writers = new Map<number, Int32Array>();
  const extents = new Map<number, Extent>();
  for (const [index, region] of program.space.buffers) {
    outputs.set(index, region.bytes.slice(0, region.size));
    // The conversion to bytes preserves the low eight bits of each mark.
    if (region.shadow?.some((mark) => mark !== 0) === true) undefinedMasks.set(index, Uint8Array.from(region.shadow));
    if (region.writers !== undefined) writers.set(index, region.writers);
    extents.set(index, { readTo: region.readTo, writtenTo: region.writtenTo });
  }
  const status = failure === undefined ? 'done' : 'failed';
  const findings = machine.log.list();
  const { printed, steps } = machine;
  return { status, failure, outputs, undefinedMasks, writers, extents, printed, findings, diagnostics: [], steps };
}
