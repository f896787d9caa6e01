// What a lowering of a warp instruction may use: values of the 32 lanes, ballots and exchanges, whatever the lane plan.
import { InternalError } from '../../base/invariants.ts';
import { exchangesInWorkgroup, type LanePlan } from '../../base/lane-plan.ts';
import type { Workarounds } from '../../base/workarounds.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type ScalarType, type Stmt } from '../tree/nodes.ts';
import type { WarpHelper, WarpPrelude } from './prelude.ts';
import type { ReductionHelper } from './reductions.ts';
import type { WordsFunction } from './words-function.ts';

/**
 * A value in every lane of the warp. `at(slot)` is the value in the lane that `slot` selects among an invocation's lanes; plans with one lane per
 * invocation ignore it. It may be asked for any number of times.
 */
export interface WarpValue {
  readonly type: ScalarType;
  readonly at: (slot: Expr) => Expr;
  /** The values of all lanes of the invocation as one array, in plans with several; without it a copy is made where an array is needed. */
  readonly whole?: () => Expr;
  /** The bits, where all lanes hold the same known value. */
  readonly constant?: bigint;
  /** Whether all executing lanes hold the same value. */
  readonly shared?: true;
  /** Of a member mask: it names the lanes under the instruction's guard, and no others. */
  readonly namesGuarded?: true;
  /** The value is below 2^bits in every lane. Asked for only where a lowering needs it. */
  readonly bits?: () => number;
  /** Whether the value, as an f32, is known to be neither subnormal nor -0. Called only if a lowering needs it. */
  readonly isOrdinary?: () => boolean;
}

/** The place where a warp instruction is written, which the whole subgroup reaches. */
export interface WarpSite {
  readonly plan: LanePlan;
  readonly workarounds: Workarounds;
  readonly prelude: WarpPrelude;
  /** Whether the adapter's own NaNs are as good as PTX's. */
  readonly anyNaN?: boolean;
  /** Whether f32 results must have PTX's bits. */
  readonly isExact?: boolean;
  /** Whether they must, on an adapter whose f32 arithmetic flushes subnormal numbers. */
  readonly flushes?: boolean;
  /** The lane number, a u32 from 0 to 31. */
  lane(slot: Expr): Expr;
  /** Whether the lane executes the instruction; undefined where all 32 do. */
  readonly active: ((slot: Expr) => Expr) | undefined;
  /** Whether anyone wants the lane's results; undefined where all may. */
  readonly guard?: ((slot: Expr) => Expr) | undefined;
  /** In wide plans: which warp of the subgroup this is. */
  warpInSubgroup(): Expr;
  /** Appends a statement. */
  push(statement: Stmt): void;
  /** Statements that `body` appends, for a block of their own. */
  nest(body: () => void): readonly Stmt[];
  /** Appends `body` for each lane that the invocation holds; with one lane per invocation, as it is. */
  eachSlot(body: (slot: Expr) => void): void;
  /** Where lanes of a warp may be apart: waits for all of the workgroup, whose accesses to memory before it are done for those behind it. */
  order(): void;
  /** Names what follows from the lane number alone, at the top of the program; the same name for the same key. Only with one lane per invocation. */
  atTop(key: string, hint: string, value: () => Expr): Expr;
}

export class WarpWriter {
  readonly plan: LanePlan;
  readonly workarounds: Workarounds;
  readonly lane: WarpValue;
  /** Whether all 32 lanes are known to execute the instruction. */
  readonly allActive: boolean;
  /** Whether the adapter's own NaNs are as good as PTX's. */
  readonly anyNaN: boolean;
  /** Whether f32 results must have PTX's bits. */
  readonly isExact: boolean;
  /** Whether they must, on an adapter whose f32 arithmetic flushes subnormal numbers. */
  readonly flushes: boolean;
  private readonly site: WarpSite;
  private executing: Expr | undefined;

  constructor(site: WarpSite) {
    this.site = site;
    this.plan = site.plan;
    this.workarounds = site.workarounds;
    this.anyNaN = site.anyNaN === true;
    this.isExact = site.isExact === true;
    this.flushes = site.flushes === true;
    this.lane = { type: 'u32', at: (slot) => site.lane(slot) };
    this.allActive = site.active === undefined;
  }

  /** Whether the lane executes the instruction. Absent: all do. */
  active(slot: Expr): Expr {
    return this.site.active?.(slot) ?? w.bool(true);
  }

  /** A predicate, of lanes that execute the instruction. */
  amongActive(slot: Expr, predicate: Expr): Expr {
    return this.site.active === undefined ? predicate : w.both(this.site.active(slot), predicate);
  }

