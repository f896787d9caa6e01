// Tracks the values of registers while blocks are built in the order of the dominator tree, and
// reads and writes operands.
import { at, InternalError } from '../../base/invariants.ts';
import type { Operand, Register, Variable } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { Builder } from '../ir/builder.ts';
import { constant, type Inst, undef, type Value } from '../ir/nodes.ts';
import { integerOf, type Type, widthOf } from '../ir/types.ts';
import type { CallGraph } from './call-graph.ts';
import { localsOf, stackVariable } from './call-stack.ts';
import type { Expansion } from './expand-calls.ts';
import type { Frame } from './frames.ts';
import { carryRegister, frameRegister } from './function-body.ts';
import { type LaunchShape, namesGridBarrier, specialAddress } from './launch-shape.ts';
import type { ParamCells } from './param-cells.ts';
import { buildSpecial } from './specials.ts';
import { typeOf } from './types.ts';

type VectorElement = Extract<Operand, { kind: 'vector' }>['elements'][number];

/**
 * The minimum cost at which an operation executes only if its guard is true. Cheaper operations
 * always execute, and the guard selects the result.
 */
const minGuardedCost = 8;

export class Registers {
  readonly b: Builder;
  readonly graph: CallGraph;
  readonly launch: LaunchShape;
  /** The frame to which the registers of operands belong. */
  frame: Frame;
  /**
   * The guard of the current instruction. The instruction changes nothing in a lane in which the
   * guard is false.
   */
  guard: Value | undefined;
  private readonly expansion: Expansion;
  private readonly held: (Value | undefined)[];
  /**
   * The registers that were set and their previous values, which are restored at the end of a
   * subtree.
   */
  private readonly changed: number[] = [];
  private readonly before: (Value | undefined)[] = [];
  /** The position in the builder's list at which the current instruction begins. */
  private firstInst = 0;

  constructor(b: Builder, graph: CallGraph, launch: LaunchShape, expansion: Expansion, frame: Frame) {
    this.b = b;
    this.graph = graph;
    this.launch = launch;
    this.expansion = expansion;
    this.frame = frame;
    this.held = new Array<Value | undefined>(expansion.types.length);
  }

  /** Returns a mark of the current state, which `restore` accepts. */
  mark(): number {
    return this.changed.length;
  }

  restore(mark: number): void {
    for (let last = this.changed.length - 1; last >= mark; last--) {
      this.held[at(this.changed, last, 'a register that was set')] = this.before[last];
    }
    this.changed.length = mark;
    this.before.length = mark;
  }

  /** Returns the value of a register, by its number among all frames' registers. */
  valueOf(register: number): Value {
    const held = this.held[register];
    if (held !== undefined) return held;
    const type = this.typeOfRegister(register);
    return this.expansion.carries.has(register) ? constant(type, 0n) : undef(type);
  }

  set(register: number, value: Value): void {
    this.changed.push(register);
    this.before.push(this.held[register]);
    this.held[register] = value;
  }

  typeOfRegister(register: number): Type {
    const type = this.expansion.types[register];
    if (type === undefined) throw new InternalError(`no register ${register}`);
    return type;
  }

  hintOf(register: number): string | undefined {
    return this.expansion.hints[register];
  }

  private numberOf(register: Register): number {
    return this.frame.base + this.frame.body.numberOf(register);
  }

  // Guards.

  /** Begins an instruction with a guard. */
  begin(guard: Value | undefined): void {
    this.guard = guard;
    this.firstInst = this.b.list.length;
  }

  /**
   * Ends the instruction: adds the guard as a condition to its operations that are costly or have
   * effects.
   */
  end(): void {
    const { guard } = this;
    if (guard === undefined) return;
    const { list } = this.b;
    for (let index = this.firstInst; index < list.length; index++) {
      const inst = list[index];
      if (inst && isGuarded(inst) && inst.when === undefined) {
        inst.when = guard;
        inst.otherwise = inst.results.map(({ type }) => undef(type));
      }
    }
    this.guard = undefined;
  }

