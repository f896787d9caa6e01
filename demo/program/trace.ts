// Runs a program on the reference, and records one warp step by step.

import type { Dim3 } from '../../src/base/launch.ts';
import type { Observer, StepEvent, StepState, WaitingLanes } from '../../src/cpu-ref/executor.ts';
import { type Finding, LaunchError } from '../../src/cpu-ref/executor.ts';
import type { IsaRow, Mods } from '../../src/isa/index.ts';
import type { Instruction, Operand } from '../../src/ptx/index.ts';
import { interpretWithin } from './interpret-within.ts';
import { maxExecuted, maxSteps, maxTraceMs, maxTraceWeight } from './limits.ts';
import type { LoadedProgram } from './program.ts';

/**
 * The bits of a register in the 32 lanes, and the mask of the lanes in which PTX leaves the
 * register undefined.
 */
export interface LaneValues {
  readonly values: readonly bigint[];
  readonly undefinedLanes: number;
}

/**
 * The operands that have a value in each lane. Other operands refer to the rest of the module,
 * which the page does not have.
 */
export type ShownOperand = Extract<Operand, { kind: 'register' | 'immediate' | 'vector' }>;

/** The page's data about an instruction. */
export interface ShownInstruction {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly operands: Readonly<Record<string, ShownOperand>>;
}

export interface TraceStep {
  readonly instruction: ShownInstruction;
  /** The range of the instruction in the editor's text. */
  readonly start: number;
  readonly end: number;
  /**
   * The mask of the lanes that executed the instruction, and the mask of the lanes that have
   * exited.
   */
  readonly lanes: number;
  readonly exited: number;
  /** The lanes that wait after the step. */
  readonly waiting: WaitingLanes;
  /** The number of active calls, and the number of the current function. */
  readonly depth: number;
  readonly function: number;
  /** The values of the registers that the instruction names, before and after the instruction. */
  readonly before: ReadonlyMap<string, LaneValues>;
  readonly after: ReadonlyMap<string, LaneValues>;
}

export interface Trace {
  readonly steps: readonly TraceStep[];
  /** Whether the trace does not contain all steps. */
  readonly cut: boolean;
  readonly findings: readonly Finding[];
  /** The reason why the run ended early. */
  readonly error: string | undefined;
}

const nothing: LaneValues = { values: Array.from({ length: 32 }, () => 0n), undefinedLanes: 0xffffffff };

/**
 * The place of a warp in a launch: the number of its block in linear order, and its number in the
 * block.
 */
export interface WarpPlace {
  readonly cta: number;
  readonly warp: number;
}

const firstWarp: WarpPlace = { cta: 0, warp: 0 };

/**
 * Returns an observer that receives all steps and calls the recording function for those of one
 * warp, or of the last warp if there are fewer warps. `isInText` is false for the code that the
 * page added around the editor's text.
 */
function watch(
  { launch, prefix }: LoadedProgram,
  { cta, warp }: WarpPlace,
  onStep: (event: StepEvent, isInText: boolean) => void,
): Observer {
  const size = ([x, y, z]: Dim3): number => x * y * z;
  const [gx, gy] = launch.grid;
  const block = Math.min(cta, size(launch.grid) - 1);
  const watched = Math.min(warp, Math.ceil(size(launch.block) / 32) - 1);
  return (event) => {
    const [x, y, z] = event.block;
    const { start, end } = event.instruction.span;
    if (event.warp === watched && x + gx * (y + gy * z) === block) onStep(event, end > start && start >= prefix);
  };
}

/**
 * Runs the program's launch on the reference interpreter, and records one warp. If the run takes
 * longer than `maxMs` milliseconds, returns the steps so far.
 */