  /** A predicate, of lanes whose results are wanted, among those that execute the instruction. */
  amongGuarded(slot: Expr, predicate: Expr): Expr {
    const { guard } = this.site;
    return this.amongActive(slot, guard === undefined ? predicate : w.both(guard(slot), predicate));
  }

  /** Whether the lane executes the instruction and its results are wanted. */
  guarded(slot: Expr): Expr {
    const guard = this.site.guard?.(slot);
    return guard === undefined ? this.active(slot) : this.amongActive(slot, guard);
  }

  /** Whether all 32 lanes execute the instruction, and the results of all are wanted: no guard keeps any out. */
  get allWanted(): boolean {
    return this.allActive && this.site.guard === undefined;
  }

  /** The mask of lanes that execute the instruction, the same in the whole warp. */
  exec(): Expr {
    const { active } = this.site;
    this.executing ??= active === undefined ? w.u32(0xffff_ffff) : this.ballot('exec', active);
    return this.executing;
  }

  /** Computes a value in every lane. */
  each(type: ScalarType, hint: string, code: (slot: Expr) => Expr): WarpValue {
    const probe = code(w.u32(0));
    if (probe.kind === 'name' || probe.kind === 'literal') {
      return this.plan.slots > 1 || probe.kind === 'literal' ? { type, at: code } : { type, at: () => probe };
    }
    if (this.plan.slots > 1) return probe.kind === 'index' ? { type, at: code } : this.array(type, hint, code);
    return { type, at: always(this.define(hint, probe)) };
  }

  private array(type: ScalarType, hint: string, code: (slot: Expr) => Expr): WarpValue {
    const { at, whole } = this.variable(type, hint);
    this.site.eachSlot((slot) => this.site.push(w.assign(at(slot), code(slot))));
    return { type, at, whole };
  }

  /** A variable of each lane, which is assigned what `at` gives. */
  variable(type: ScalarType, hint: string): WarpValue & { readonly whole: () => Expr } {
    const { slots } = this.plan;
    const name = new Name(hint);
    const held = slots > 1 ? w.array(type, slots) : type;
    const whole = w.ref(name, held);
    this.site.push(w.variable(name, held));
    return { type, at: (slot) => (slots > 1 ? w.index(whole, slot) : whole), whole: () => whole };
  }

  /**
   * Computes a u32 that follows from the lane number alone, once for the whole program where an invocation is a lane: compilers leave it inside of
   * loops, where it would cost as much as what it is for.
   */
  fromLane(key: string, hint: string, code: (slot: Expr) => Expr): WarpValue {
    if (this.plan.slots > 1) return this.each('u32', hint, code);
    return { type: 'u32', at: always(this.site.atTop(key, hint, () => code(w.u32(0)))) };
  }

  /** Names the mask of the lanes in which a predicate holds. */
  ballot(hint: string, predicate: (slot: Expr) => Expr): Expr {
    return this.define(hint, this.call('warp_ballot', this.argument({ type: 'bool', at: predicate }, 'predicate')));
  }

  /** The value of another lane of the warp; `source` is a lane number below 32. */
  shuffle(hint: string, value: WarpValue, source: WarpValue): WarpValue {
    const inWords = this.plan.slots > 1 || exchangesInWorkgroup(this.plan);
    const type = inWords ? 'u32' : value.type;
    const code = this.call(
      'warp_shuffle',
      this.argument(bitsOf(value, type), 'given'),
      this.argument(source, 'sources'),
    );
    if (this.plan.slots === 1) return bitsOf({ type, at: always(this.define(hint, code)) }, value.type);
    const name = new Name(hint);
    const whole = w.ref(name, w.array('u32', this.plan.slots));
    this.site.push(w.variable(name, whole.type, code));
    return bitsOf({ type, at: (slot) => w.index(whole, slot), whole: always(whole) }, value.type);
  }

  /** Calls a function of words of each lane. Its results in every lane. */
  callWords(func: WordsFunction & { readonly args: readonly WarpValue[] }): readonly WarpValue[] {
    const { site, plan } = this;
    const args = func.args.map((value) => this.argument(bitsOf(value, 'u32'), 'words'));
    const code = site.prelude.callWords(func, args, site.lane(w.u32(0)), () => site.warpInSubgroup());
    const name = new Name('product');
    const whole = w.ref(name, code.type);
    site.push(plan.slots > 1 ? w.variable(name, code.type, code) : w.define(name, code));
    return Array.from({ length: func.results }, (_, index): WarpValue => {
      const result = w.index(whole, w.u32(index));
      if (plan.slots === 1) return { type: 'u32', at: always(result) };
      return { type: 'u32', at: (slot) => w.index(result, slot), whole: always(result) };
    });
  }

