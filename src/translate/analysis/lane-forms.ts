// Finds the lane forms of a function's values.

import { at } from '../../base/invariants.ts';
import { allOf, getOrInsert } from '../../base/maps.ts';
import { incomingEdges } from '../graph/index.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  constantOf,
  type Definition,
  type Func,
  type Inst,
  isDefinition,
  type Param,
  type Value,
} from '../ir/nodes.ts';
import { isFloat, widthOf } from '../ir/types.ts';
import { readsLane } from '../ir/warp-facts.ts';

import {
  allBits,
  checked,
  constantForm,
  deltasOf,
  everywhere,
  fill,
  haveSameTerms,
  isSame,
  isZero,
  type LaneForm,
  type Leaf,
  lanes,
  numbersOf,
  type Rest,
  sumOf,
  timesConstant,
} from './lane-form.ts';

export interface LaneFormOptions {
  readonly block: readonly [number, number, number];
  /** Whether all lanes of a warp have the same value. */
  readonly isUniform: (value: Value) => boolean;
  /**
   * Whether an instruction is a clamp, which returns its first argument unchanged if the kernel's
   * addresses are valid.
   */
  readonly isClamp: (inst: Inst) => boolean;
}

/** The maximum depth of the search through operands. */
const furthest = 120;

export class LaneForms {
  private readonly options: LaneFormOptions;
  private readonly known = new IdMap<Definition, { readonly form: LaneForm | undefined }>();
  private readonly rests = new IdMap<Definition, Rest>();
  /** The bits that may be set in a uniform value. A value without an entry may have any bits. */
  private readonly leafBits = new Map<Leaf, number>();
  private readonly incoming: ReturnType<typeof incomingEdges>;
  private readonly entry: Func['blocks'][number] | undefined;
  /** The keys of `known`, in the order of their addition. */
  private readonly order: Definition[] = [];
  /** The parameters whose edges are being followed. */
  private readonly open = new Set<Param>();
  /** Whether the current form depends on a parameter in `open`. */
  private isTentative = false;
  private depth = 0;

  constructor(func: Func, options: LaneFormOptions) {
    this.options = options;
    this.incoming = incomingEdges(func);
    this.entry = func.blocks[0];
  }

  /**
   * Returns the form of a word, or of the low word of a wider value; undefined if no form is known.
   */
  of(value: Value): LaneForm | undefined {
    if (value.kind === 'constant') return constantForm(everywhere(Number(BigInt.asIntN(32, value.bits))));
    if (!isDefinition(value) || isFloat(value.type) || widthOf(value.type) > 64) return undefined;
    const known = this.known.get(value);
    if (known !== undefined) return known.form;
    if (value.kind === 'param' && this.open.has(value)) {
      this.isTentative = true;
      return undefined;
    }
    if (this.depth > furthest) return undefined;
    const outside = this.isTentative;
    this.isTentative = false;
    this.depth += 1;
    const form = this.find(value);
    this.depth -= 1;
    if (!this.isTentative) this.remember(value, form);
    this.isTentative ||= outside;
    return form;
  }

  /** Returns the first argument of a clamp, and any other value unchanged. */
  withoutClamp(value: Value): Value {
    const [inner] = value.kind === 'result' && this.options.isClamp(value.inst) ? value.inst.args : [];
    return inner ?? value;
  }

  /** Returns a power of two, up to 16, that divides a uniform value. */
  lowestBit(leaf: Leaf): number {
    const bits = this.leafBits.get(leaf) ?? allBits;
    const lowest = bits & -bits;
    return lowest === 0 || lowest > 16 ? 16 : lowest;
  }

  private find(value: Definition): LaneForm | undefined {
    const isUniform = this.options.isUniform(value);
    const found = value.kind === 'param' ? undefined : this.ofInst(value.inst, value);
    if (found !== undefined) return found;
    if (isUniform) return this.leafForm(value, allBits);
    return value.kind === 'param' ? this.ofParam(value) : undefined;
  }

