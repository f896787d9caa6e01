// A points-to analysis: the memory that an address may reach. It is sparse over the SSA form of all
// functions together. An address is a pointer parameter or the address of a variable, moved and
// offset by numbers. The result of other arithmetic on addresses, and a value loaded from memory,
// may be any address.
//
// PTX does not say whether a 64-bit parameter is a pointer or a number. The analysis is certain if
// `.ptr` declares the parameter, if the launch passes a pointer, or if the kernel converts the
// value with `cvta`. In a sum of a certain address and a value that may be an address, the certain
// one is the base. If neither is certain, either may be the base, and the access goes to the heap.

import { at, get } from '../../base/invariants.ts';
import { allOf, getOrInsert } from '../../base/maps.ts';
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
import { addressRule, addressSources, fillsHighWord, isShuffle, isWide, onlyAligns } from './address-rules.ts';
import {
  isAddress,
  isNumber,
  isOne,
  join,
  mayBeAddress,
  mayBeGlobal,
  number,
  type Origin,
  type PointsTo,
  sameOrigins,
  sum,
  unknown,
  untrackedNumber,
  variablesOf,
} from './origins.ts';
import { findPointerUses, loadsAddress, storedBy } from './pointer-uses.ts';

export type { Origin, PointsTo } from './origins.ts';

export interface PointsToResult {
  readonly of: (value: Value) => PointsTo;
  /** Whether a kernel parameter's value is used as a number, or mixed with other addresses. */
  readonly escapes: (param: number) => boolean;
  /**
   * The parameters for which the analysis had to assume a meaning because PTX does not state it. If
   * the launch passes pointers for a different set of these parameters, the result may differ.
   */
  readonly unclear: ReadonlySet<number>;
  /**
   * The parameters whose addresses are moved by 64-bit numbers that may be differences of two
   * addresses.
   */
  readonly moved: ReadonlySet<number>;
}

export function findPointsTo(program: Program): PointsToResult {
  return new Analysis(program).solve();
}

