// The interface for lowerings of warp instructions: values of the 32 lanes, ballots and exchanges,
// for every lane plan.
import { InternalError } from '../../base/invariants.ts';
import { exchangesInWorkgroup, type LanePlan } from '../../base/lane-plan.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import type { Workarounds } from '../../base/workarounds.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type ScalarType, type Stmt } from '../tree/nodes.ts';
import type { WarpHelper, WarpPrelude } from './prelude.ts';
import type { ReductionHelper } from './reductions.ts';
import type { WordsFunction } from './words-function.ts';

/**
 * A value in every lane of the warp. `at(slot)` is the value in the invocation's lane with that
 * slot; plans with one lane per invocation ignore the slot. Code may call `at` any number of times.
 */
export interface WarpValue {
  readonly type: ScalarType;
  readonly at: (slot: Expr) => Expr;
  /**
   * The values of all lanes of the invocation as one array, in plans with several lanes per
   * invocation. If this member is undefined, code that needs an array makes a copy.
   */
  readonly whole?: (() => Expr) | undefined;
  /** The bits of the value, if all lanes have the same known value. */
  readonly constant?: bigint | undefined;
  /** Whether all executing lanes have the same value. */
  readonly shared?: true;
  /** The value is a membermask that names exactly the lanes that the instruction's guard admits. */
  readonly namesGuarded?: true;
  /**
   * Returns a number of bits such that the value is less than 2^bits in every lane. Called only if
   * a lowering needs this number.
   */
  readonly bits?: (() => number) | undefined;
  /**
   * Returns whether the value, as an f32, is known to be neither subnormal nor -0. Called only if a
   * lowering needs this fact.
   */
  readonly isOrdinary?: () => boolean;
}

/** The place of a warp instruction in the program. The whole subgroup reaches this place. */
export interface WarpSite {
  readonly plan: LanePlan;
  readonly workarounds: Workarounds;
  readonly prelude: WarpPrelude;
  /** Whether results may be any of the NaNs that the adapter returns. */
  readonly anyNaN?: boolean;
  /** Whether the bits of f32 results must be those of PTX. */
  readonly isExact?: boolean;
  /** Whether f32 results must have the bits of PTX although the adapter flushes subnormals. */
  readonly flushes?: boolean;
  /** How products of floating-point matrices are added. The default is `ieee`. */
  readonly matrix?: MatrixMode | undefined;
  /** Whether the adapter rounds pairs of f32 to the nearest f16 values. */
  readonly packsHalf?: boolean;
  /** Returns the lane number, a u32 from 0 to 31. */
  lane(slot: Expr): Expr;
  /** Returns whether the lane executes the instruction. Undefined if all 32 lanes do. */
  readonly active: ((slot: Expr) => Expr) | undefined;
  /**
   * Returns whether the lane's results are used. Undefined if the results of all lanes may be used.
   */
  readonly guard?: ((slot: Expr) => Expr) | undefined;
  /** In wide plans: returns the index of the warp in its subgroup. */
  warpInSubgroup(): Expr;
  push(statement: Stmt): void;
  /** Returns the statements that `body` appends, as a nested block. */
  nest(body: () => void): readonly Stmt[];
  /**
   * Appends the statements of `body` for each lane of the invocation. If an invocation is one lane,
   * they are appended once, without a loop.
   */
  eachSlot(body: (slot: Expr) => void): void;
  /**
   * Orders the memory accesses of the warp's lanes. If the lanes may be at different instructions,
   * waits for the workgroup.
   */
  order(): void;
  /**
   * Defines a name, at the top of the program, for a value that depends only on the lane number.
   * The same key returns the same name. May be called only if an invocation is one lane.
   */
  atTop(key: string, hint: string, value: () => Expr): Expr;
}