  /** Returns the leaf of a value. `isWhole`: whether the form of the value is this leaf alone. */
  private leafOf(value: Definition, isWhole: boolean): Leaf {
    if (isWhole && this.options.isUniform(value)) return value;
    return getOrInsert(this.rests, value, (): Rest => ({ kind: 'rest', of: value }));
  }

  /**
   * Returns the form of a value whose lane-dependent part is `constants`, and whose other bits are
   * `bits`.
   */
  private leafForm(value: Definition, bits: number, constants = everywhere(0)): LaneForm {
    const mask = bits >>> 0;
    if (mask === 0) return constantForm(constants);
    const leaf = this.leafOf(value, isZero(constants));
    this.leafBits.set(leaf, mask);
    return { terms: new Map([[leaf, everywhere(1)]]), constants, bits: mask };
  }

  /**
   * Returns the form of a block parameter, such as a pointer that a loop advances. All incoming
   * edges must have the same distances between lanes.
   */
  private ofParam(param: Param): LaneForm | undefined {
    if (param.block === this.entry) return undefined;
    const index = param.block.params.indexOf(param);
    const args = allOf(this.incoming, param.block).map((edge) => edge.args[index]);
    this.open.add(param);
    const first = args.map((arg) => arg && this.of(arg)).find((form) => form !== undefined);
    this.open.delete(param);
    // The parameter is no longer open, so the form is tentative only if it depends on other open
    // parameters.
    this.isTentative = this.open.size > 0 && this.isTentative;
    if (first === undefined) return undefined;
    const deltas = deltasOf(first);
    const terms = new Map([...deltas.terms, [this.leafOf(param, false), everywhere(1)] as const]);
    const assumed: LaneForm = { terms, constants: deltas.constants, bits: undefined };
    const start = this.order.length;
    this.remember(param, assumed);
    const holds = args.every((arg) => {
      const form = arg && this.of(arg);
      return form !== undefined && haveSameTerms(deltasOf(form), deltas);
    });
    if (holds) return assumed;
    // The forms found since `start` may rely on the assumption about the parameter, which is wrong.
    for (const value of this.order.splice(start)) this.known.delete(value);
    return undefined;
  }

  private remember(value: Definition, form: LaneForm | undefined): void {
    this.known.set(value, { form });
    this.order.push(value);
  }

  private ofInst(inst: Inst, value: Definition): LaneForm | undefined {
    if (inst.when !== undefined) return undefined;
    const [a, b] = inst.args;
    switch (inst.op) {
      case 'special':
        return this.ofSpecial(inst.attrs.name, value);
      case 'zext':
      case 'sext':
      case 'trunc':
      case 'bitcast':
        return a !== undefined && widthOf(a.type) >= 32 && widthOf(value.type) >= 32 ? this.of(a) : undefined;
      case 'iadd':
      case 'isub': {
        const [x, y] = [a && this.of(a), b && this.of(b)];
        return x && y && sumOf(x, y, inst.op === 'iadd' ? 1 : -1);
      }
      case 'imul':
        return this.product(value, a, b);
      case 'shl':
      case 'shlw': {
        const amount = constantOf(b);
        const x = a && this.of(a);
        return x === undefined || amount === undefined || amount > 31n
          ? undefined
          : timesConstant(x, (2 ** Number(amount)) | 0);
      }
      case 'lshr':
      case 'lshrw':
      case 'ashrw':
      case 'ashr':
        return this.shifted(value, inst, a, constantOf(b));
      case 'ubfe': {
        const [start, count] = [constantOf(b), constantOf(inst.args[2])];
        if (start === undefined || count === undefined || start > 31n || count > 31n) return undefined;
        const moved = a && this.movedDown(value, this.of(a), Number(start));
        return moved && this.bitwise('and', value, moved, constantForm(everywhere(2 ** Number(count) - 1)));
      }
      case 'bfi':
        return this.inserted(value, inst);
      case 'and':
      case 'or':
      case 'xor': {
        const [x, y] = [a && this.of(a), b && this.of(b)];
        return x && y && this.bitwise(inst.op, value, x, y);
      }
      case 'umin':
        return this.options.isClamp(inst) && a !== undefined ? this.of(a) : undefined;
      case 'select':
        return this.selected(value, inst);
      case 'warp':
        return this.shuffled(inst, value);
      default:
        return undefined;
    }
  }