  /** Calls a plan's own function on a value in every lane; the same in the whole warp. */
  reduce(helper: ReductionHelper, hint: string, value: WarpValue): Expr {
    return this.define(hint, this.call(helper, this.argument(value, 'part')));
  }

  /** Names a value that is the same in the whole warp. */
  define(hint: string, value: Expr): Expr {
    if (value.kind === 'name' || value.kind === 'literal') return value;
    const name = new Name(hint);
    this.site.push(w.define(name, value));
    return w.ref(name, value.type);
  }

  /** A call of a plan's function. */
  call(helper: WarpHelper, ...args: readonly Expr[]): Expr {
    return this.site.prelude.call(helper, args, () => this.site.warpInSubgroup());
  }

  /** What stands for a whole value when it is passed to a function. */
  private argument(value: WarpValue, hint: string): Expr {
    if (this.plan.slots === 1) return value.at(w.u32(0));
    return value.whole?.() ?? this.array(value.type, hint, value.at).whole?.() ?? value.at(w.u32(0));
  }

  /** Orders the accesses of the warp's lanes to memory, and waits for them, where they do not go in step. */
  order(): void {
    if (exchangesInWorkgroup(this.plan)) this.site.order();
  }

  eachSlot(body: (slot: Expr) => void): void {
    this.site.eachSlot(body);
  }

  push(statement: Stmt): void {
    this.site.push(statement);
  }

  nest(body: () => void): readonly Stmt[] {
    return this.site.nest(body);
  }
}

/** A result for each destination, by its name in the row's syntax; of destinations nobody reads none need be given. */
export type WarpResults = Readonly<Record<string, WarpValue>>;

/** Operands by their names in the row's syntax. A value of 64 bits is its two words, the low one first. */
export type WarpSources = Readonly<Record<string, readonly WarpValue[]>>;

export type WarpLowering = (
  writer: WarpWriter,
  mods: Readonly<Record<string, string>>,
  sources: WarpSources,
  wanted: ReadonlySet<string>,
) => WarpResults;

const always =
  <T>(value: T) =>
  (): T =>
    value;

/** The same bits as another type. */
export function bitsOf(value: WarpValue, type: ScalarType): WarpValue {
  if (value.type === type) return value;
  const { constant } = value;
  return { type, at: (slot) => w.bitcast(type, value.at(slot)), ...(constant === undefined ? {} : { constant }) };
}

/** The same value in all lanes. */
export const everywhere = (value: Expr): WarpValue => ({ type: scalarOf(value), at: always(value) });

function scalarOf({ type }: Expr): ScalarType {
  if (typeof type !== 'string') throw new InternalError('a lane holds a scalar');
  return type;
}

export const constantU32 = (value: bigint): WarpValue => ({ ...everywhere(w.u32(value)), constant: value });
const holds: WarpValue = { ...everywhere(w.bool(true)), constant: 1n };
const fails: WarpValue = { ...everywhere(w.bool(false)), constant: 0n };
export const constantBool = (value: boolean): WarpValue => (value ? holds : fails);

/** Whether the lane is in a known mask: `lane < n` or `lane >= n` where that is one run of bits from an end; else a bit test. */
export function inMask(lane: Expr, mask: bigint): Expr {
  for (let n = 1n; n < 32n; n++) {
    if (mask === (1n << n) - 1n) return w.lt(lane, w.u32(n));
    if (mask === 0xffff_ffffn - ((1n << n) - 1n)) return w.ge(lane, w.u32(n));
  }
  return hasBit(w.u32(mask), lane);
}

/** Whether a mask has the bit of a lane. */
export const hasBit = (mask: Expr, lane: Expr): Expr => w.ne(w.and(w.shr(mask, lane), w.u32(1)), w.u32(0));

/** The lowest lane of a known mask; 32 of an empty one, as `lowestBit` has it. */
export function lowestLane(mask: bigint): bigint {
  let lane = 0n;
  while (lane < 32n && ((mask >> lane) & 1n) === 0n) lane += 1n;
  return lane;
}

/** The words of the source called `name`. Throws when the row's lowering asks for an operand that its syntax lacks. */
export function words(sources: WarpSources, name: string): readonly WarpValue[] {
  const values = sources[name];
  if (values === undefined || values.length === 0) throw new InternalError(`the instruction has no operand ${name}`);
  return values;
}

/** The source called `name`, which is one word. */
export function source(sources: WarpSources, name: string): WarpValue {
  const [value] = words(sources, name);
  if (value === undefined) throw new InternalError(`the instruction has no operand ${name}`);
  return value;
}
