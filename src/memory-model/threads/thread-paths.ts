// Enumerates the paths of one thread: the sequences of events that it executes, for each value that
// its reads may return.
import { at, get } from '../../base/invariants.ts';
import { atomicUpdate } from '../../cpu-ref/interpreter/memory/atomics.ts';
import { effectsOf } from '../../isa/index.ts';
import type { Instruction, Label, Operand, Statement } from '../../ptx/ast.ts';
import { litmusDiagnostics } from '../diagnostics.ts';
import type { Access, Event, Fence, MemorySpace, ProxyFence, Scope } from '../event.ts';
import type { LitmusTest } from '../litmus/litmus-test.ts';
import { maxEvents } from '../relation.ts';
import {
  addCopy,
  type CopyGroups,
  type CopyKind,
  commitGroup,
  noCopies,
  pendingAccesses,
  waitForGroups,
} from './copy-groups.ts';
import type { KnownWrites } from './known-writes.ts';
import { executeLane, type Registers, toBits, type Value } from './lane-step.ts';
import { fenceOrder, levels, scopeOf, spaces } from './modifiers.ts';
import { type Location, noValue, ThreadOperands } from './operands.ts';

export interface Path {
  readonly events: readonly Event[];
  /** Whether the last event is a barrier at which the thread waits forever. */
  readonly waits: boolean;
  readonly registers: ReadonlyMap<string, Value>;
}

/**
 * The maximum number of backward branches in a path. A path with more is omitted, so that a loop
 * that waits has finitely many paths.
 */
const maxRepetitions = 2;
const maxPaths = 20_000;
/** PTX counts the threads of whole warps at a barrier. */
const warpSize = 32;

interface State {
  readonly position: number;
  readonly registers: Registers;
  readonly events: readonly Event[];
  /** The reads that the branches so far depend on. */
  readonly control: number;
  readonly copies: CopyGroups;
  readonly repetitions: number;
}

/** An event before the path gives it a thread and a place in program order. */
type NewEvent = Event extends infer E ? (E extends Event ? Omit<E, 'thread' | 'after'> : never) : never;

/** Returns all paths of a thread whose reads return known writes. */
export function pathsOf(test: LitmusTest, thread: number, known: KnownWrites): readonly Path[] {
  const { code } = at(test.threads, thread, 'thread');
  const paths: Path[] = [];
  const start = { position: 0, registers: new Map(), events: [], control: 0, copies: noCopies, repetitions: 0 };
  const pending: State[] = [start];
  const walker = new Walker(test, thread, known);
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    if (state.repetitions > maxRepetitions) continue;
    const statement = code.body[state.position];
    const { events, registers } = state;
    const last = events.at(-1);
    const stops =
      last?.kind === 'barrier' && last.waits && state.position > 0 && isBarrier(code.body[state.position - 1]);
    if (stops) paths.push({ events, registers, waits: true });
    if (statement === undefined || isEnd(statement)) paths.push({ events, registers, waits: false });
    else pending.push(...walker.step(state, statement));
    if (paths.length > maxPaths)
      walker.operands.raise(litmusDiagnostics.tooLarge(test.span, 'paths of a thread', maxPaths));
    if (state.events.length > maxEvents)
      walker.operands.raise(litmusDiagnostics.tooLarge(test.span, 'events', maxEvents));
  }
  return paths;
}

const isBarrier = (statement: Statement | undefined): boolean =>
  statement?.kind === 'instruction' && effectsOf(statement.row, statement.mods).waits;

const isEnd = (statement: Statement): boolean =>
  statement.kind === 'instruction' &&
  statement.guard === undefined &&
  statement.row.kind === 'control' &&
  (statement.row.flow === 'return' || statement.row.flow === 'exit');

class Walker {
  readonly operands: ThreadOperands;
  readonly #number: number;
  readonly #known: KnownWrites;
  readonly #labels: ReadonlyMap<string, number>;