  private ofSpecial(name: string, value: Definition): LaneForm | undefined {
    const [x, y, z] = this.options.block;
    if (name === '%laneid') return constantForm(fill((lane) => lane));
    const isRow = y * z === 1 || x % lanes === 0;
    if (name !== '%tid.x' || !isRow) return undefined;
    const highest = Math.ceil(x / lanes) * lanes - 1;
    const bits = (2 ** (32 - Math.clz32(highest)) - 1) & ~(lanes - 1);
    return this.leafForm(
      value,
      bits,
      fill((lane) => lane),
    );
  }

  private product(value: Definition, a: Value | undefined, b: Value | undefined): LaneForm | undefined {
    const [x, y] = [a && this.of(a), b && this.of(b)];
    if (x === undefined || y === undefined) return undefined;
    const factor = numbersOf(y);
    if (factor !== undefined && isSame(factor)) return timesConstant(x, at(factor, 0, 'a factor'));
    const other = numbersOf(x);
    if (other !== undefined && isSame(other)) return timesConstant(y, at(other, 0, 'a factor'));
    // This is the product of a number that differs by lane and a uniform value.
    const [varying, shared] = this.isShared(y) ? [x, b] : this.isShared(x) ? [y, a] : [];
    if (varying === undefined || shared === undefined || !isDefinition(shared)) return undefined;
    if (![...varying.terms.values()].every(isSame)) return undefined;
    const terms = new Map<Leaf, Int32Array>();
    if (!isZero(varying.constants)) terms.set(shared, varying.constants);
    if (varying.terms.size > 0) terms.set(this.leafOf(value, terms.size === 0), everywhere(1));
    return { terms, constants: everywhere(0), bits: undefined };
  }

  private isShared({ terms, constants }: LaneForm): boolean {
    return isSame(constants) && [...terms.values()].every(isSame);
  }

  private shifted(
    value: Definition,
    inst: Inst,
    a: Value | undefined,
    amount: bigint | undefined,
  ): LaneForm | undefined {
    if (a === undefined || widthOf(a.type) > 32 || amount === undefined || amount > 31n) return undefined;
    const form = this.of(a);
    const isSigned = inst.op === 'ashr' || inst.op === 'ashrw';
    const mayBeNegative =
      form?.bits === undefined || (form.bits | 0) < 0 || form.constants.some((number) => number < 0);
    return isSigned && mayBeNegative ? undefined : this.movedDown(value, form, Number(amount));
  }

  private movedDown(value: Definition, form: LaneForm | undefined, amount: number): LaneForm | undefined {
    if (form?.bits === undefined) return undefined;
    const constants = form.constants.map((number) => number >>> amount);
    return this.leafForm(value, form.bits >>> amount, constants);
  }

