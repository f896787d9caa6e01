// Which memory an address may lie in: a points-to analysis, sparse over the SSA form of all functions together. An address is a pointer parameter's or a
// variable's own, moved and offset by numbers. What arithmetic does otherwise, and what comes back from memory once an address has gone there, may be
// any address.

import type { Variable } from '../../ptx/ast.ts';
import { reversePostorder, type User, usersOf } from '../graph/index.ts';
import { IdMap, IdSet } from '../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  type Program,
  type Value,
} from '../ir/nodes.ts';
import { widthOf } from '../ir/types.ts';
import { addressRule, addressSources, isEquality, isShuffle, onlyAligns } from './address-rules.ts';
import {
  anythingLoaded,
  isAddress,
  isNumber,
  isOne,
  join,
  loadedNumber,
  number,
  type Origin,
  type PointsTo,
  sameOrigins,
  sum,
  unknown,
  variablesOf,
} from './origins.ts';

export type { Origin, PointsTo } from './origins.ts';

export interface PointsToResult {
  readonly of: (value: Value) => PointsTo;
  /// Whether a kernel parameter's value is used as a number, or mixed with other addresses.
  readonly escapes: (param: number) => boolean;
}

export function findPointsTo(program: Program): PointsToResult {
  return new Analysis(program).solve();
}

class Analysis {
  private readonly program: Program;
  private readonly known = new IdMap<Definition, PointsTo>();
  /// Made once something comes back to what has been looked at.
  private users: IdMap<Definition, User[]> | undefined;
  private readonly seen = new IdSet<Block>();
  /// Values that got more after their readers had been looked at.
  private readonly late: Definition[] = [];
  private readonly calls = new Map<string, Inst[]>();
  private readonly returned = new Map<string, PointsTo[]>();
  private readonly functions: ReadonlyMap<string, Func>;
  private readonly owner = new IdMap<Block, Func>();
  private readonly escaped = new Set<number>();
  private readonly pointers: ReadonlyMap<number, Origin>;
  private readonly variables = new Map<Variable, Origin>();
  private readonly heap: Origin = { kind: 'heap' };
  /// Values of memory accesses, which may be addresses once one of a variable has gone to memory.
  private readonly loads: Inst[] = [];
  private addressesInMemory = false;
  private readonly queue: (Inst | Block)[] = [];
  /// Instructions that may have to do with addresses: few do.
  private readonly touching: Inst[] = [];

  constructor(program: Program) {
    this.program = program;
    this.functions = new Map(program.functions.map((func) => [func.name, func]));
    this.pointers = new Map(
      program.params.flatMap(({ array, bytes }, param) =>
        !array && bytes === 8 ? [[param, { kind: 'pointer', param }]] : [],
      ),
    );
  }

  solve(): PointsToResult {
    const funcs = [this.program.kernel, ...this.program.functions];
    for (const func of funcs) {
      for (const block of func.blocks) {
        if (block.end.kind === 'return') this.owner.set(block, func);
        this.collect(block.insts);
      }
    }
    for (const func of funcs) {
      for (const block of reversePostorder(func)) {
        this.seen.add(block);
        this.visitAll(block.insts);
        this.visitEnd(block);
      }
    }
    if (this.late.length + this.queue.length > 0) this.followUsers(funcs);
    for (let at = 0; at < this.queue.length; at++) {
      const item = this.queue[at];
      if (item === undefined) continue;
      if ('op' in item) this.visit(item);
      else this.visitEnd(item);
    }
    for (const inst of this.touching) this.findEscapes(inst);
    for (const { blocks } of funcs)
      for (const { end } of blocks) if (end.kind === 'switch') this.escape(this.of(end.selector));
    return {
      of: (value) => this.of(value),
      escapes: (param) => this.escaped.has(param),
    };
  }

  private collect(insts: readonly Inst[]): void {
    for (let at = 0; at < insts.length; at++) {
      const inst = insts[at];
      if (inst?.op === 'load' || inst?.op === 'atomic') this.loads.push(inst);
      if (inst?.op !== 'call') continue;
      const calls = this.calls.get(inst.attrs.callee);
      if (calls !== undefined) calls.push(inst);
      else this.calls.set(inst.attrs.callee, [inst]);
    }
  }