  constructor(test: LitmusTest, thread: number, known: KnownWrites) {
    this.operands = new ThreadOperands(test, thread);
    this.#number = thread;
    this.#known = known;
    const isLabel = (entry: [number, Statement]): entry is [number, Label] => entry[1].kind === 'label';
    const labels = [...this.operands.thread.code.body.entries()].filter(isLabel);
    this.#labels = new Map(labels.map(([index, { name }]) => [name, index]));
  }

  /** Returns the states after a statement. */
  step(state: State, statement: Statement): readonly State[] {
    const next = { ...state, position: state.position + 1 };
    if (statement.kind === 'label') return [next];
    if (statement.kind === 'unsupported') return this.operands.refuse(statement, `\`${statement.opcode}\``);
    if (statement.guard === undefined) return this.#execute(state, next, statement);
    const guard = state.registers.get(statement.guard.register.name) ?? noValue;
    const control = state.control | guard.dependencies;
    const isBranch = statement.row.kind === 'control';
    const executes = (guard.bits !== 0n) !== statement.guard.negated;
    const after = executes ? this.#execute({ ...state, control }, { ...next, control }, statement) : [next];
    return after.map((reached) => ({
      ...reached,
      registers: dependingOn(reached.registers, guard.dependencies, statement),
      control: isBranch ? control : state.control,
    }));
  }

  #execute(state: State, next: State, instruction: Instruction): readonly State[] {
    const { row, mods, operands } = instruction;
    switch (row.name) {
      case 'ld':
      case 'ld.volatile':
        return this.#load(state, next, instruction);
      case 'st':
      case 'st.volatile':
        return this.#store(state, next, instruction);
      case 'atom':
      case 'atom.cas':
      case 'red':
        return this.#update(state, next, instruction);
      case 'fence':
        return [this.#append(next, this.#fence(state, fenceOrder(mods.sem), mods.scope as Scope))];
      case 'membar':
        return [this.#append(next, this.#fence(state, 'sc', get(levels, mods.level ?? '', 'level')))];
      case 'fence.proxy':
        return [
          this.#append(next, proxyFence(state, mods.kind === 'alias' ? 'alias' : 'async', spaces.get(mods.memory))),
        ];
      case 'membar.proxy':
        return [this.#append(next, proxyFence(state, 'alias'))];
      case 'cp.async':
        return this.#copy(state, next, instruction, 'async');
      case 'cp.async.commit_group':
        return [{ ...next, copies: commitGroup(state.copies, 'async') }];
      case 'cp.async.wait_group':
        return [this.#wait(next, 'async', this.#count(state, instruction), false)];
      case 'cp.async.wait_all':
        return [this.#wait({ ...next, copies: commitGroup(state.copies, 'async') }, 'async', 0, false)];
      case 'cp.async.bulk.store':
        return this.#copy(state, next, instruction, 'bulk');
      case 'cp.async.bulk.commit_group':
        return [{ ...next, copies: commitGroup(state.copies, 'bulk') }];
      case 'cp.async.bulk.wait_group':
        return [this.#wait(next, 'bulk', this.#count(state, instruction), mods.read !== undefined)];
      case 'bar.sync':
      case 'barrier.sync':
        return [this.#append(next, this.#barrier(state, instruction, true))];
      case 'bar.arrive':
      case 'barrier.arrive':
        return [this.#append(next, this.#barrier(state, instruction, false))];
      case 'bra':
        return [this.#branch(state, operands.target, instruction)];
      case 'ret':
      case 'exit':
        return [{ ...next, position: this.operands.thread.code.body.length }];
      case 'nanosleep':
        return [next];
      default: {
        const registers: Registers = new Map(state.registers);
        const done = executeLane(instruction, (operand) => this.operands.value(state.registers, operand), registers);
        return done ? [{ ...next, registers }] : this.operands.refuse(instruction, `this form of \`${row.name}\``);
      }
    }
  }

  #load(state: State, next: State, instruction: Instruction): readonly State[] {
    const { mods } = instruction;
    const first = this.#element(state, instruction);
    return this.#elements(instruction, 'd').reduce<readonly State[]>(
      (states, element, index) => {
        const location = { ...first, address: first.address + index * first.bytes };
        return this.#known.valuesAt(location.address, location.bytes).flatMap((value) => {
          const read = this.#access('read', location, value, scopeOf(instruction), mods.sem === 'acquire');
          return states.map((each) => {
            const after = this.#append(each, read);
            return this.#assign(after, element, value, 1 << (after.events.length - 1), instruction);
          });
        });
      },
      [next],
    );
  }

  #store(state: State, next: State, instruction: Instruction): readonly State[] {
    const first = this.#element(state, instruction);
    const after = this.#elements(instruction, 'b').reduce((each, element, index) => {
      const value =
        (element && this.operands.value(state.registers, element)) ??
        this.operands.refuse(element ?? instruction, 'this operand');
      const dependencies = first.dependencies | value.dependencies;
      const location = { ...first, address: first.address + index * first.bytes, dependencies };
      const bits = BigInt.asUintN(8 * first.bytes, value.bits);
      const write = this.#access('write', location, bits, scopeOf(instruction), instruction.mods.sem === 'release');
      return this.#append(each, write);
    }, next);
    return [after];
  }

  /**
   * Returns the elements of a vector, or the only operand. PTX treats a vector access as accesses of
   * its elements in an unspecified order. The model has no order between elements with acquire or
   * release semantics, so it refuses these.
   */
  #elements(instruction: Instruction, name: 'd' | 'b'): readonly (Operand | undefined)[] {
    const operand = instruction.operands[name];
    if (operand?.kind !== 'vector') return [operand];
    const { sem } = instruction.mods;
    if (sem === 'acquire' || sem === 'release') return this.operands.refuse(instruction, `a vector with .${sem}`);
    return operand.elements;
  }