class Analysis {
  private readonly program: Program;
  private readonly known = new IdMap<Definition, PointsTo>();
  /** The users of each value; computed when a visited value changes for the first time. */
  private users: IdMap<Definition, User[]> | undefined;
  private readonly seen = new IdSet<Block>();
  /** The values that changed after their users were visited. */
  private readonly late: Definition[] = [];
  private readonly calls = new Map<string, Inst[]>();
  private readonly returned = new Map<string, PointsTo[]>();
  private readonly functions: ReadonlyMap<string, Func>;
  private readonly owner = new IdMap<Block, Func>();
  private readonly unclear = new Set<number>();
  private readonly pointers: ReadonlyMap<number, Origin>;
  private readonly variables = new Map<Variable, Origin>();
  private readonly heap: Origin = { kind: 'heap' };
  /**
   * The loads and atomics whose results may be addresses if the address of a variable is stored to
   * memory.
   */
  private readonly loads: Inst[] = [];
  private addressesInMemory = false;
  private readonly queue: (Inst | Block)[] = [];
  /** The instructions that may read or produce addresses, which are few. */
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
    const { escaped, moved } = findPointerUses(funcs, this.touching, {
      of: (value) => this.of(value),
      baseOf: (a, b) => this.baseOf(a, b),
      isPointer: (param) => this.pointers.has(param),
    });
    return {
      of: (value) => this.of(value),
      escapes: (param) => escaped.has(param),
      unclear: this.unclear,
      moved,
    };
  }

  private collect(insts: readonly Inst[]): void {
    for (let at = 0; at < insts.length; at++) {
      const inst = insts[at];
      if (inst?.op === 'load' || inst?.op === 'atomic') this.loads.push(inst);
      if (inst?.op !== 'call') continue;
      getOrInsert(this.calls, inst.attrs.callee, () => []).push(inst);
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
    else for (const user of allOf(this.users, value)) this.queue.push(user.kind === 'inst' ? user.inst : user.block);
  }

  private of(value: Value): PointsTo {
    return isDefinition(value) ? (this.known.get(value) ?? number) : number;
  }

  /**
   * Adds to the points-to set of a value. `isLate`: whether the value's users may have been visited
   * during the first walk.
   */
  private add(value: Definition | undefined, more: PointsTo, isLate: boolean): void {
    if (value === undefined || more === number || widthOf(value.type) < 32) return;
    const before = this.known.get(value);
    const after = before ? join(before, more) : more;
    if (before && after === before) return;
    this.known.set(value, after);
    if (isLate || this.users !== undefined) this.wake(value);
  }

  /** Whether the instruction reads and returns only numbers. */
  private isPlain(inst: Inst): boolean {
    if (addressSources.has(inst.op) || fillsHighWord(inst)) return false;
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
    const { name } = get(this.owner, block, 'the function of a block');
    // Absent: the entry is missing until the analysis visits a `return` of the function.
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
    for (const call of allOf(this.calls, name)) {
      call.results.forEach((result, index) => {
        this.add(result, at(joined, index, 'the origins of a result'), true);
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
        // The low word of a 64-bit pointer is a number, as in a test of its alignment.
        if (inst.op === 'trunc') return join(variablesOf(at(0)), this.untracked(inst));
        return inst.op === 'cvta' && isOne(at(0)) ? { ...at(0), certain: true } : at(0);
      case 'select':
        return join(at(1), at(2));
      case 'sum':
        return sum(at(0), at(1), this.baseOf(at(0), at(1)));
      case 'difference':
        return this.difference(at(0), at(1), inst);
      case 'mask': {
        const [a, b] = [variablesOf(at(0)), variablesOf(at(1))];
        const follows = (inst.op !== 'and' || onlyAligns(inst)) && (isNumber(a) || isNumber(b));
        return join(follows ? join(a, b) : unknown(a, b), this.untracked(inst));
      }
      case 'compare':
      case 'test':
        return number;
      case 'call':
        // The entry is missing until the analysis visits a `return` of the function.
        return (inst.op === 'call' ? this.returned.get(inst.attrs.callee)?.[index] : undefined) ?? number;
      case 'exchange':
        if (!isShuffle(inst)) return unknown(...inst.args.map((arg) => this.of(arg)));
        return index === 0 ? variablesOf(at(0)) : number;
      case 'memory':
        return this.fromMemory(inst);
      case 'number':
        if (inst.op === 'symbol')
          return { ...number, origins: new Set([this.variable(inst.attrs.variable)]), certain: true };
        return join(unknown(...inst.args.map((arg) => this.of(arg))), this.untracked(inst));
    }
  }

  /**
   * Returns the addend that is certainly an address, if both may be addresses and only one is
   * certain.
   */
  private baseOf(a: PointsTo, b: PointsTo): PointsTo | undefined {
    if (!mayBeAddress(a) || !mayBeAddress(b)) return undefined;
    const isCertain = this.isCertain(a);
    if (isCertain === this.isCertain(b)) return undefined;
    return isCertain ? a : b;
  }

  private isCertain({ origins, untracked, certain }: PointsTo): boolean {
    if (origins.size === 0 || untracked) return false;
    if (certain) return true;
    let all = true;
    for (const origin of origins) {
      if (origin.kind !== 'pointer') continue;
      this.unclear.add(origin.param);
      all &&= this.program.pointerParams.has(origin.param);
    }
    return all;
  }

  private difference(a: PointsTo, b: PointsTo, inst: Inst): PointsTo {
    if (isNumber(b)) return a;
    if (isOne(a) && sameOrigins(a, b)) return this.untracked(inst);
    const base = this.baseOf(a, b);
    if (base === a || (!isAddress(b) && isAddress(a))) return sum(a, b, base);
    return join(unknown(a, b), this.untracked(inst));
  }

  /**
   * Returns the result of arithmetic that the analysis does not follow, for 64-bit numbers that may
   * be global addresses.
   */
  private untracked(inst: Inst): PointsTo {
    if (!isWide(inst.results[0])) return number;
    // Two words may be the halves of an address. A shift by a word can also combine them.
    if (inst.op === 'join' || fillsHighWord(inst)) return untrackedNumber;
    return inst.args.some((arg) => isWide(arg) && mayBeGlobal(this.of(arg))) ? untrackedNumber : number;
  }

  private variable(variable: Variable): Origin {
    if (variable.space === 'global' || variable.space === 'const') return this.heap;
    return getOrInsert(this.variables, variable, () => ({ kind: 'variable', variable }));
  }

  private fromMemory(inst: Inst): PointsTo {
    if (inst.op !== 'load' && inst.op !== 'atomic') return number;
    const pointer = this.pointerOf(inst);
    if (pointer) return { ...number, origins: new Set([pointer]) };
    const { place, type } = inst.attrs;
    const anyVariable = this.addressesInMemory && place.root.kind !== 'param';
    const loaded = type === 'i64' || type === 'f64' ? untrackedNumber : number;
    return anyVariable ? { ...loaded, anyVariable } : loaded;
  }

  /** Returns the pointer that an instruction loads from parameter memory. */
  private pointerOf(inst: Inst): Origin | undefined {
    if (inst.op !== 'load') return undefined;
    const { root } = inst.attrs.place;
    return root.kind === 'param' && loadsAddress(inst) ? this.pointers.get(root.param) : undefined;
  }

  private storesVariable(inst: Inst): boolean {
    if (inst.op !== 'store' && inst.op !== 'atomic') return false;
    return storedBy(inst).some((value) => !isNumber(variablesOf(this.of(value))));
  }
}