export class WarpWriter {
  readonly plan: LanePlan;
  readonly workarounds: Workarounds;
  readonly lane: WarpValue;
  /** Whether all 32 lanes are known to execute the instruction. */
  readonly allActive: boolean;
  /** Whether results may be any of the NaNs that the adapter returns. */
  readonly anyNaN: boolean;
  /** Whether the bits of f32 results must be those of PTX. */
  readonly isExact: boolean;
  /** Whether f32 results must have the bits of PTX although the adapter flushes subnormals. */
  readonly flushes: boolean;
  /** How products of floating-point matrices are added. The default is `ieee`. */
  readonly matrix: MatrixMode | undefined;
  /** Whether the adapter rounds pairs of f32 to the nearest f16 values. */
  readonly packsHalf: boolean;
  private readonly site: WarpSite;
  private executing: Expr | undefined;

  constructor(site: WarpSite) {
    this.site = site;
    this.plan = site.plan;
    this.workarounds = site.workarounds;
    this.anyNaN = site.anyNaN === true;
    this.isExact = site.isExact === true;
    this.flushes = site.flushes === true;
    this.matrix = site.matrix;
    this.packsHalf = site.packsHalf === true;
    this.lane = { type: 'u32', at: (slot) => site.lane(slot) };
    this.allActive = site.active === undefined;
  }

  /** Returns whether the lane executes the instruction. Absent: all lanes execute it. */
  active(slot: Expr): Expr {
    return this.site.active?.(slot) ?? w.bool(true);
  }

  /** Returns the conjunction of a predicate with `active`. */
  amongActive(slot: Expr, predicate: Expr): Expr {
    return this.site.active === undefined ? predicate : w.both(this.site.active(slot), predicate);
  }

  /** Returns the conjunction of a predicate with `guarded`. */
  amongGuarded(slot: Expr, predicate: Expr): Expr {
    const { guard } = this.site;
    return this.amongActive(slot, guard === undefined ? predicate : w.both(guard(slot), predicate));
  }

  /** Returns whether the lane executes the instruction and its results are used. */
  guarded(slot: Expr): Expr {
    const guard = this.site.guard?.(slot);
    return guard === undefined ? this.active(slot) : this.amongActive(slot, guard);
  }

  /**
   * Whether all 32 lanes execute the instruction without a guard, so that the results of all lanes
   * are used.
   */
  get allWanted(): boolean {
    return this.allActive && this.site.guard === undefined;
  }

  /**
   * Returns the mask of the lanes that execute the instruction. The mask is uniform in the warp.
   */
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

  /**
   * Declares a variable in each lane. `at` returns an expression to which values can be assigned.
   */
  variable(type: ScalarType, hint: string): WarpValue & { readonly whole: () => Expr } {
    const { slots } = this.plan;
    const name = new Name(hint);
    const held = slots > 1 ? w.array(type, slots) : type;
    const whole = w.ref(name, held);
    this.site.push(w.variable(name, held));
    return { type, at: (slot) => (slots > 1 ? w.index(whole, slot) : whole), whole: () => whole };
  }

  /**
   * Computes a u32 that depends only on the lane number. If an invocation is one lane, the value is
   * computed once per program. Compilers would not move the computation out of loops, where it
   * would cost as much as the code that uses it.
   */
  fromLane(key: string, hint: string, code: (slot: Expr) => Expr): WarpValue {
    if (this.plan.slots > 1) return this.each('u32', hint, code);
    return { type: 'u32', at: always(this.site.atTop(key, hint, () => code(w.u32(0)))) };
  }

  /** Defines a name for the mask of the lanes in which a predicate is true. */
  ballot(hint: string, predicate: (slot: Expr) => Expr): Expr {
    return this.define(hint, this.call('warp_ballot', this.argument({ type: 'bool', at: predicate }, 'predicate')));
  }

  /** Returns the value of another lane of the warp. `source` must be a lane number below 32. */
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

  /** Calls a function that computes words of each lane. Returns its results in every lane. */
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

  /** Calls the lane plan's function for a reduction. The result is uniform in the warp. */
  reduce(helper: ReductionHelper, hint: string, value: WarpValue): Expr {
    return this.define(hint, this.call(helper, this.argument(value, 'part')));
  }