  /** Combines the lane-dependent parts of two forms, and separately their uniform parts. */
  private bitwise(op: 'and' | 'or' | 'xor', value: Definition, x: LaneForm, y: LaneForm): LaneForm | undefined {
    if (x.bits === undefined || y.bits === undefined) return undefined;
    const combine = (p: number, q: number): number => (op === 'and' ? p & q : op === 'or' ? p | q : p ^ q);
    // If bits of one operand are unknown, these bits of the other operand must be the same in all
    // lanes.
    const differing = (form: LaneForm): number =>
      form.constants.reduce((bits, number) => bits | (number ^ at(form.constants, 0, 'a lane')), 0);
    if ((x.bits & differing(y)) !== 0 || (y.bits & differing(x)) !== 0) return undefined;
    const [p, q] = [at(x.constants, 0, 'a lane'), at(y.constants, 0, 'a lane')];
    const kept =
      op === 'and'
        ? (x.bits & (y.bits | q)) | (y.bits & p)
        : (x.bits & ~(op === 'or' ? q : 0)) | (y.bits & ~(op === 'or' ? p : 0));
    const bits = kept >>> 0;
    const constants = fill((lane) => combine(at(x.constants, lane, 'a lane'), at(y.constants, lane, 'a lane')) & ~bits);
    // If one operand alone provides the uniform bits, unchanged, the result keeps the terms of that
    // operand.
    for (const [own, other, number] of [
      [x, y, q],
      [y, x, p],
    ] as const) {
      const isKept = other.bits === 0 && bits === own.bits && (op === 'xor' ? (number & bits) === 0 : true);
      if (isKept) return { terms: own.terms, constants, bits };
    }
    return this.leafForm(value, bits, constants);
  }

  /** Returns the form of a word in which a bit field replaces some bits. */
  private inserted(value: Definition, { args: [field, target, position, length] }: Inst): LaneForm | undefined {
    const [start, count] = [constantOf(position), constantOf(length)];
    if (start === undefined || count === undefined || start > 31n || start + count > 32n) return undefined;
    const mask = Number(((1n << count) - 1n) << start) | 0;
    const [x, y] = [field && this.of(field), target && this.of(target)];
    if (x === undefined || y === undefined) return undefined;
    const inside = this.bitwise(
      'and',
      value,
      timesConstant(x, (2 ** Number(start)) | 0),
      constantForm(everywhere(mask)),
    );
    const outside = this.bitwise('and', value, y, constantForm(everywhere(~mask)));
    if (inside?.bits === undefined || outside?.bits === undefined) return undefined;
    const constants = fill((lane) => at(inside.constants, lane, 'a lane') | at(outside.constants, lane, 'a lane'));
    const bits = (inside.bits | outside.bits) >>> 0;
    if (outside.bits === 0) return checked(inside.terms, constants, bits);
    return inside.bits === 0 ? checked(outside.terms, constants, bits) : this.leafForm(value, bits, constants);
  }

  private selected(value: Definition, { args }: Inst): LaneForm | undefined {
    const [condition, a, b] = args;
    if (condition === undefined || !this.options.isUniform(condition)) return undefined;
    const [x, y] = [a && this.of(a), b && this.of(b)];
    if (x === undefined || y === undefined) return undefined;
    const deltas = deltasOf(x);
    if (!haveSameTerms(deltas, deltasOf(y))) return undefined;
    return {
      terms: new Map([...deltas.terms, [this.leafOf(value, false), everywhere(1)]]),
      constants: deltas.constants,
      bits: undefined,
    };
  }

  /** Returns the form of a shuffle's result, from the forms of the lanes that it reads. */
  private shuffled(inst: Inst, value: Definition): LaneForm | undefined {
    const sources = value.kind === 'result' && value.index === 0 ? this.sourcesOf(inst) : undefined;
    const [word] = inst.args;
    const form = sources && word && this.of(word);
    if (form === undefined || sources === undefined) return undefined;
    const moved = (numbers: Int32Array): Int32Array => sources.map((lane) => at(numbers, lane, 'a lane'));
    const terms = new Map([...form.terms].map(([leaf, factors]) => [leaf, moved(factors)]));
    return { terms, constants: moved(form.constants), bits: form.bits };
  }

  /**
   * Returns the lane from which each lane reads in a shuffle of the whole warp; undefined for other
   * instructions.
   */
  sourcesOf(inst: Inst): Int32Array | undefined {
    if (inst.op !== 'warp' || !readsLane(inst)) return undefined;
    const [, lane, clamp, mask] = inst.args;
    if (constantOf(clamp) !== 31n || constantOf(mask) !== 0xffff_ffffn || inst.when !== undefined) return undefined;
    return lane && numbersOf(this.of(lane))?.map((number) => number & 31);
  }
}
