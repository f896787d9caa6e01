// The reference's run of a program, one warp watched step by step.
import { type Finding, LaunchError } from '../../src/cpu-ref/executor.ts';
import { interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import type { StepEvent } from '../../src/cpu-ref/interpreter/state/step-event.ts';
import type { IsaRow, Mods } from '../../src/isa/index.ts';
import type { Instruction, Operand } from '../../src/ptx/index.ts';
import { maxExecuted, maxSteps, maxTraceMs, maxTraceWeight } from './limits.ts';
import type { LoadedProgram } from './program.ts';

/** A register's bits in the 32 lanes, and the mask of lanes where PTX leaves it undefined. */
export interface LaneValues {
  readonly values: readonly bigint[];
  readonly undefinedLanes: number;
}

/** Operands that have a value in each lane. The others lead to the rest of the module, which the page does without. */
export type ShownOperand = Extract<Operand, { kind: 'register' | 'immediate' | 'vector' }>;

/** What the page shows of an instruction. */
export interface ShownInstruction {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly operands: Readonly<Record<string, ShownOperand>>;
}

export interface TraceStep {
  readonly instruction: ShownInstruction;
  /** Where it stands in the editor's text. */
  readonly start: number;
  readonly end: number;
  /** Masks of the lanes that executed it, and of those that had exited. */
  readonly lanes: number;
  readonly exited: number;
  /** Registers it names, before and after it. */
  readonly before: ReadonlyMap<string, LaneValues>;
  readonly after: ReadonlyMap<string, LaneValues>;
}

export interface Trace {
  readonly steps: readonly TraceStep[];
  /** Whether there were more steps than are kept. */
  readonly cut: boolean;
  readonly findings: readonly Finding[];
  /** Why the run did not come to its end. */
  readonly error: string | undefined;
}

/** Ends a run that takes too long. */
class OutOfTime extends Error {}

const nothing: LaneValues = { values: Array.from({ length: 32 }, () => 0n), undefinedLanes: 0xffffffff };

/** Between two looks at the clock. */
const stepsPerLook = 64;

/** Runs the program's launch on the reference interpreter, watching `warp` (or the last one) of the first block. What ran when `maxMs` are over is kept. */
export function traceProgram(program: LoadedProgram, warp: number, maxMs: number = maxTraceMs): Trace {
  const steps: TraceStep[] = [];
  const known = new Map<string, LaneValues>();
  const shown = new Map<Instruction, ShownInstruction>();
  const { prefix } = program;
  const [threads] = program.launch.block;
  const watched = Math.min(warp, Math.ceil(threads / 32) - 1);
  const end = performance.now() + maxMs;
  let weight = 0;
  let executed = 0;
  let cut = false;
  const observe = (event: StepEvent): void => {
    if (executed++ % stepsPerLook === 0 && performance.now() > end) throw new OutOfTime();
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
    // What the page itself put around the text.
    if (last <= start || start < prefix) return;
    const after = new Map(names.map((name) => [name, known.get(name) ?? nothing]));
    for (const name of names) weight += nothing.values.length + name.length;
    const picture = shown.get(instruction) ?? shownInstruction(instruction);
    shown.set(instruction, picture);
    steps.push({ instruction: picture, start: start - prefix, end: last - prefix, lanes, exited, before, after });
  };
  try {
    const { findings } = interpret(program.kernel, program.launch, { observe, sanitize: true, maxSteps: maxExecuted });
    return { steps, cut, findings, error: undefined };
  } catch (error) {
    if (error instanceof OutOfTime) {
      return { steps, cut: true, findings: [], error: `The reference was ended after ${maxMs / 1000} s.` };
    }
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

/** Names of the registers that the instruction reads or writes. */
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
