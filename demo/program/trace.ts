// The reference's run of a program, one warp watched step by step.
import { type InterpretResult, LaunchError } from '../../src/cpu-ref/executor.ts';
import { interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import type { StepEvent } from '../../src/cpu-ref/interpreter/step-event.ts';
import type { Instruction } from '../../src/ptx/index.ts';
import type { Program } from './program.ts';

/// A register's bits in the 32 lanes, and the mask of lanes where PTX leaves it undefined.
export interface LaneValues {
  readonly values: readonly bigint[];
  readonly undefinedLanes: number;
}

export interface TraceStep {
  readonly instruction: Instruction;
  /// Where it stands in the editor's text.
  readonly start: number;
  readonly end: number;
  /// Masks of the lanes that executed it, and of those that had exited.
  readonly lanes: number;
  readonly exited: number;
  /// Registers it names, before and after it.
  readonly before: ReadonlyMap<string, LaneValues>;
  readonly after: ReadonlyMap<string, LaneValues>;
}

export interface Trace {
  readonly steps: readonly TraceStep[];
  /// Whether there were more steps than are kept.
  readonly cut: boolean;
  readonly result: InterpretResult | undefined;
  /// Why there is no result.
  readonly error: string | undefined;
}

const mostSteps = 1000;
/// Instructions executed at most: the page must not stand still.
export const mostExecuted = 50_000;

const nothing: LaneValues = { values: Array.from({ length: 32 }, () => 0n), undefinedLanes: 0xffffffff };

/// Runs the program's launch on the reference interpreter, watching `warp` of the first block.
export function traceProgram(program: Program, warp: number): Trace {
  const steps: TraceStep[] = [];
  const known = new Map<string, LaneValues>();
  let cut = false;
  const observe = (event: StepEvent): void => {
    if (event.warp !== warp || event.block.some((axis) => axis !== 0)) return;
    if (steps.length >= mostSteps) {
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
    const { start, end } = instruction.span;
    // What the page itself put around the text.
    if (end <= start || start < program.prefix) return;
    const after = new Map(names.map((name) => [name, known.get(name) ?? nothing]));
    const { prefix } = program;
    steps.push({ instruction, start: start - prefix, end: end - prefix, lanes, exited, before, after });
  };
  try {
    const result = interpret(program.kernel, program.launch, { observe, sanitize: true, maxSteps: mostExecuted });
    return { steps, cut, result, error: undefined };
  } catch (error) {
    if (error instanceof LaunchError || error instanceof RangeError) {
      return { steps, cut, result: undefined, error: error.message };
    }
    throw error;
  }
}

/// Names of the registers that the instruction reads or writes.
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
