// Verifies programs: definitions dominate uses, types match, edges and terminators match their
// blocks and functions, and no instruction or block appears twice.
import { InternalError } from '../../base/invariants.ts';
import { type Dominators, dominatorsOf } from '../graph/dominators.ts';
import { type FlowGraph, flowGraph } from '../graph/flow-graph.ts';
import { forEachOperand } from '../graph/users.ts';
import { illegality, isLegalType } from './legal.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  type Program,
  type Value,
  valuesOf,
} from './nodes.ts';
import { argumentError } from './signatures.ts';
import type { Type } from './types.ts';

export interface VerifyOptions {
  /** Whether only legal operations may occur. */
  readonly legal?: boolean;
}

/** Returns all errors in a program, each with its function, block and operation. */
export function verifyProgram(program: Program, options: VerifyOptions = {}): string[] {
  const funcs = [...program.functions, program.kernel];
  const seen = new Set<number>();
  const byName = new Map(funcs.map((func) => [func.name, func]));
  const problems = funcs.flatMap((func) => new Verifier(func, seen, byName, options).run());
  if (program.kernel.kind !== 'kernel') problems.push(`${program.kernel.name} is not a kernel`);
  if (byName.size < funcs.length) problems.push('two functions have the same name');
  return problems;
}

/** Returns the hint of a value. Absent: the value has no hint. */
const hintOf = ({ hint }: { readonly hint?: string | undefined }): string => hint ?? '';

/** Throws if the program is invalid. `after` is the name of the pass that produced the program. */
export function assertValid(program: Program, after: string, options: VerifyOptions = {}): void {
  const problems = verifyProgram(program, options);
  if (problems.length > 0) throw new InternalError(`after ${after}:\n${problems.slice(0, 20).join('\n')}`);
}

class Verifier {
  private readonly problems: string[] = [];
  private readonly func: Func;
  private readonly seen: Set<number>;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly options: VerifyOptions;
  private readonly graph: FlowGraph;
  private readonly dominators: Dominators;
  /** The block of each definition, and its position in the block. */
  private readonly homes = new Map<Definition, { readonly block: Block; readonly at: number }>();
  private readonly blocks: ReadonlySet<Block>;
  private where = '';

  constructor(func: Func, seen: Set<number>, funcs: ReadonlyMap<string, Func>, options: VerifyOptions) {
    this.func = func;
    this.seen = seen;
    this.funcs = funcs;
    this.options = options;
    this.graph = flowGraph(func);
    this.dominators = dominatorsOf(this.graph);
    this.blocks = new Set(func.blocks);
  }

  run(): string[] {
    if (this.func.blocks.length === 0) this.report('the function has no blocks');
    if (this.blocks.size < this.func.blocks.length) this.report('a block appears twice');
    for (const block of this.func.blocks) this.define(block);
    this.func.blocks.forEach((block, number) => {
      this.where = `${this.func.name}, b${number}`;
      block.insts.forEach((inst, at) => {
        this.where = `${this.func.name}, b${number}, ${inst.op}`;
        this.inst(inst, block, at);
      });
      this.where = `${this.func.name}, b${number}, ${block.end.kind}`;
      this.end(block);
    });
    return this.problems;
  }

  private report(problem: string): void {
    this.problems.push(`${this.where || this.func.name}: ${problem}`);
  }

  private number(id: number): void {
    if (this.seen.has(id)) this.report(`the number ${id} is used twice`);
    this.seen.add(id);
  }

  private define(block: Block): void {
    this.number(block.id);
    for (const param of block.params) {
      this.number(param.id);
      if (param.block !== block) this.report(`parameter ${param.id} refers to another block`);
      this.homes.set(param, { block, at: -1 });
      this.legal(param.type);
    }
    block.insts.forEach((inst, at) => {
      this.number(inst.id);
      for (const [index, result] of inst.results.entries()) {
        this.number(result.id);
        if (result.inst !== inst || result.index !== index)
          this.report(`result ${result.id} refers to another instruction`);
        this.homes.set(result, { block, at });
      }
    });
  }

  private legal(type: Type): void {
    if (this.options.legal && !isLegalType(type)) this.report(`${type} is not a legal type`);
  }

  private use(value: Value, block: Block, at: number): void {
    if (!isDefinition(value)) return;
    const home = this.homes.get(value);
    if (home === undefined) return this.report(`uses value ${value.id} (${hintOf(value)}), which has no definition`);
    // Unreachable code may use any value.
    if (this.graph.numberOf(block) === undefined) return;
    const isBefore = home.block === block ? home.at < at : this.dominators.dominatesBlock(home.block, block);
    if (!isBefore) this.report(`value ${value.id} (${hintOf(value)}) is not defined on every path to this use`);
  }

  private inst(inst: Inst, block: Block, at: number): void {
    forEachOperand(inst, (value) => this.use(value, block, at));
    const types = inst.args.map(({ type }) => type);
    const problem = argumentError(inst.op, types, inst.attrs as never);
    if (problem) this.report(`${problem}, not (${types.join(', ')})`);
    else this.results(inst);
    if (inst.when !== undefined) {
      if (inst.when.type !== 'i1') this.report(`the condition must be an i1, not ${inst.when.type}`);
      this.types(
        'otherwise',
        inst.otherwise,
        inst.results.map(({ type }) => type),
      );
    } else if (inst.otherwise.length > 0) {
      this.report('`otherwise` without a condition');
    }
    if (inst.op === 'call') this.call(inst.attrs.callee, inst);
    const illegal = this.options.legal ? illegality(inst) : undefined;
    if (illegal) this.report(illegal);
  }

  private results(inst: Inst): void {
    this.types('results', inst.results, inst.operation.results(inst.args, inst.attrs as never));
  }

  private types(what: string, values: readonly { readonly type: Type }[], expected: readonly Type[]): void {
    const types = values.map(({ type }) => type);
    if (types.length !== expected.length || types.some((type, index) => type !== expected[index]))
      this.report(`${what}: (${expected.join(', ')}) expected, not (${types.join(', ')})`);
  }

  private call(name: string, { args, results }: Inst): void {
    const callee = this.funcs.get(name);
    if (callee === undefined || callee.kind !== 'function') return this.report(`unknown function ${name}`);
    this.types(
      'arguments',
      args,
      // Absent: a function without blocks is reported separately.
      (callee.blocks[0]?.params ?? []).map(({ type }) => type),
    );
    this.types('results', results, callee.results);
  }

  private end(block: Block): void {
    const { end } = block;
    for (const value of valuesOf(end)) this.use(value, block, block.insts.length);
    if (end.kind === 'branch' && end.condition.type !== 'i1') this.report(`branches on ${end.condition.type}`);
    if (end.kind === 'switch' && end.selector.type !== 'i32') this.report(`switches on ${end.selector.type}`);
    if (end.kind === 'switch' && end.edges.length === 0) this.report('has no edges');
    if (end.kind === 'return') {
      if (this.func.kind === 'kernel') this.report('a kernel must end with exit, not return');
      this.types('values', end.values, this.func.results);
    }
    for (const { to, args } of edgesOf(end)) {
      if (!this.blocks.has(to)) this.report(`has an edge to block ${to.id}, which is not in the function`);
      if (to === this.func.blocks[0]) this.report('has an edge to the first block');
      this.types(
        'values of an edge',
        args,
        to.params.map(({ type }) => type),
      );
    }
  }
}