  /** Returns the new value if the guard is true, otherwise the old one. */
  private guarded(value: Value, old: Value): Value {
    const { guard } = this;
    if (guard === undefined || old.kind === 'undef') return value;
    if (value.kind === 'result' && isGuarded(value.inst)) {
      const { inst, index } = value;
      // If the instruction names a destination register twice, the second old value is its own
      // result, which cannot be its `otherwise`.
      if (this.isOwn(inst) && !(old.kind === 'result' && this.isOwn(old.inst))) {
        const otherwise = inst.when === undefined ? inst.results.map(({ type }) => undef(type)) : [...inst.otherwise];
        if (otherwise[index]?.kind === 'undef') {
          otherwise[index] = old;
          inst.when = guard;
          inst.otherwise = otherwise;
          return value;
        }
      }
    }
    return this.b.select(guard, value, old);
  }

  /** Whether an operation belongs to the current instruction. */
  private isOwn(inst: Inst): boolean {
    return this.b.list.indexOf(inst, this.firstInst) !== -1;
  }

  // Reading.

  /** Reads a source operand as a value of a type. A wider register is truncated. */
  read(operand: Operand | VectorElement, type: Type): Value {
    switch (operand.kind) {
      case 'register': {
        const value = this.valueOf(this.numberOf(operand.register));
        if (operand.negated) return this.b.not(value);
        return this.convert(value, type, false);
      }
      case 'immediate':
        return constant(type, operand.bits);
      case 'special':
        return this.convert(this.special(operand.name, typeOf(operand.type)), type, false);
      case 'symbol':
        return this.convert(this.symbol(operand.variable, operand.offset), type, false);
      case 'vector':
        return this.convert(this.pack(operand.elements, widthOf(type)), type, false);
      default:
        return refuse(compileDiagnostics.notSupported(`an operand of kind ${operand.kind}`), operand.span);
    }
  }

  readRegister(register: Register): Value {
    return this.valueOf(this.numberOf(register));
  }

  /** Returns the value of a register of the frame, by its number. */
  readOwn(register: number): Value {
    return this.valueOf(this.frame.base + register);
  }

  writeOwn(register: number, value: Value): void {
    this.assign(this.frame.base + register, value, false);
  }

  readCarry(): Value {
    return this.valueOf(this.frame.base + carryRegister);
  }

  private special(name: string, type: Type): Value {
    const address = specialAddress(name);
    if (address !== undefined) {
      const { variable, offset } = address;
      if (this.launch.cluster === undefined) this.graph.found.variables.add(variable);
      return this.convert(this.symbol(variable, offset), type, false);
    }
    if (namesGridBarrier(name, this.launch)) this.graph.found.gridBarrier ??= this.b.span;
    return buildSpecial(this.b, name, type, this.launch);
  }

  /** Builds the address of a variable in its own state space. */
  symbol(variable: Variable, offset: number): Value {
    const shared = this.launch.cluster?.symbol(this.b, variable, offset);
    if (shared !== undefined) return shared;
    const place = this.cellsOf(variable)?.memory ?? this.graph.copies.get(variable) ?? variable;
    const { body } = this.frame;
    const inFrame = this.graph.recursive.has(body) ? localsOf(this.graph, body).offsets.get(place) : undefined;
    if (inFrame !== undefined) {
      return this.stackAddress(this.b.iadd(this.readOwn(frameRegister), this.b.i32(inFrame + offset)));
    }
    return this.b.value('symbol', { variable: place, offset }, [], { hint: variable.name });
  }

  /** Builds the address of a position in the stack, in local memory. */
  stackAddress(place: Value): Value {
    this.graph.found.variables.add(stackVariable);
    const start = this.b.value('symbol', { variable: stackVariable, offset: 0 }, [], { hint: stackVariable.name });
    return this.b.iadd(start, this.b.resize(place, 'i64'));
  }

