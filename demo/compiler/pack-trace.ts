// Packs a trace for the transfer to the page: rows become numbers, each instruction is sent once,
// and the values of all steps are one array. To clone an object for each step would block the page.
import { isaRows } from '../../src/isa/index.ts';
import type { LaneValues, ShownInstruction, Trace, TraceStep } from '../program/trace.ts';

interface PackedInstruction extends Omit<ShownInstruction, 'row'> {
  readonly row: number;
  readonly start: number;
  readonly end: number;
  readonly function: number;
  /** The registers that the instruction names. */
  readonly names: readonly string[];
}

export interface PackedTrace extends Omit<Trace, 'steps' | 'findings'> {
  readonly instructions: readonly PackedInstruction[];
  /** The steps, with `stepWords` numbers for each. */
  readonly steps: Int32Array;
  /**
   * For each register of each step, the number of its set of values before the step, and that after
   * the step. The set with number n has 32 values in `values` from index 32 n on, and the mask
   * `undefinedLanes[n]`.
   */
  readonly places: Int32Array;
  /** The values of all sets, with 32 values for each set. */
  readonly values: BigUint64Array;
  readonly undefinedLanes: Uint32Array;
  /** The sets of values with more than 64 bits, by number. */
  readonly wide: ReadonlyMap<number, readonly bigint[]>;
}

const stepWords = 8;
const rows: readonly ShownInstruction['row'][] = isaRows;

export function packTrace({ steps, cut, error }: Trace): PackedTrace {
  const numbers = new Map<string, number>();
  const instructions: PackedInstruction[] = [];
  const known = new Map<LaneValues, number>();
  const places: number[] = [];
  const words = new Int32Array(steps.length * stepWords);
  const numberOf = (values: LaneValues): number => {
    const number = known.get(values) ?? known.size; // If the values are new, use the next number.
    known.set(values, number);
    return number;
  };
  for (const [index, step] of steps.entries()) {
    const { instruction, start, end, lanes, exited, waiting, depth, before, after } = step;
    const names = [...after.keys()];
    const key = `${start} ${step.function}`;
    const number = numbers.get(key) ?? instructions.length; // If the instruction is new, use the next number.
    if (number === instructions.length) {
      numbers.set(key, number);
      const { row, mods, operands } = instruction;
      instructions.push({ row: rows.indexOf(row), mods, operands, start, end, function: step.function, names });
    }
    const { sync, converge, barrier } = waiting;
    words.set([number, lanes, exited, sync, converge, barrier, depth, places.length], index * stepWords);
    for (const name of names) {
      const [old, now] = [before.get(name), after.get(name)];
      if (old && now) places.push(numberOf(old), numberOf(now));
    }
  }
  const values = new BigUint64Array(known.size * 32);
  const undefinedLanes = new Uint32Array(known.size);
  const wide = new Map<number, readonly bigint[]>();
  for (const [held, number] of known) {
    undefinedLanes[number] = held.undefinedLanes;
    if (held.values.some((bits) => bits >> 64n !== 0n)) wide.set(number, held.values);
    else values.set(held.values, number * 32);
  }
  return { instructions, steps: words, places: Int32Array.from(places), values, undefinedLanes, wide, cut, error };
}

/** A register of the current function. */
export interface ShownRegister extends LaneValues {
  readonly name: string;
  readonly changed: boolean;
}

/** A trace on the page. It unpacks one step at a time. */
export class ShownTrace {
  readonly length: number;
  readonly cut: boolean;
  readonly error: string | undefined;
  readonly #packed: PackedTrace;
  readonly #instructions: readonly ShownInstruction[];

  constructor(packed: PackedTrace) {
    this.#packed = packed;
    this.length = packed.steps.length / stepWords;
    this.cut = packed.cut;
    this.error = packed.error;
    this.#instructions = packed.instructions.map(({ row: number, mods, operands }) => {
      const row = rows[number];
      if (!row) throw new Error(`row ${number} does not exist`);
      return { row, mods, operands };
    });
  }

  #word(step: number, word: number): number {
    // The entry always exists, because callers check the step.
    return this.#packed.steps[step * stepWords + word] ?? 0;
  }

  #values(number: number): LaneValues {
    const { values, undefinedLanes, wide } = this.#packed;
    const own = wide.get(number) ?? [...values.subarray(number * 32, number * 32 + 32)];
    // The entry always exists, because each number has a mask.
    return { values: own, undefinedLanes: undefinedLanes[number] ?? 0 };
  }

  at(step: number): TraceStep | undefined {
    if (step < 0 || step >= this.length) return undefined;
    const number = this.#word(step, 0);
    const [packed, instruction] = [this.#packed.instructions[number], this.#instructions[number]];
    if (!packed || !instruction) throw new Error(`instruction ${number} does not exist`);
    const { start, end, names } = packed;
    const [lanes = 0, exited = 0, sync = 0, converge = 0, barrier = 0] = [1, 2, 3, 4, 5].map(
      (word) => this.#word(step, word) >>> 0,
    );
    const from = this.#word(step, 7);
    const pick = (offset: number) =>
      new Map(names.map((name, index) => [name, this.#values(this.#packed.places[from + 2 * index + offset] ?? 0)]));
    return {
      instruction,
      start,
      end,
      lanes,
      exited,
      waiting: { sync, converge, barrier },
      depth: this.#word(step, 6),
      function: packed.function,
      before: pick(0),
      after: pick(1),
    };
  }

  /** Returns the offset of a step's instruction in the text, or -1 if there is no such step. */
  startOf(step: number): number {
    return this.#packed.instructions[this.#word(step, 0)]?.start ?? -1;
  }

  depthOf(step: number): number {
    return this.#word(step, 6);
  }

  /** Returns the declared types of the registers of a step's function. */
  typesAt(step: number): ReadonlyMap<string, string> {
    const { instructions } = this.#packed;
    const current = instructions[this.#word(step, 0)]?.function;
    const types = new Map<string, string>();
    for (const instruction of instructions) {
      if (instruction.function !== current) continue;
      for (const operand of Object.values(instruction.operands)) {
        const elements = operand.kind === 'vector' ? operand.elements : [operand];
        for (const item of elements) if (item.kind === 'register') types.set(item.register.name, item.register.type);
      }
    }
    return types;
  }

  /** Returns the registers of a step's function after the step, in the order of their first use. */
  registersAt(step: number): ShownRegister[] {
    const { instructions, places } = this.#packed;
    const depth = this.depthOf(step);
    const current = instructions[this.#word(step, 0)]?.function;
    const found = new Map<string, ShownRegister>();
    for (let at = step; at >= 0; at--) {
      const instruction = instructions[this.#word(at, 0)];
      if (instruction?.function !== current || this.depthOf(at) !== depth) continue;
      for (const [index, name] of (instruction?.names ?? []).entries()) {
        if (found.has(name)) continue;
        const from = this.#word(at, 7) + 2 * index;
        const [old = 0, now = 0] = [places[from], places[from + 1]];
        found.set(name, { name, changed: at === step && old !== now, ...this.#values(now) });
      }
    }
    const order = instructions.flatMap((instruction) => (instruction.function === current ? instruction.names : []));
    return [...new Set(order)].flatMap((name) => found.get(name) ?? []);
  }
}
