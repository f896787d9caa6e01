// Finds the uses of a kernel's pointer parameters other than offsets and dereferences.
import type { Func, Inst, Value } from '../ir/nodes.ts';
import { addressRule, isEquality } from './address-rules.ts';
import { isAddress, isOne, number, type PointsTo, sameOrigins } from './origins.ts';

export interface PointerUses {
  /** The parameters whose value is used as a number, or mixed with other addresses. */
  readonly escaped: ReadonlySet<number>;
  /**
   * The parameters whose addresses are moved by 64-bit numbers that may be differences of two
   * addresses.
   */
  readonly moved: ReadonlySet<number>;
}

/** The result of the points-to analysis. */
export interface Solved {
  readonly of: (value: Value) => PointsTo;
  /**
   * Returns the addend that is certainly an address, if both may be addresses and only one is
   * certain.
   */
  readonly baseOf: (a: PointsTo, b: PointsTo) => PointsTo | undefined;
  /** Whether a parameter may be a pointer. */
  readonly isPointer: (param: number) => boolean;
}

/**
 * Finds the uses of pointer parameters that are neither offsets nor dereferences. `touching`: the
 * instructions that may read addresses.
 */
export function findPointerUses(funcs: readonly Func[], touching: readonly Inst[], solved: Solved): PointerUses {
  const finder = new Finder(solved);
  for (const inst of touching) finder.visit(inst);
  for (const { blocks } of funcs)
    for (const { end } of blocks) if (end.kind === 'switch') finder.escape(solved.of(end.selector));
  return finder;
}

class Finder implements PointerUses {
  readonly escaped = new Set<number>();
  readonly moved = new Set<number>();

  private readonly solved: Solved;

  constructor(solved: Solved) {
    this.solved = solved;
  }

  escape({ origins }: PointsTo): void {
    for (const origin of origins) if (origin.kind === 'pointer') this.escaped.add(origin.param);
  }

  visit(inst: Inst): void {
    const of = (position: number): PointsTo => {
      const arg = inst.args[position];
      return arg ? this.solved.of(arg) : number;
    };
    switch (addressRule(inst.op)) {
      case 'copy':
      case 'select':
      case 'test':
      case 'call':
        return;
      case 'sum':
        return this.addends(of(0), of(1), false);
      case 'difference':
        if (!sameOrigins(of(0), of(1))) this.addends(of(0), of(1), true);
        return;
      case 'compare':
        // Whether two addresses in a buffer are equal does not depend on the start of the buffer.
        // Their order may depend on it, because PTX permits addresses before the buffer.
        if (inst.op === 'icmp' && isEquality(inst.attrs.relation) && isOne(of(0)) && sameOrigins(of(0), of(1))) return;
        break;
      case 'memory': {
        if (inst.op !== 'load' && inst.op !== 'store' && inst.op !== 'atomic') return;
        for (const value of storedBy(inst)) this.escape(this.solved.of(value));
        const { root } = inst.attrs.place;
        if (root.kind === 'param' && this.solved.isPointer(root.param) && !loadsAddress(inst))
          this.escaped.add(root.param);
        return;
      }
    }
    for (const arg of inst.args) this.escape(this.solved.of(arg));
  }

  /**
   * Records the addends of a sum or difference: addresses that are used as numbers, and the address
   * that is moved.
   */
  private addends(a: PointsTo, b: PointsTo, isDifference: boolean): void {
    const base = this.solved.baseOf(a, b);
    if (base === a || (base === b && !isDifference)) {
      for (const origin of base.origins) if (origin.kind === 'pointer') this.moved.add(origin.param);
      this.escape(base === a ? b : a);
    } else if (isAddress(b) && (isDifference || isAddress(a))) {
      this.escape(a);
      this.escape(b);
    }
  }
}

/** Whether a load from parameter memory loads a whole 64-bit parameter. */
export function loadsAddress(inst: Inst): boolean {
  if (inst.op !== 'load') return false;
  const { place, type, count } = inst.attrs;
  return !place.indexed && place.offset === 0 && count === 1 && type === 'i64';
}

/** Returns the values that an access writes, without its index. */
export function storedBy(inst: Inst): readonly Value[] {
  if (inst.op !== 'store' && inst.op !== 'atomic') return [];
  return inst.attrs.place.indexed ? inst.args.slice(1) : inst.args;
}