export function traceProgram(program: LoadedProgram, place = firstWarp, maxMs: number = maxTraceMs): Trace {
  const steps: TraceStep[] = [];
  const known = new Map<string, LaneValues>();
  const shown = new Map<Instruction, ShownInstruction>();
  const { prefix } = program;
  let weight = 0;
  let cut = false;
  const observe = watch(program, place, (event, isInText) => {
    if (steps.length >= maxSteps || weight > maxTraceWeight) {
      cut = true;
      return;
    }
    const { instruction, lanes, exited, waiting, depth } = event;
    const names = registersOf(instruction);
    // Each function has separate registers at each depth of calls.
    const key = (name: string): string => `${depth} ${event.function} ${name}`;
    // A register that was never read or written has no known values.
    const held = (name: string): LaneValues => known.get(key(name)) ?? nothing;
    const written = new Set(writtenBy(instruction));
    const update = (name: string): void => {
      const values = event.read(name);
      if (values && !areEqual(values, held(name))) known.set(key(name), values);
    };
    // A call writes the parameters of the called function without a separate step.
    for (const name of names) if (!written.has(name) && (depth > 0 || !known.has(key(name)))) update(name);
    const before = new Map(names.map((name) => [name, held(name)]));
    for (const name of written) update(name);
    if (!isInText) return;
    const { start, end } = instruction.span;
    const after = new Map(names.map((name) => [name, held(name)]));
    for (const name of names) weight += nothing.values.length + name.length;
    const picture = shown.get(instruction) ?? shownInstruction(instruction);
    shown.set(instruction, picture);
    const place = { start: start - prefix, end: end - prefix, depth, function: event.function };
    steps.push({ instruction: picture, ...place, lanes, exited, waiting, before, after });
  });
  try {
    const options = { observe, sanitize: true, maxSteps: maxExecuted };
    const result = interpretWithin(maxMs, program.kernel, program.launch, options);
    if (result) return { steps, cut, findings: result.findings, error: undefined };
    return { steps, cut: true, findings: [], error: `The reference was stopped after ${maxMs / 1000} s.` };
  } catch (error) {
    if (error instanceof LaunchError || error instanceof RangeError) {
      return { steps, cut, findings: [], error: error.message };
    }
    throw error;
  }
}

const areEqual = (a: LaneValues, b: LaneValues): boolean =>
  a.undefinedLanes === b.undefinedLanes && a.values.every((bits, lane) => bits === b.values[lane]);

/** Thrown to end a run after the requested step. */
class Reached extends Error {}

/** The state after a step of a trace. Positions are offsets in the editor's text. */
export interface ShownState extends Omit<StepState, 'next'> {
  /**
   * For each lane, the offset of its next instruction. The offset is -1 after the lane's exit, or
   * if the instruction is in code that the page added.
   */
  readonly next: readonly number[];
}

/** Runs the program again up to a step of its trace. Returns undefined if there is no such step. */
export function stateAfter(program: LoadedProgram, place: WarpPlace, step: number): ShownState | undefined {
  let left = step;
  let state: StepState | undefined;
  const observe = watch(program, place, (event, isInText) => {
    if (!isInText || left-- > 0) return;
    state = event.inspect();
    throw new Reached();
  });
  try {
    interpretWithin(maxTraceMs, program.kernel, program.launch, { observe, sanitize: true, maxSteps: maxExecuted });
  } catch (error) {
    if (!(error instanceof Reached || error instanceof LaunchError || error instanceof RangeError)) throw error;
  }
  if (state === undefined) return undefined;
  const next = state.next.map((span) =>
    span === undefined || span.end <= span.start ? -1 : Math.max(span.start - program.prefix, -1),
  );
  return { ...state, next };
}

/** Returns the names of the registers that the instruction writes. */
function writtenBy({ row, operands }: Instruction): string[] {
  return row.writes.flatMap((name) => {
    const operand = operands[name];
    if (operand?.kind === 'register') return [operand.register.name];
    if (operand?.kind !== 'vector') return [];
    return operand.elements.flatMap((item) => (item.kind === 'register' ? [item.register.name] : []));
  });
}

function shownInstruction({ row, mods, operands }: Instruction): ShownInstruction {
  const kept = Object.entries(operands).flatMap(([name, operand]) =>
    operand.kind === 'register' || operand.kind === 'immediate' || operand.kind === 'vector' ? [[name, operand]] : [],
  );
  return { row, mods, operands: Object.fromEntries(kept) };
}

/** Returns the names of the registers that the instruction reads or writes. */
function registersOf({ operands, guard }: Instruction): string[] {
  const names = Object.values(operands).flatMap((operand): string[] => {
    if (operand.kind === 'register') return [operand.register.name];
    if (operand.kind === 'vector') {
      return operand.elements.flatMap((item) => (item.kind === 'register' ? [item.register.name] : []));
    }
    if (operand.kind === 'address' && operand.base && !('space' in operand.base)) return [operand.base.name];
    return [];
  });
  return [...new Set([...names, ...(guard ? [guard.register.name] : [])])];
}
