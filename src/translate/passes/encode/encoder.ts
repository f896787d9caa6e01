// Writes the code of a kernel. An instruction is the number of its case, and then its operands and
// results: the numbers of registers.
import { at, get, InternalError } from '../../../base/invariants.ts';
import { type FlowGraph, flowGraph, usersOf } from '../../graph/index.ts';
import {
  type Block,
  constantOf,
  type Edge,
  type Func,
  type Inst,
  isCollective,
  isDefinition,
  type Program,
  type Result,
  type Terminator,
  type Value,
} from '../../ir/nodes.ts';
import type { Machine } from './machine.ts';
import { Registers } from './registers.ts';

/** An operand of an instruction. A fixed value is part of the case. */
type Operand =
  | { readonly kind: 'register'; readonly register: number }
  /** An index: the sum of a register and a word of the code. */
  | { readonly kind: 'sum'; readonly register: number; readonly addend: number }
  /** A word of the code. */
  | { readonly kind: 'word'; readonly word: number }
  | { readonly kind: 'fixed'; readonly value: Value };

/** A function of the program, and the registers of its calls. */
interface Callee {
  readonly func: Func;
  readonly graph: FlowGraph;
  /** The register with the index at which the lane continues after the call. */
  readonly after: number;
  readonly results: readonly number[];
}

export class Encoder {
  private readonly machine: Machine;
  private readonly kernel: FlowGraph;
  private readonly callees = new Map<string, Callee>();
  private readonly users: ReturnType<typeof usersOf>[];
  private readonly registers = new Registers();
  /** A register for moves. */
  private readonly spare: number;
  /** The function whose code is being written; undefined for the kernel. */
  private inside: Callee | undefined;
  private readonly words: number[] = [];
  private readonly labels = new Map<Block, number>();
  /** The words that become the index of a block's first instruction. */
  private readonly targets: { readonly word: number; readonly to: Block }[] = [];

  constructor(machine: Machine, { kernel, functions }: Program) {
    this.machine = machine;
    this.kernel = flowGraph(kernel);
    this.users = [kernel, ...functions].map((func) => usersOf(func));
    const { registers } = this;
    let next = registers.assign(this.kernel, 0);
    const graphs = functions.map((func) => ({ func, graph: flowGraph(func) }));
    for (const { graph } of graphs) next = registers.assign(graph, next);
    this.spare = registers.extra();
    for (const each of graphs)
      this.callees.set(each.func.name, {
        ...each,
        after: registers.extra(),
        results: each.func.results.map(() => registers.extra()),
      });
  }

  /** Returns the code, and the number of registers. */
  encode(): { readonly code: Uint32Array; readonly registers: number } {
    this.addBlocks(this.kernel);
    for (const callee of this.callees.values()) {
      this.inside = callee;
      this.addBlocks(callee.graph);
    }
    for (const { word, to } of this.targets) this.words[word] = get(this.labels, to, 'the label of a block');
    return { code: this.withConstants(), registers: this.registers.count };
  }

  private addBlocks({ blocks }: FlowGraph): void {
    blocks.forEach((block, number) => {
      this.labels.set(block, this.words.length);
      for (const inst of block.insts) {
        const callee = inst.op === 'call' ? this.callees.get(inst.attrs.callee) : undefined;
        if (callee === undefined) this.addInst(inst);
        else this.addCall(inst, callee);
      }
      this.addEnd(block.end, blocks[number + 1]);
    });
  }

  /** Returns the code after instructions that write the constants to their registers. */
  private withConstants(): Uint32Array {
    const { machine } = this;
    const set = machine.caseOf('set', () => {
      machine.write(machine.field());
      return machine.next();
    });
    // Registers are initially zero.
    const first = [...this.registers.contents].flatMap(([word, register]) => (word === 0 ? [] : [set, word, register]));
    for (const { word } of this.targets) this.words[word] = at(this.words, word, 'a word') + first.length;
    return Uint32Array.from([...first, ...this.words]);
  }

  /** Adds the moves of the operands, a jump to the function, and the moves of the results. */
  private addCall(inst: Inst, { graph, after, results }: Callee): void {
    const { machine, registers } = this;
    const entry = at(graph.blocks, 0, 'the first block of a function');
    if (inst.when !== undefined) throw new InternalError('a call has a condition');
    this.addMoves(
      entry.params.map((param, index) => ({
        from: at(inst.args, index, 'an argument'),
        to: registers.of(param),
      })),
    );
    const call = machine.caseOf('call', () => {
      const to = machine.field();
      machine.writeNext();
      return machine.goTo(to);
    });
    this.words.push(call);
    this.addTarget(entry);
    this.words.push(after);
    inst.results.forEach((result, index) => {
      if (this.isRead(result)) this.addMove({ from: at(results, index, 'a result'), to: registers.of(result) });
    });
  }