  /** Defines a name for a value that is uniform in the warp. */
  define(hint: string, value: Expr): Expr {
    if (value.kind === 'name' || value.kind === 'literal') return value;
    const name = new Name(hint);
    this.site.push(w.define(name, value));
    return w.ref(name, value.type);
  }

  /** Returns a call of the lane plan's function. */
  call(helper: WarpHelper, ...args: readonly Expr[]): Expr {
    return this.site.prelude.call(helper, args, () => this.site.warpInSubgroup());
  }

  /** Returns the expression that represents a whole value as the argument of a function. */
  private argument(value: WarpValue, hint: string): Expr {
    if (this.plan.slots === 1) return value.at(w.u32(0));
    return value.whole?.() ?? this.array(value.type, hint, value.at).whole?.() ?? value.at(w.u32(0));
  }

  /**
   * Orders the memory accesses of the warp's lanes. If they do not execute in lockstep, waits for
   * them.
   */
  order(): void {
    this.site.order();
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

/**
 * The result for each destination, by its name in the row's syntax. Destinations that are not used
 * may be omitted.
 */
export type WarpResults = Readonly<Record<string, WarpValue>>;

/**
 * The operands, by their names in the row's syntax. A 64-bit value has two words, of which the
 * first is the low word.
 */
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

/** Returns the same bits with another type. */
export function bitsOf(value: WarpValue, type: ScalarType): WarpValue {
  if (value.type === type) return value;
  const { constant } = value;
  return { type, at: (slot) => w.bitcast(type, value.at(slot)), ...(constant === undefined ? {} : { constant }) };
}

/** Returns a value that is the same in all lanes. */
export const everywhere = (value: Expr): WarpValue => ({ type: scalarOf(value), at: always(value) });

function scalarOf({ type }: Expr): ScalarType {
  if (typeof type !== 'string') throw new InternalError('the value of a lane must be a scalar');
  return type;
}

export const constantU32 = (value: bigint): WarpValue => ({ ...everywhere(w.u32(value)), constant: value });
const holds: WarpValue = { ...everywhere(w.bool(true)), constant: 1n };
const fails: WarpValue = { ...everywhere(w.bool(false)), constant: 0n };
export const constantBool = (value: boolean): WarpValue => (value ? holds : fails);

/**
 * Returns whether the lane is in a known mask: `lane < n` or `lane >= n` if the mask consists of
 * consecutive bits at one end, and otherwise a test of the lane's bit.
 */
export function inMask(lane: Expr, mask: bigint): Expr {
  for (let n = 1n; n < 32n; n++) {
    if (mask === (1n << n) - 1n) return w.lt(lane, w.u32(n));
    if (mask === 0xffff_ffffn - ((1n << n) - 1n)) return w.ge(lane, w.u32(n));
  }
  return hasBit(w.u32(mask), lane);
}

/** Returns whether a mask contains a lane. */
export const hasBit = (mask: Expr, lane: Expr): Expr => w.ne(w.and(w.shr(mask, lane), w.u32(1)), w.u32(0));

/** Returns the lowest lane of a known mask. Returns 32 for an empty mask, like `lowestBit`. */
export function lowestLane(mask: bigint): bigint {
  let lane = 0n;
  while (lane < 32n && ((mask >> lane) & 1n) === 0n) lane += 1n;
  return lane;
}

/**
 * Returns the words of the source called `name`. Throws an error if the row's syntax does not have
 * that operand.
 */
export function words(sources: WarpSources, name: string): readonly WarpValue[] {
  const values = sources[name];
  if (values === undefined || values.length === 0) throw new InternalError(`the instruction has no operand ${name}`);
  return values;
}

/** Returns the source called `name`, which must be a single word. */
export function source(sources: WarpSources, name: string): WarpValue {
  const [value] = words(sources, name);
  if (value === undefined) throw new InternalError(`the instruction has no operand ${name}`);
  return value;
}
