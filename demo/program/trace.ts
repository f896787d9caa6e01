// Runs a program on the reference, and records one warp step by step.
import { type Finding, LaunchError } from '../../src/cpu-ref/executor.ts';
import type { StepEvent } from '../../src/cpu-ref/interpreter/state/step-event.ts';
import type { IsaRow, Mods } from '../../src/isa/index.ts';
import type { Instruction, Operand } from '../../src/ptx/index.ts';
import { interpretWithin } from './interpret-within.ts';
import { maxExecuted, maxSteps, maxTraceMs, maxTraceWeight } from './limits.ts';
import type { LoadedProgram } from './program.ts';

/** A register's bits in the 32 lanes, and the mask of lanes in which PTX leaves it undefined. */
export interface LaneValues {
  readonly values: readonly bigint[];
  readonly undefinedLanes: number;
}

/**
 * Operands that have a value in each lane. Other operands refer to the rest of the module, which
 * the page does not have.
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
  /** Its range in the editor's text. */
  readonly start: number;
  readonly end: number;
  /** The masks of lanes that executed it, and of exited lanes. */
  readonly lanes: number;
  readonly exited: number;
  /** The registers that it names, before and after it. */
  readonly before: ReadonlyMap<string, LaneValues>;
  readonly after: ReadonlyMap<string, LaneValues>;
}

export interface Trace {
  readonly steps: readonly TraceStep[];
  /** Whether the trace omits steps. */
  readonly cut: boolean;
  readonly findings: readonly Finding[];
  /** The reason why the run ended early. */
  readonly error: string | undefined;
}

const nothing: LaneValues = { values: Array.from({ length: 32 }, () => 0n), undefinedLanes: 0xffffffff };

/**
 * Runs the program's launch on the reference interpreter, and records `warp` (or the last warp) of
 * the first block. After `maxMs`, returns the steps so far.
 */
export function traceProgram(program: LoadedProgram, warp: number, maxMs: number = maxTraceMs): Trace {
  const steps: TraceStep[] = [];
  const known = new Map<string, LaneValues>();
  const shown = new Map<Instruction, ShownInstruction>();
  const { prefix } = program;
  const threads = program.launch.block.reduce((product, length) => product * length, 1);
  const watched = Math.min(warp, Math.ceil(threads / 32) - 1);
  let weight = 0;
  let cut = false;
  const observe = (event: StepEvent): void => {
    if (event.warp !== watched || event.block.some((axis) => axis !== 0)) return;
    if (steps.length >= maxSteps || weight > maxTraceWeight) {
      cut = true;
      return;
    }
    const { instruction, lanes, exited } = event;
    const names = registersOf(instruction);
    const before = new Map(names.map((name) => [name, known.get(name) ?? nothing]));
    for (const name of names) {
      const values = event.read(name);
      if (values) known.set(name, values);
    }
    const { start, end: last } = instruction.span;
    // Skips the code that the page put around the text.
    if (last <= start || start < prefix) return;
    const after = new Map(names.map((name) => [name, known.get(name) ?? nothing]));
    for (const name of names) weight += nothing.values.length + name.length;
    const picture = shown.get(instruction) ?? shownInstruction(instruction);
    shown.set(instruction, picture);
    steps.push({ instruction: picture, start: start - prefix, end: last - prefix, lanes, exited, before, after });
  };
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