  private isRead(result: Result): boolean {
    return this.users.some((users) => users.has(result));
  }

  private addInst(inst: Inst): void {
    const { machine, registers } = this;
    const { attrs, addend, index: place } = withoutOffset(inst);
    const given = [...inst.args, ...(inst.when ? [inst.when] : []), ...inst.otherwise];
    const operands = given.map((value, index) => this.operandOf(inst, value, index === 0 ? addend : 0));
    const types = given.map(({ type }) => type);
    if (place !== undefined) {
      operands.unshift({ kind: 'word', word: place });
      types.unshift('i32');
    }
    const whenAt = inst.args.length + operands.length - given.length;
    const results = inst.results.map((result) => (this.isRead(result) ? registers.of(result) : undefined));
    const key = JSON.stringify([
      inst.op,
      attrs,
      operands.map((operand, index) => [operand.kind, types[index], keyOf(operand)]),
      inst.when !== undefined,
      results.map((register) => register !== undefined),
    ]);
    const number = machine.caseOf(key, () => {
      const { builder } = machine;
      builder.span = inst.span;
      const values = operands.map((operand, index): Value => {
        if (operand.kind === 'fixed') return operand.value;
        if (operand.kind === 'word') return machine.field();
        const value = machine.read(at(types, index, 'a type'));
        return operand.kind === 'sum' ? builder.iadd(value, machine.field()) : value;
      });
      const written = builder.emit(inst.op, attrs as never, values.slice(0, whenAt), {
        hints: inst.results.map(({ hint }) => hint),
        when: inst.when && at(values, whenAt, 'a condition'),
        otherwise: values.slice(values.length - inst.otherwise.length),
      });
      written.forEach((result, index) => {
        if (results[index] !== undefined) machine.write(result);
      });
      return machine.next();
    });
    this.words.push(number);
    for (const operand of operands) {
      if (operand.kind === 'word') this.words.push(operand.word);
      else if (operand.kind !== 'fixed') this.words.push(operand.register);
      if (operand.kind === 'sum') this.words.push(operand.addend);
    }
    for (const register of results) if (register !== undefined) this.words.push(register);
  }

  private operandOf(inst: Inst, value: Value, addend = 0): Operand {
    if (value.kind === 'undef' || (value.kind === 'constant' && isFixed(inst, value))) return { kind: 'fixed', value };
    const register = this.registerOf(value);
    return addend === 0 ? { kind: 'register', register } : { kind: 'sum', register, addend: addend >>> 0 };
  }

  private registerOf(value: Value): number {
    if (value.kind === 'undef') return this.spare;
    return isDefinition(value) ? this.registers.of(value) : this.registers.ofConstant(value);
  }

  private addEnd(end: Terminator, next: Block | undefined): void {
    const { machine } = this;
    switch (end.kind) {
      case 'jump':
        return this.follow(end.to, next);
      case 'branch': {
        const number = machine.caseOf('branch', () => {
          const { builder } = machine;
          const index = builder.select(machine.read('i1'), builder.i32(0), builder.i32(1));
          return machine.goTo(machine.fieldAt(index));
        });
        this.words.push(number, this.registerOf(end.condition));
        return this.addTargets([end.then, end.else], next);
      }
      case 'switch': {
        const number = machine.caseOf('switch', () => {
          const selector = machine.read('i32');
          return machine.goTo(machine.fieldAt(machine.builder.umin(selector, machine.field())));
        });
        this.words.push(number, this.registerOf(end.selector), end.edges.length - 1);
        return this.addTargets(end.edges, next);
      }
      case 'exit':
        return void this.words.push(machine.caseOf('exit', () => end));
      case 'trap':
        return void this.words.push(machine.caseOf('trap', () => end));
      case 'return': {
        if (this.inside === undefined) throw new InternalError('a kernel does not return values');
        const { after, results } = this.inside;
        this.addMoves(results.map((to, index) => ({ from: at(end.values, index, 'a result'), to })));
        this.words.push(
          machine.caseOf('return', () => machine.goTo(machine.read('i32'))),
          after,
        );
        return;
      }
    }
  }