  /** Packs the elements into one value. The first element is in the low bits. */
  private pack(elements: readonly VectorElement[], width: number): Value {
    const type = integerOf(width / elements.length);
    let parts = elements.map((element) => this.read(element, type));
    while (parts.length > 1) {
      const joined: Value[] = [];
      for (let index = 0; index < parts.length; index += 2) {
        const [low, high] = [parts[index], parts[index + 1]];
        if (low && high) joined.push(this.b.join(low, high));
      }
      parts = joined;
    }
    const [whole] = parts;
    if (whole === undefined) throw new InternalError('a vector must have elements');
    return whole;
  }

  /** Returns the same bits, truncated or extended to a type. */
  convert(value: Value, type: Type, signed: boolean): Value {
    if (value.type === type) return value;
    return this.b.bitcast(this.b.resize(value, integerOf(widthOf(type)), signed), type);
  }

  // Writing.

  /** Writes a destination. The value is extended to a wider register. */
  write(operand: Operand | VectorElement | undefined, value: Value, signed: boolean): void {
    if (operand?.kind === 'register') this.writeRegister(operand.register, value, signed);
    else if (operand?.kind === 'vector') this.unpack(operand.elements, value);
  }

  writeRegister(register: Register, value: Value, signed: boolean): void {
    this.assign(this.numberOf(register), value, signed);
  }

  writeCarry(value: Value): void {
    this.assign(this.frame.base + carryRegister, value, false);
  }

  private assign(register: number, value: Value, signed: boolean): void {
    const converted = this.convert(value, this.typeOfRegister(register), signed);
    const kept = this.guard === undefined ? converted : this.guarded(converted, this.valueOf(register));
    // The last operation of an instruction is named after the destination register.
    if (kept.kind === 'result' && kept.hint === undefined) kept.hint = this.hintOf(register);
    this.set(register, kept);
  }

  private unpack(elements: readonly VectorElement[], value: Value): void {
    let parts: readonly Value[] = [this.convert(value, integerOf(widthOf(value.type)), false)];
    while (parts.length < elements.length) parts = parts.flatMap((part) => this.b.split(part));
    elements.forEach((element, index) => {
      const part = parts[index];
      if (part) this.write(element, part, false);
    });
  }

  /** Returns the cells of a `.param` variable of a call; undefined for a variable without cells. */
  cellsOf(variable: Variable): ParamCells | undefined {
    return variable.space === 'param' ? this.graph.params.get(this.frame.body)?.get(variable) : undefined;
  }

  /** Builds the value at a place of a variable that is in cells. */
  readCell(cells: ParamCells, offset: number, bytes: number): Value {
    const index = cells.indexOf(offset, bytes);
    const local = index === undefined ? undefined : cells.registers[index];
    if (local !== undefined) return this.valueOf(this.frame.base + local);
    if (bytes === 1) return undef('i8');
    const [low, high] = [this.readCell(cells, offset, bytes / 2), this.readCell(cells, offset + bytes / 2, bytes / 2)];
    const half = integerOf(4 * bytes);
    return this.b.join(this.convert(low, half, false), this.convert(high, half, false));
  }

  writeCell(cells: ParamCells, offset: number, bytes: number, value: Value): void {
    const index = cells.indexOf(offset, bytes);
    const local = index === undefined ? undefined : cells.registers[index];
    if (local !== undefined) return this.assign(this.frame.base + local, value, false);
    if (bytes === 1) return;
    const [low, high] = this.b.split(this.convert(value, integerOf(8 * bytes), false));
    this.writeCell(cells, offset, bytes / 2, low);
    this.writeCell(cells, offset + bytes / 2, bytes / 2, high);
  }
}

/**
 * Whether the guard becomes the operation's condition. Otherwise all lanes execute the operation,
 * and the guard selects the result.
 */
function isGuarded({ operation: { cost, speculatable } }: Inst): boolean {
  return cost >= minGuardedCost || !speculatable;
}