  private visitAll(insts: readonly Inst[]): void {
    for (let at = 0; at < insts.length; at++) {
      const inst = insts[at];
      if (inst !== undefined) this.visit(inst);
    }
  }

  private followUsers(funcs: readonly Func[]): void {
    this.users = new IdMap();
    for (const func of funcs) usersOf(func, this.users);
    for (const value of this.late) this.wake(value);
  }

  private wake(value: Definition): void {
    if (this.users === undefined) this.late.push(value);
    else for (const user of this.users.get(value) ?? []) this.queue.push(user.kind === 'inst' ? user.inst : user.block);
  }

  private of(value: Value): PointsTo {
    return isDefinition(value) ? (this.known.get(value) ?? number) : number;
  }

  /// `isLate`: whether the value's readers may have been looked at, though all of the function has not.
  private add(value: Definition | undefined, more: PointsTo, isLate: boolean): void {
    if (value === undefined || more === number || widthOf(value.type) < 32) return;
    const before = this.known.get(value);
    const after = before ? join(before, more) : more;
    if (before && after === before) return;
    this.known.set(value, after);
    if (isLate || this.users !== undefined) this.wake(value);
  }

  /// Whether all that the instruction reads is numbers, and gives such.
  private isPlain(inst: Inst): boolean {
    if (addressSources.has(inst.op)) return false;
    return this.areNumbers(inst.args) && (inst.when === undefined || this.areNumbers(inst.otherwise));
  }