  #update(state: State, next: State, instruction: Instruction): readonly State[] {
    const { row, mods, operands } = instruction;
    const location = this.#element(state, instruction);
    const width = 8 * location.bytes;
    const b = this.operands.known(state.registers, instruction, 'b');
    const c = row.name === 'atom.cas' ? this.operands.known(state.registers, instruction, 'c') : b;
    const update = atomicUpdate(row.name === 'atom.cas' ? 'cas' : (mods.op ?? ''), mods.type ?? '');
    const { sem = 'relaxed' } = mods;
    const scope = (mods.scope ?? 'gpu') as Scope;
    return this.#known.valuesAt(location.address, location.bytes).map((old) => {
      const read = this.#access('read', location, old, scope, sem === 'acquire' || sem === 'acq_rel');
      const afterRead = this.#append(next, read);
      const readIndex = afterRead.events.length - 1;
      const loaded =
        operands.d === undefined ? afterRead : this.#assign(afterRead, operands.d, old, 1 << readIndex, instruction);
      // A failed compare-and-swap only reads.
      if (row.name === 'atom.cas' && old !== BigInt.asUintN(width, b.bits)) return loaded;
      const value = update(toBits(old, width), toBits(b.bits, width), toBits(c.bits, width), true);
      const dependencies = location.dependencies | b.dependencies | c.dependencies | (1 << readIndex);
      const release = sem === 'release' || sem === 'acq_rel';
      const write = this.#access('write', { ...location, dependencies }, BigInt(value), scope, release, readIndex);
      return this.#append(loaded, write);
    });
  }

  /** A copy reads and writes after all earlier operations of the thread, and before no later ones. */
  #copy(state: State, next: State, instruction: Instruction, kind: CopyKind): readonly State[] {
    const { operands } = this;
    if (instruction.operands.size !== undefined) return operands.refuse(instruction, 'a copy with a size');
    const bytes = this.#count(state, instruction);
    const from = operands.location(state.registers, instruction, 'a', bytes);
    const to = operands.location(state.registers, instruction, 'to', bytes);
    const proxy = kind === 'bulk' ? 'async' : 'generic';
    return this.#known.valuesAt(from.address, bytes).map((value) => {
      const read = state.events.length;
      const reading = this.#access('read', dependent(from, state.control), value, undefined, false);
      const depends = dependent(to, state.control | from.dependencies | (1 << read));
      const writing = this.#access('write', depends, value, undefined, false);
      const after = this.#append(this.#append(next, { ...reading, proxy }), { ...writing, proxy });
      return { ...after, copies: addCopy(state.copies, kind, read, read + 1) };
    });
  }

  /** Only bulk copies use another proxy, so only their wait contains a fence. */
  #wait(state: State, kind: CopyKind, count: number, onlyReads: boolean): State {
    const { rest, completes } = waitForGroups(state.copies, kind, count, onlyReads);
    const after = { ...state, copies: rest };
    if (kind === 'async' || completes === 0) return after;
    return this.#append(after, proxyFence(state, 'async', undefined, completes));
  }

  /** Returns the operand `n`. */
  #count(state: State, instruction: Instruction): number {
    return Number(this.operands.known(state.registers, instruction, 'n').bits);
  }

  #element(state: State, instruction: Instruction): Location {
    return dependent(this.operands.element(state.registers, instruction), state.control);
  }

  #access(
    kind: Access['kind'],
    location: Location,
    value: bigint,
    scope: Scope | undefined,
    synchronizes: boolean,
    readIndex?: number,
  ): Omit<Access, 'thread' | 'after'> {
    return { kind, ...location, value, scope, synchronizes, readIndex, proxy: 'generic' };
  }

  #fence(state: State, order: Fence['order'], scope: Scope): NewEvent {
    return { kind: 'fence', order, scope, dependencies: state.control };
  }

  #barrier(state: State, instruction: Instruction, waits: boolean): NewEvent {
    const id = this.operands.known(state.registers, instruction, 'a');
    const counted = instruction.operands.b !== undefined;
    const count = counted ? this.operands.known(state.registers, instruction, 'b') : undefined;
    return {
      kind: 'barrier',
      scope: 'cta',
      id: Number(id.bits),
      // Each thread of the test is the only one of its warp.
      count: count === undefined ? undefined : Number(count.bits) / warpSize,
      waits,
      dependencies: state.control | id.dependencies | (count?.dependencies ?? 0),
    };
  }

  /** Appends an event, which follows all events of the path except those of incomplete copies. */
  #append(state: State, event: NewEvent): State {
    const { events, copies } = state;
    const earlier = 2 ** events.length - 1;
    const after = earlier & ~pendingAccesses(copies);
    return { ...state, events: [...events, { ...event, thread: this.#number, after }] };
  }

  #assign(state: State, operand: Operand | undefined, value: bigint, read: number, instruction: Instruction): State {
    if (operand?.kind === 'sink') return state;
    if (operand?.kind !== 'register') return this.operands.refuse(operand ?? instruction, 'this destination');
    const registers = new Map(state.registers).set(operand.register.name, { bits: value, dependencies: read });
    return { ...state, registers };
  }

  #branch(state: State, target: Operand | undefined, instruction: Instruction): State {
    const position = target?.kind === 'label' ? this.#labels.get(target.target) : undefined;
    if (position === undefined) return this.operands.refuse(instruction, 'this branch');
    const back = position <= state.position;
    return { ...state, position, repetitions: state.repetitions + (back ? 1 : 0) };
  }
}

/** The registers after an instruction with a guard: its destinations depend on the guard. */
function dependingOn(registers: Registers, dependencies: number, { row, operands }: Instruction): Registers {
  const changed = new Map(registers);
  for (const name of row.writes) {
    const operand = operands[name];
    if (operand?.kind !== 'register') continue;
    const value = changed.get(operand.register.name) ?? noValue;
    changed.set(operand.register.name, { ...value, dependencies: value.dependencies | dependencies });
  }
  return changed;
}

const proxyFence = (state: State, of: ProxyFence['of'], space?: MemorySpace, completes?: number): NewEvent => ({
  kind: 'proxyFence',
  of,
  space,
  completes,
  scope: undefined,
  dependencies: state.control,
});

/** A location whose access also depends on other reads. */
const dependent = (location: Location, reads: number): Location => ({
  ...location,
  dependencies: location.dependencies | reads,
});
