// Enumerates the paths of one thread: the sequences of events that it executes, for each value that
// its reads may return.
import { at, get } from '../../base/invariants.ts';
import { atomicUpdate } from '../../cpu-ref/interpreter/memory/atomics.ts';
import { bitWidth } from '../../cpu-ref/interpreter/memory/layout.ts';
import { effectsOf } from '../../isa/index.ts';
import { typeNamed } from '../../isa/match.ts';
import type { Instruction, Label, Operand, Statement } from '../../ptx/ast.ts';
import { litmusDiagnostics } from '../diagnostics.ts';
import type { Access, Barrier, Event, Fence, Scope } from '../event.ts';
import type { LitmusTest, TestThread } from '../litmus/litmus-test.ts';
import { type Raise, raiseIn } from '../litmus/raise.ts';
import { maxEvents } from '../relation.ts';
import type { KnownWrites } from './known-writes.ts';
import { executeLane, type Registers, toBits, type Value } from './lane-step.ts';

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
  readonly repetitions: number;
}

/** Returns all paths of a thread whose reads return known writes. */
export function pathsOf(test: LitmusTest, thread: number, known: KnownWrites): readonly Path[] {
  const { code } = at(test.threads, thread, 'thread');
  const paths: Path[] = [];
  const pending: State[] = [{ position: 0, registers: new Map(), events: [], control: 0, repetitions: 0 }];
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
    if (paths.length > maxPaths) walker.raise(litmusDiagnostics.tooLarge(test.span, 'paths of a thread', maxPaths));
    if (state.events.length > maxEvents) walker.raise(litmusDiagnostics.tooLarge(test.span, 'events', maxEvents));
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

const levels: ReadonlyMap<string, Scope> = new Map([
  ['cta', 'cta'],
  ['gl', 'gpu'],
  ['sys', 'sys'],
]);

class Walker {
  readonly test: LitmusTest;
  readonly thread: number;
  readonly known: KnownWrites;
  readonly raise: Raise;
  readonly #thread: TestThread;
  readonly #labels: ReadonlyMap<string, number>;

  constructor(test: LitmusTest, thread: number, known: KnownWrites) {
    this.test = test;
    this.thread = thread;
    this.known = known;
    this.raise = raiseIn(test.source);
    this.#thread = at(test.threads, thread, 'thread');
    const isLabel = (entry: [number, Statement]): entry is [number, Label] => entry[1].kind === 'label';
    const labels = [...this.#thread.code.body.entries()].filter(isLabel);
    this.#labels = new Map(labels.map(([index, { name }]) => [name, index]));
  }

  /** Returns the states after a statement. */
  step(state: State, statement: Statement): readonly State[] {
    const next = { ...state, position: state.position + 1 };
    if (statement.kind === 'label') return [next];
    if (statement.kind === 'unsupported') return this.#refuse(statement, `\`${statement.opcode}\``);
    if (statement.guard === undefined) return this.#execute(state, next, statement);
    const guard = this.#register(state, statement.guard.register.name);
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
        return [{ ...next, position: this.#thread.code.body.length }];
      case 'nanosleep':
        return [next];
      default: {
        const registers: Registers = new Map(state.registers);
        const done = executeLane(instruction, (operand) => this.#value(state, operand), registers);
        return done ? [{ ...next, registers }] : this.#refuse(instruction, `this form of \`${row.name}\``);
      }
    }
  }

  #refuse({ span }: { readonly span: Statement['span'] }, what: string): never {
    return this.raise(litmusDiagnostics.unsupported(this.test.place(span), what));
  }

  #register(state: State, name: string): Value {
    return state.registers.get(name) ?? noValue;
  }

  /** Returns the value of an operand; undefined for operands that litmus tests do not support. */
  #value(state: State, operand: Operand): Value | undefined {
    switch (operand.kind) {
      case 'register': {
        const value = this.#register(state, operand.register.name);
        return operand.negated ? { ...value, bits: 1n - value.bits } : value;
      }
      case 'immediate':
        return { bits: operand.bits, dependencies: 0 };
      case 'symbol':
        return { bits: BigInt(this.#addressOf(operand.variable.name) + operand.offset), dependencies: 0 };
      default:
        return undefined;
    }
  }

  #known(state: State, instruction: Instruction, name: string): Value {
    const operand = instruction.operands[name];
    const value = operand && this.#value(state, operand);
    return value ?? this.#refuse(operand ?? instruction, 'this operand');
  }

  #addressOf(name: string): number {
    const { block } = this.#thread.placement;
    const found = this.test.variables.find(
      (candidate) => candidate.variable.name === name && (candidate.block === undefined || candidate.block === block),
    );
    if (found === undefined) throw new RangeError(`variable ${name} has no address`);
    return found.address;
  }

  /** Returns the location of an access, and the reads that its address depends on. */
  #location(state: State, instruction: Instruction): Pick<Access, 'address' | 'bytes' | 'dependencies'> {
    const { operands, mods, span } = instruction;
    const operand = operands.a;
    const type = typeNamed(mods.type ?? '');
    if (type === undefined || operand?.kind !== 'address' || operand.base === null) {
      return this.#refuse(instruction, 'this form of address');
    }
    const bytes = bitWidth(type) / 8;
    const count = mods.vec === undefined ? 1 : Number(mods.vec.slice(1));
    const base =
      'space' in operand.base
        ? { bits: BigInt(this.#addressOf(operand.base.name)), dependencies: 0 }
        : this.#register(state, operand.base.name);
    const address = Number(base.bits) + operand.offset;
    const inside = this.test.variables.some(
      ({ address: start, variable }) => start <= address && address + count * bytes <= start + variable.bytes,
    );
    if (!inside) this.raise(litmusDiagnostics.badAddress(this.test.place(span)));
    return { address, bytes, dependencies: base.dependencies | state.control };
  }

  #load(state: State, next: State, instruction: Instruction): readonly State[] {
    const { mods } = instruction;
    const first = this.#location(state, instruction);
    return this.#elements(instruction, 'd').reduce<readonly State[]>(
      (states, element, index) => {
        const location = { ...first, address: first.address + index * first.bytes };
        return this.known.valuesAt(location.address, location.bytes).flatMap((value) => {
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
    const first = this.#location(state, instruction);
    const after = this.#elements(instruction, 'b').reduce((each, element, index) => {
      const value = (element && this.#value(state, element)) ?? this.#refuse(element ?? instruction, 'this operand');
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
    if (sem === 'acquire' || sem === 'release') return this.#refuse(instruction, `a vector with .${sem}`);
    return operand.elements;
  }

  #update(state: State, next: State, instruction: Instruction): readonly State[] {
    const { row, mods, operands } = instruction;
    const location = this.#location(state, instruction);
    const width = 8 * location.bytes;
    const b = this.#known(state, instruction, 'b');
    const c = row.name === 'atom.cas' ? this.#known(state, instruction, 'c') : b;
    const update = atomicUpdate(row.name === 'atom.cas' ? 'cas' : (mods.op ?? ''), mods.type ?? '');
    const { sem = 'relaxed' } = mods;
    const scope = (mods.scope ?? 'gpu') as Scope;
    return this.known.valuesAt(location.address, location.bytes).map((old) => {
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

  #access(
    kind: Access['kind'],
    location: Pick<Access, 'address' | 'bytes' | 'dependencies'>,
    value: bigint,
    scope: Scope | undefined,
    synchronizes: boolean,
    readIndex?: number,
  ): Access {
    return { kind, thread: this.thread, ...location, value, scope, synchronizes, readIndex };
  }

  #fence(state: State, order: Fence['order'], scope: Scope): Fence {
    return { kind: 'fence', thread: this.thread, order, scope, dependencies: state.control };
  }

  #barrier(state: State, instruction: Instruction, waits: boolean): Barrier {
    const id = this.#known(state, instruction, 'a');
    const count = instruction.operands.b === undefined ? undefined : this.#known(state, instruction, 'b');
    return {
      kind: 'barrier',
      thread: this.thread,
      scope: 'cta',
      id: Number(id.bits),
      // Each thread of the test is the only one of its warp.
      count: count === undefined ? undefined : Number(count.bits) / warpSize,
      waits,
      dependencies: state.control | id.dependencies | (count?.dependencies ?? 0),
    };
  }

  #append(state: State, event: Event): State {
    return { ...state, events: [...state.events, event] };
  }

  #assign(state: State, operand: Operand | undefined, value: bigint, read: number, instruction: Instruction): State {
    if (operand?.kind === 'sink') return state;
    if (operand?.kind !== 'register') return this.#refuse(operand ?? instruction, 'this destination');
    const registers = new Map(state.registers).set(operand.register.name, { bits: value, dependencies: read });
    return { ...state, registers };
  }

  #branch(state: State, target: Operand | undefined, instruction: Instruction): State {
    const position = target?.kind === 'label' ? this.#labels.get(target.target) : undefined;
    if (position === undefined) return this.#refuse(instruction, 'this branch');
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

/** The value of a register that the thread has not written. */
const noValue: Value = { bits: 0n, dependencies: 0 };

function fenceOrder(sem: string | undefined): Fence['order'] {
  return sem === 'sc' || sem === 'acquire' || sem === 'release' ? sem : 'acq_rel';
}

/** The scope of a load or store; undefined if it is weak. Volatile accesses have system scope. */
function scopeOf({ mods }: Instruction): Scope | undefined {
  if (mods.sem === undefined || mods.sem === 'weak') return undefined;
  return mods.sem === 'volatile' ? 'sys' : ((mods.scope ?? 'gpu') as Scope);
}