  /** Adds the targets of edges, and then the moves of each edge that has any. */
  private addTargets(edges: readonly Edge[], next: Block | undefined): void {
    const ways = edges.map((edge) => {
      const own = this.movesOf(edge).length === 0 ? undefined : this.machine.builder.block();
      this.addTarget(own ?? edge.to);
      return { edge, own };
    });
    ways.forEach(({ edge, own }, index) => {
      if (own === undefined) return;
      this.labels.set(own, this.words.length);
      this.follow(edge, index === edges.length - 1 ? next : undefined);
    });
  }

  private addTarget(to: Block): void {
    this.targets.push({ word: this.words.length, to });
    this.words.push(0);
  }

  /** Adds the moves of an edge, and a jump unless its block is the next one. */
  private follow(edge: Edge, next: Block | undefined): void {
    const { machine } = this;
    for (const move of this.movesOf(edge)) this.addMove(move);
    if (edge.to === next) return;
    this.words.push(machine.caseOf('jump', () => machine.goTo(machine.field())));
    this.addTarget(edge.to);
  }

  private addMove({ from, to }: Move): void {
    const { machine } = this;
    const move = machine.caseOf('move', () => {
      machine.write(machine.read('i32'));
      return machine.next();
    });
    this.words.push(move, from, to);
  }

  private addMoves(values: readonly { readonly from: Value; readonly to: number }[]): void {
    for (const move of this.inOrder(values)) this.addMove(move);
  }

  private movesOf({ to, args }: Edge): readonly Move[] {
    return this.inOrder(
      to.params.map((param, index) => ({ from: at(args, index, 'an argument'), to: this.registers.of(param) })),
    );
  }

  /** Returns moves of values in an order that overwrites no register too early. */
  private inOrder(values: readonly { readonly from: Value; readonly to: number }[]): readonly Move[] {
    const moves = values.flatMap(({ from, to }) =>
      from.kind === 'undef' || this.registerOf(from) === to ? [] : [{ from: this.registerOf(from), to }],
    );
    return inOrder(moves, this.spare);
  }
}

interface Move {
  readonly from: number;
  readonly to: number;
}

/** Orders moves that happen at the same time. Moves through a spare register break cycles. */
function inOrder(moves: readonly Move[], spare: number): readonly Move[] {
  const ordered: Move[] = [];
  let waiting = moves;
  while (waiting.length > 0) {
    const read = new Set(waiting.map(({ from }) => from));
    const ready = waiting.filter(({ to }) => !read.has(to));
    if (ready.length > 0) {
      ordered.push(...ready);
      waiting = waiting.filter(({ to }) => read.has(to));
      continue;
    }
    const { to: first } = at(waiting, 0, 'a move');
    ordered.push({ from: first, to: spare });
    waiting = waiting.map(({ from, to }) => ({ from: from === first ? spare : from, to }));
  }
  return ordered;
}

/**
 * Whether a constant is part of the case. The code of a helper is much shorter if its rounding mode
 * is known. A collective has the same constants in most places.
 */
const isFixed = (inst: Inst, value: Value): boolean =>
  isCollective(inst) ||
  (inst.op === 'helper' &&
    inst.attrs.params.length > 1 &&
    inst.attrs.params.at(-1) === 'u32' &&
    inst.args.at(-1) === value &&
    Number(constantOf(value)) < 16);

const keyOf = (operand: Operand): string =>
  operand.kind === 'fixed' ? `${operand.value.kind} ${constantOf(operand.value)}` : '';

/** An instruction whose place has no constant offset. */
interface Relative {
  readonly attrs: Inst['attrs'];
  /** The number of elements to add to the index. */
  readonly addend: number;
  /** The index of the element; undefined if an argument is the index. */
  readonly index: number | undefined;
}

/**
 * Returns the attributes of an instruction, without the constant offset of its access, so that
 * accesses with different offsets have the same case.
 */
function withoutOffset({ attrs }: Inst): Relative {
  if (!('place' in attrs)) return { attrs, addend: 0, index: undefined };
  const { place } = attrs;
  const { root, unit, offset, indexed } = place;
  const isElement = root.kind === 'array' || root.kind === 'buffer' || root.kind === 'heap';
  if (isElement && indexed && offset % unit === 0)
    return { attrs: { ...attrs, place: { ...place, offset: 0 } }, addend: offset / unit, index: undefined };
  if (root.kind !== 'array' || indexed || offset % 4 !== 0) return { attrs, addend: 0, index: undefined };
  return { attrs: { ...attrs, place: { ...place, unit: 4, offset: 0, indexed: true } }, addend: 0, index: offset / 4 };
}