  private areNumbers(values: readonly Value[]): boolean {
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      if (value !== undefined && isDefinition(value) && this.known.has(value)) return false;
    }
    return true;
  }

  private visit(inst: Inst): void {
    if (this.isPlain(inst)) return;
    this.touching.push(inst);
    for (let index = 0; index < inst.results.length; index++) {
      const result = inst.results[index];
      this.add(result, this.result(inst, index), false);
      const otherwise = inst.otherwise[index];
      if (inst.when !== undefined && otherwise) this.add(result, this.of(otherwise), false);
    }
    if (inst.op === 'call') {
      const entry = this.functions.get(inst.attrs.callee)?.blocks[0];
      inst.args.forEach((arg, index) => {
        this.add(entry?.params[index], this.of(arg), entry !== undefined && this.seen.has(entry));
      });
    }
    if (!this.addressesInMemory && this.storesVariable(inst)) {
      this.addressesInMemory = true;
      for (const load of this.loads) this.queue.push(load);
    }
  }

  private visitEnd(block: Block): void {
    for (const { to, args } of edgesOf(block.end)) {
      args.forEach((arg, index) => {
        this.add(to.params[index], this.of(arg), this.seen.has(to));
      });
    }
    if (block.end.kind !== 'return') return;
    const name = this.owner.get(block)?.name ?? '';
    const joined = this.returned.get(name) ?? [];
    let changed = false;
    block.end.values.forEach((value, index) => {
      const before = joined[index] ?? number;
      const after = join(before, this.of(value));
      if (after !== before) changed = true;
      joined[index] = after;
    });
    this.returned.set(name, joined);
    if (!changed) return;
    for (const call of this.calls.get(name) ?? []) {
      call.results.forEach((result, index) => {
        this.add(result, joined[index] ?? number, true);
      });
    }
  }

  private result(inst: Inst, index: number): PointsTo {
    const at = (position: number): PointsTo => {
      const arg = inst.args[position];
      return arg ? this.of(arg) : number;
    };
    switch (addressRule(inst.op)) {
      case 'copy':
        // What is left of a 64-bit pointer in a word is a number: the test of an alignment.
        return inst.op === 'trunc' ? variablesOf(at(0)) : at(0);
      case 'select':
        return join(at(1), at(2));
      case 'sum':
        return sum(at(0), at(1));
      case 'difference':
        if (isNumber(at(1))) return at(0);
        return isOne(at(0)) && sameOrigins(at(0), at(1)) ? number : unknown(at(0), at(1));
      case 'mask':
        if (inst.op === 'and' && !onlyAligns(inst)) return unknown(at(0), at(1));
        return isNumber(variablesOf(at(0))) || isNumber(variablesOf(at(1)))
          ? join(variablesOf(at(0)), variablesOf(at(1)))
          : unknown(at(0), at(1));
      case 'compare':
      case 'test':
        return number;
      case 'call':
        return this.returned.get(inst.op === 'call' ? inst.attrs.callee : '')?.[index] ?? number;
      case 'exchange':
        if (!isShuffle(inst)) return unknown(...inst.args.map((arg) => this.of(arg)));
        return index === 0 ? variablesOf(at(0)) : number;
      case 'memory':
        return this.fromMemory(inst);
      case 'number':
        if (inst.op === 'symbol') return { ...number, origins: new Set([this.variable(inst.attrs.variable)]) };
        return unknown(...inst.args.map((arg) => this.of(arg)));
    }
  }

  private variable(variable: Variable): Origin {
    if (variable.space === 'global' || variable.space === 'const') return this.heap;
    const known = this.variables.get(variable);
    if (known) return known;
    const origin: Origin = { kind: 'variable', variable };
    this.variables.set(variable, origin);
    return origin;
  }

  private fromMemory(inst: Inst): PointsTo {
    if (inst.op !== 'load' && inst.op !== 'atomic') return number;
    const pointer = this.pointerOf(inst);
    if (pointer) return { ...number, origins: new Set([pointer]) };
    const { place, type } = inst.attrs;
    const isParam = place.root.kind === 'param';
    // A scalar parameter's value is a number, unless it is a pointer; those in a struct are not told apart.
    const isScalar = place.root.kind === 'param' && this.pointers.has(place.root.param);
    const loaded = (type === 'i64' || type === 'f64') && !isScalar;
    if (this.addressesInMemory && !isParam) return loaded ? anythingLoaded : { ...number, anyVariable: true };
    return loaded ? loadedNumber : number;
  }

  /// The pointer that a load from parameter memory brings.
  private pointerOf(inst: Inst): Origin | undefined {
    if (inst.op !== 'load') return undefined;
    const { place, type, count } = inst.attrs;
    if (place.root.kind !== 'param' || place.indexed || place.offset !== 0 || count !== 1 || type !== 'i64')
      return undefined;
    return this.pointers.get(place.root.param);
  }

  private storesVariable(inst: Inst): boolean {
    if (inst.op !== 'store' && inst.op !== 'atomic') return false;
    return valuesOf(inst).some((value) => !isNumber(variablesOf(this.of(value))));
  }

  private escape({ origins }: PointsTo): void {
    for (const origin of origins) if (origin.kind === 'pointer') this.escaped.add(origin.param);
  }

  /// Marks the pointers that an instruction uses as numbers.
  private findEscapes(inst: Inst): void {
    const of = (position: number): PointsTo => {
      const arg = inst.args[position];
      return arg ? this.of(arg) : number;
    };
    switch (addressRule(inst.op)) {
      case 'copy':
      case 'select':
      case 'test':
      case 'call':
        return;
      case 'sum':
        if (isAddress(of(0)) && isAddress(of(1))) break;
        return;
      case 'difference':
        if (!isAddress(of(1)) || sameOrigins(of(0), of(1))) return;
        break;
      case 'compare':
        // Which of two comes first depends on where their buffer begins, as far as PTX may go below it.
        if (inst.op === 'icmp' && isEquality(inst.attrs.relation) && isOne(of(0)) && sameOrigins(of(0), of(1))) return;
        break;
      case 'memory': {
        if (inst.op !== 'load' && inst.op !== 'store' && inst.op !== 'atomic') return;
        for (const value of valuesOf(inst)) this.escape(this.of(value));
        const { root } = inst.attrs.place;
        if (root.kind === 'param' && this.pointers.has(root.param) && this.pointerOf(inst) === undefined)
          this.escaped.add(root.param);
        return;
      }
    }
    for (const arg of inst.args) this.escape(this.of(arg));
  }
}

/// What an access writes, without its index.
function valuesOf(inst: Inst): readonly Value[] {
  if (inst.op !== 'store' && inst.op !== 'atomic') return [];
  return inst.attrs.place.indexed ? inst.args.slice(1) : inst.args;
}
