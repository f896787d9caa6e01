// The state of a subgroup for the compiled program: registers of `size` lanes each, and lists of
// active lanes.

/** Lanes in ascending order. A list is never modified after its creation. */
export type Lanes = Int32Array;

export const noLanes: Lanes = new Int32Array(0);

/**
 * Yielded when a whole subgroup waits for the others of its workgroup. `address` is the argument of
 * workgroupUniformLoad.
 */
export interface Barrier {
  readonly line: number;
  readonly builtin: string;
  readonly address?: number;
}

export interface Looked {
  readonly reads: Set<number>;
  /** The atomics on each word, as a sum of `atomicKinds`. */
  readonly atomics: Map<number, number>;
}

export const atomicKinds = { load: 1, store: 2, change: 4 } as const;

export interface Machine {
  readonly size: number;
  /**
   * Register r of lane l is `registers[r * size + l]`: 32 raw bits of any type. A bool is 0 or 1.
   */
  readonly registers: Uint32Array;
  /** The words of each module-scope variable outside registers. */
  readonly memories: readonly Uint32Array[];
  /**
   * The words that this subgroup has stored since the last barrier of their address space, by
   * variable. The workgroup's other subgroups do not see these words.
   */
  readonly unseen: readonly Map<number, number>[];
  /**
   * The reads and atomics of this subgroup since the last barrier, for each workgroup variable in
   * which races are errors.
   */
  readonly looked: readonly (Looked | undefined)[];
  /** The lanes that left a construct by break or continue, with a list for each target. */
  readonly parked: Lanes[];
  /** The existing lanes: fewer than `size` in the last subgroup of some workgroups. */
  readonly all: Lanes;
  /** The number of statements that may still run, shared by the whole dispatch. */
  readonly budget: { steps: number };
  /** Whether to reject subgroup builtins that some existing lane does not reach. */
  readonly uniformSubgroups: boolean;
}

/** Work that may wait at a barrier. If it may, `flow` exists and must be used instead of `run`. */
export interface Step {
  readonly run: (m: Machine, lanes: Lanes) => void;
  readonly flow?: (m: Machine, lanes: Lanes) => Generator<Barrier, void>;
}

/** A statement. It returns the lanes that continue with the next statement. */
export interface Statement {
  readonly run: (m: Machine, lanes: Lanes) => Lanes;
  readonly flow?: (m: Machine, lanes: Lanes) => Generator<Barrier, Lanes>;
}

/**
 * Returns `words[index]`, which the caller knows to exist. It accepts one array type only, so V8
 * compiles it to a plain load.
 */
export function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

export function parkedAt(m: Machine, slot: number): Lanes {
  return m.parked[slot] ?? noLanes;
}

export function allLanes(count: number): Lanes {
  return Int32Array.from({ length: count }, (_, lane) => lane);
}

/** Returns the union of two disjoint sets. */
export function merge(a: Lanes, b: Lanes): Lanes {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const out = new Int32Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out.sort();
}

/** Returns the lanes whose register is nonzero, and the others. */
export function split(m: Machine, lanes: Lanes, register: number): [Lanes, Lanes] {
  const base = register * m.size;
  const set = new Int32Array(lanes.length);
  const clear = new Int32Array(lanes.length);
  let sets = 0;
  let clears = 0;
  for (const lane of lanes) {
    if (at(m.registers, base + lane) !== 0) set[sets++] = lane;
    else clear[clears++] = lane;
  }
  if (clears === 0) return [lanes, noLanes];
  if (sets === 0) return [noLanes, lanes];
  return [set.subarray(0, sets), clear.subarray(0, clears)];
}

/** Copies `count` consecutive registers in the given lanes. */
export function copyRegisters(m: Machine, lanes: Lanes, to: number, from: number, count: number): void {
  const { registers, size } = m;
  for (let i = 0; i < count; i++) {
    const target = (to + i) * size;
    const source = (from + i) * size;
    // The portable plan has one lane.
    if (size === 1) registers[target] = at(registers, source);
    else if (lanes.length === size) registers.copyWithin(target, source, source + size);
    else for (const lane of lanes) registers[target + lane] = at(registers, source + lane);
  }
}

/** Runs a flow that is known to reach no barrier. */
export function drive<T>(flow: Generator<Barrier, T>): T {
  const result = flow.next();
  if (result.done !== true) throw new Error(`unexpected ${result.value.builtin} at line ${result.value.line}`);
  return result.value;
}

/**
 * Runs the steps one after the other, then `apply`. The result waits at barriers if one of the
 * steps does.
 */
export function sequence(steps: readonly Step[], apply: (m: Machine, lanes: Lanes) => void): Step {
  const working = steps.filter((step) => step.run !== nothing.run);
  const run = runInTurn(
    working.map((step) => step.run),
    apply,
  );
  if (!working.some((step) => step.flow !== undefined)) return { run };
  return {
    run,
    *flow(m, lanes) {
      for (const step of working) {
        if (step.flow === undefined) step.run(m, lanes);
        else yield* step.flow(m, lanes);
      }
      apply(m, lanes);
    },
  };
}

/**
 * Returns a function that runs the steps in sequence. Most sequences have at most two steps and
 * need no loop.
 */
function runInTurn(runs: readonly Step['run'][], apply: Step['run']): Step['run'] {
  const [first, second] = runs;
  if (first === undefined) return apply;
  if (second === undefined) {
    return (m, lanes) => {
      first(m, lanes);
      apply(m, lanes);
    };
  }
  if (runs.length === 2) {
    return (m, lanes) => {
      first(m, lanes);
      second(m, lanes);
      apply(m, lanes);
    };
  }
  return (m, lanes) => {
    for (const run of runs) run(m, lanes);
    apply(m, lanes);
  };
}

/** Returns the step alone, without further members. */
export function stepOf({ run, flow }: Step): Step {
  return flow === undefined ? { run } : { run, flow };
}

export const nothing: Step = { run: () => undefined };

/** Returns a statement after which all lanes continue. */
export function straight(step: Step): Statement {
  const { run, flow } = step;
  const statement = (m: Machine, lanes: Lanes): Lanes => {
    run(m, lanes);
    return lanes;
  };
  if (flow === undefined) return { run: statement };
  return {
    run: statement,
    *flow(m, lanes) {
      yield* flow(m, lanes);
      return lanes;
    },
  };
}
