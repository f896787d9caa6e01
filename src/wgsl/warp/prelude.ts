// The functions that all warp lowerings use: votes, exchanges and reductions for a lane plan. A
// program contains the functions that it calls.
import { at, missing } from '../../base/invariants.ts';
import type { LanePlan } from '../../base/lane-plan.ts';
import type { Workarounds } from '../../base/workarounds.ts';
import * as w from '../tree/build.ts';
import { type Declaration, type Expr, Name, type Stmt, type WgslType } from '../tree/nodes.ts';
import { anyInSubgroup, lowestBit, type ReductionHelper, reductions } from './reductions.ts';
import { declareWords, type WordsFunction } from './words-function.ts';
import { type ExchangeMemory, WorkgroupExchange } from './workgroup-exchange.ts';

/** The name of a function that reduces over the members of a mask that differs between lanes. */
type GroupHelper = `${ReductionHelper}_group`;

type MatchHelper = 'warp_match_bit' | 'warp_match_any';

export type WarpHelper = 'warp_ballot' | 'warp_shuffle' | MatchHelper | ReductionHelper | GroupHelper;

type FunctionDeclaration = Extract<Declaration, { readonly kind: 'function' }>;

/** The parameters of a function, as names and as expressions. */
class Params {
  readonly list: { readonly name: Name; readonly type: WgslType }[] = [];

  add(hint: string, type: WgslType): Expr {
    const name = new Name(hint);
    this.list.push({ name, type });
    return w.ref(name, type);
  }
}

/**
 * The functions of one program. If an invocation contains several lanes, the arguments are arrays
 * with an element for each lane.
 */
export class WarpPrelude {
  private readonly plan: LanePlan;
  private readonly workarounds: Workarounds;
  private readonly functions = new Map<string, FunctionDeclaration>();
  /** The exchange; defined if lanes exchange through workgroup memory. */
  private readonly exchange: WorkgroupExchange | undefined;

  /**
   * Creates a prelude without functions. `memory` is required for plans whose lanes exchange
   * through workgroup memory.
   */
  constructor(plan: LanePlan, workarounds: Workarounds, memory?: ExchangeMemory) {
    this.plan = plan;
    this.workarounds = workarounds;
    this.exchange = memory && new WorkgroupExchange(memory);
  }

  /** The functions that have been called so far, callees first. */
  get declarations(): readonly Declaration[] {
    // Absent: the lanes exchange within a subgroup.
    return [...(this.exchange?.declarations ?? []), ...this.functions.values()];
  }

  /**
   * Returns a call of a helper, or of a builtin if the plan has one for it. In wide plans,
   * `warpInSubgroup` returns the index of the warp in its subgroup.
   */
  call(helper: WarpHelper, args: readonly Expr[], warpInSubgroup: () => Expr): Expr {
    const value = at(args, 0, 'the argument of a function');
    const lane = () => at(args, 1, 'the lane of a shuffle');
    const { kind } = this.plan;
    if (kind === 'native') {
      if (helper === 'warp_ballot') return w.swizzle(w.builtin('subgroupBallot', w.vec4u, value), 'x');
      if (helper === 'warp_shuffle') return w.builtin('subgroupShuffle', value.type, value, lane());
      if (isReduction(helper)) return reductions[helper].overSubgroup(value);
    }
    if (kind === 'wide' && helper === 'warp_shuffle') {
      return w.builtin('subgroupShuffle', value.type, value, w.or(w.shl(warpInSubgroup(), w.u32(5)), lane()));
    }
    const { name, result = missing('the result of a function', helper) } = this.declare(helper);
    return w.call(name, result, ...args, ...(kind === 'wide' && !isReduction(helper) ? [warpInSubgroup()] : []));
  }

  /**
   * Returns a call of a function that computes words of each lane. The function is declared once
   * for each hint. The value of the call is an array with an element for each result.
   */
  callWords(func: WordsFunction, args: readonly Expr[], lane: Expr, warpInSubgroup: () => Expr): Expr {
    const declared =
      this.functions.get(func.hint) ??
      declareWords(this.plan, func, {
        shuffle: (value, from, place) => this.call('warp_shuffle', [value, from], place),
        leave: this.exchange && ((values) => this.exchange?.leave(values)),
      });
    this.functions.set(func.hint, declared);
    const place = this.plan.kind === 'wide' ? [warpInSubgroup()] : [];
    return w.call(
      declared.name,
      declared.result ?? missing('the result of a function', func.hint),
      ...args,
      lane,
      ...place,
    );
  }

  private declare(helper: WarpHelper): FunctionDeclaration {
    const known = this.functions.get(helper);
    if (known !== undefined) return known;
    // `make` may declare other functions, whose declarations must precede this one.
    const made = this.make(helper);
    this.functions.set(helper, made);
    return made;
  }

  private make(helper: WarpHelper): FunctionDeclaration {
    const { exchange } = this;
    if (exchange) {
      if (helper === 'warp_shuffle') return exchange.shuffle();
      if (helper === 'warp_ballot') return exchange.ballot();
      if (helper === 'warp_match_any') return exchange.matchAny();
      if (isReduction(helper)) return exchange.reduction(helper);
      if (isGroup(helper)) return exchange.group(helper, reductionOf[helper]);
    }
    if (helper === 'warp_match_bit') return this.matchBit();
    if (helper === 'warp_match_any') return this.matchAny();
    if (isGroup(helper)) return this.group(helper);
    if (this.plan.kind === 'wide') return isReduction(helper) ? wideReduction(helper) : this.wideBallot();
    if (helper === 'warp_ballot') return this.slottedBallot();
    return helper === 'warp_shuffle' ? this.slottedShuffle() : this.slottedReduction(helper);
  }

  /** Adds the last parameter of functions that need the index of the warp in its subgroup. */
  private place(params: Params): () => Expr {
    if (this.plan.kind !== 'wide') return () => w.u32(0);
    const place = params.add('warp_in_subgroup', 'u32');
    return () => place;
  }

  /**
   * Declares a reduction over groups. Each lane adds the partial sum of the member one position
   * after it, then those of the members 2, 4, 8 and 16 positions after it. The lowest member then
   * has the sum of its group. This works for any partition into groups. The lane numbers depend
   * only on the mask and the lane, so compilers move their computation out of loops.
   */
  private group(helper: GroupHelper): FunctionDeclaration {
    const { combine, identity } = reductions[reductionOf[helper]];
    const params = new Params();
    const [value, members, lane] = [
      params.add('value', 'u32'),
      params.add('members', 'u32'),
      params.add('lane', 'u32'),
    ];
    const place = this.place(params);
    const [total, above] = [new Name('total'), new Name('above')];
    const [all, rest] = [w.ref(total, 'u32'), w.ref(above, 'u32')];
    const fetch = (mask: Expr) => this.call('warp_shuffle', [all, w.and(lowestBit(mask), w.u32(31))], place);
    const steps = [1, 2, 4, 8, 16].flatMap((distance): Stmt[] => {
      const after = new Name(`after_${distance}`);
      const next = w.select(w.ne(rest, w.u32(0)), w.ref(after, 'u32'), identity);
      return [
        ...Array.from({ length: distance >> 1 }, () => w.update(rest, '&', w.sub(rest, w.u32(1)))),
        w.define(after, fetch(rest)),
        w.assign(all, combine(all, next)),
      ];
    });
    const body = [
      w.variable(total, 'u32', value),
      w.variable(above, 'u32', w.and(members, w.shl(w.u32(0xffff_fffe), lane))),
      ...steps,
      w.give(fetch(members)),
    ];
    return declaration(helper, params, 'u32', body, 'Reduces over the members of the lane’s own mask.');
  }

  private matchBit(): FunctionDeclaration {
    const params = new Params();
    const [same, value, bit] = [params.add('same', 'u32'), params.add('value', 'u32'), params.add('bit', 'u32')];
    const place = this.place(params);
    const [isSet, lanes] = [new Name('is_set'), new Name('lanes')];
    const [set, all] = [w.ref(isSet, 'bool'), w.ref(lanes, 'u32')];
    const body = [
      w.define(isSet, w.ne(w.and(value, bit), w.u32(0))),
      w.define(lanes, this.call('warp_ballot', [set], place)),
      w.give(w.and(same, w.select(set, all, w.complement(all)))),
    ];
    return declaration(
      'warp_match_bit',
      params,
      'u32',
      body,
      'The lanes of `same` whose value agrees with the lane’s own in that bit.',
    );
  }

  private matchAny(): FunctionDeclaration {
    const params = new Params();
    const [value, executing, exec] = [
      params.add('value', 'u32'),
      params.add('executing', 'bool'),
      params.add('exec', 'u32'),
    ];
    const place = this.place(params);
    const name = new Name('same');
    const same = w.ref(name, 'u32');
    const bits = (from: number, end: number): Stmt[] =>
      Array.from({ length: end - from }, (_, index) =>
        w.assign(same, this.call('warp_match_bit', [same, value, w.u32(2 ** (from + index))], place)),
      );
    const stage = (index: number): Stmt[] => {
      const end = matchStages[index];
      if (end === undefined) return [];
      // Absent: the entry does not exist for the first stage.
      const from = matchStages[index - 1] ?? 0;
      if (index === 0) return [...bits(from, end), ...stage(1)];
      const first = new Name(`first_${index}`);
      const differs = w.both(executing, w.ne(w.ref(first, 'u32'), value));
      return [
        // The shuffle is a separate statement, because only some lanes would execute it after `&&`.
        w.define(first, this.call('warp_shuffle', [value, lowestBit(same)], place)),
        w.when(anyInSubgroup({ plan: this.plan, workarounds: this.workarounds }, differs), [
          ...bits(from, end),
          ...stage(index + 1),
        ]),
      ];
    };
    const comment =
      'The executing lanes whose value equals the lane’s own. Compares bits until each lane agrees with the lowest remaining lane.';
    return declaration(
      'warp_match_any',
      params,
      'u32',
      [w.variable(name, 'u32', exec), ...stage(0), w.give(same)],
      comment,
    );
  }

  private wideBallot(): FunctionDeclaration {
    const params = new Params();
    const predicate = params.add('predicate', 'bool');
    const place = params.add('warp_in_subgroup', 'u32');
    const ballot = new Name('ballot');
    const word = (letter: string) => w.swizzle(w.ref(ballot, w.vec4u), letter);
    const isAt = (number: number) => w.eq(place, w.u32(number));
    // Select by conditions instead of an index, because some drivers index the vector of the ballot
    // incorrectly.
    const low = w.select(isAt(1), word('y'), word('x'));
    const high = w.select(isAt(3), word('w'), word('z'));
    const own = this.plan.subgroupSize === 64 ? low : w.select(w.ge(place, w.u32(2)), high, low);
    const body = [w.define(ballot, w.builtin('subgroupBallot', w.vec4u, predicate)), w.give(own)];
    return declaration('warp_ballot', params, 'u32', body, 'The 32 bits of this warp in the subgroup’s ballot.');
  }

  private slottedBallot(): FunctionDeclaration {
    const { slots, subgroupSize: size, kind } = this.plan;
    const params = new Params();
    const [values, predicate] = this.arrayParam(params, 'values', 'predicate', 'bool');
    const ballot = new Name('ballot');
    const all = w.ref(ballot, 'u32');
    const bit = (slot: Expr) => {
      const own = w.index(predicate, slot);
      if (kind === 'portable') return w.shl(w.construct('u32', own), slot);
      return w.shl(w.swizzle(w.builtin('subgroupBallot', w.vec4u, own), 'x'), w.mul(slot, w.u32(size)));
    };
    const body = [
      values,
      w.variable(ballot, 'u32', w.u32(0)),
      eachSlot(slots, (slot) => [w.update(all, '|', bit(slot))]),
      w.give(all),
    ];
    const how = kind === 'portable' ? 'which are this invocation’s' : `${size} per subgroup ballot`;
    return declaration('warp_ballot', params, 'u32', body, `The predicates of all 32 lanes, ${how}.`);
  }

  private slottedShuffle(): FunctionDeclaration {
    const { slots, subgroupSize: size, kind } = this.plan;
    const params = new Params();
    const [values, value] = this.arrayParam(params, 'values', 'value', 'u32');
    const [lanes, lane] = this.arrayParam(params, 'lanes', 'lane', 'u32');
    const type = w.array('u32', slots);
    const name = new Name('result');
    const result = w.ref(name, type);
    const fetch = (slot: Expr): Stmt[] => {
      const [own, from] = [w.index(result, slot), w.index(lane, slot)];
      if (kind === 'portable') return [w.assign(own, w.index(value, from))];
      const [k, candidate] = [new Name('k'), new Name('candidate')];
      const other = w.ref(k, 'u32');
      return [
        w.repeat(k, slots, [
          w.define(candidate, w.builtin('subgroupShuffle', 'u32', w.index(value, other), w.rem(from, w.u32(size)))),
          w.assign(own, w.select(w.eq(w.div(from, w.u32(size)), other), w.ref(candidate, 'u32'), own)),
        ]),
      ];
    };
    const body = [values, lanes, w.variable(name, type), eachSlot(slots, fetch), w.give(result)];
    return declaration('warp_shuffle', params, type, body, 'The value of lane[s], for each lane.');
  }

  private slottedReduction(helper: ReductionHelper): FunctionDeclaration {
    const { slots, kind } = this.plan;
    const { combine, identity, overSubgroup } = reductions[helper];
    const params = new Params();
    const [values, value] = this.arrayParam(params, 'values', 'value', 'u32');
    const total = new Name('total');
    const all = w.ref(total, 'u32');
    const body = [
      values,
      w.variable(total, 'u32', identity),
      eachSlot(slots, (slot) => [w.assign(all, combine(all, w.index(value, slot)))]),
      w.give(kind === 'portable' ? all : overSubgroup(all)),
    ];
    return declaration(helper, params, 'u32', body, 'Reduces over all lanes of the warp.');
  }

  /**
   * Adds a parameter that is an array, and returns a variable with a copy of it. Parameters are
   * constants, and some compilers miscompile a variable index into a constant array. The copy can
   * be indexed.
   */
  private arrayParam(params: Params, hint: string, copy: string, of: 'bool' | 'u32'): readonly [Stmt, Expr] {
    const type = w.array(of, this.plan.slots);
    const given = params.add(hint, type);
    const name = new Name(copy);
    return [w.variable(name, type, given), w.ref(name, type)];
  }
}

const isReduction = (helper: WarpHelper): helper is ReductionHelper => Object.hasOwn(reductions, helper);
const isGroup = (helper: WarpHelper): helper is GroupHelper => Object.hasOwn(reductionOf, helper);

const reductionOf: Readonly<Record<GroupHelper, ReductionHelper>> = {
  warp_add_group: 'warp_add',
  warp_min_u32_group: 'warp_min_u32',
  warp_max_u32_group: 'warp_max_u32',
  warp_min_s32_group: 'warp_min_s32',
  warp_max_s32_group: 'warp_max_s32',
  warp_and_group: 'warp_and',
  warp_or_group: 'warp_or',
  warp_xor_group: 'warp_xor',
};

/**
 * The numbers of compared bits after which a test determines whether these bits distinguish all
 * values. Keys are often small numbers, which few bits distinguish. The next stages almost always
 * suffice for random values of half a warp and of a whole warp.
 */
const matchStages = [5, 8, 13, 18, 32] as const;

/**
 * Declares a reduction over the 32 lanes of a warp by a butterfly, for subgroups that contain
 * several warps.
 */
function wideReduction(helper: ReductionHelper): FunctionDeclaration {
  const { combine } = reductions[helper];
  const params = new Params();
  const value = params.add('value', 'u32');
  const total = new Name('total');
  const all = w.ref(total, 'u32');
  const steps = [16, 8, 4, 2, 1].map((distance) =>
    w.assign(all, combine(all, w.builtin('subgroupShuffleXor', 'u32', all, w.u32(distance)))),
  );
  const body = [w.variable(total, 'u32', value), ...steps, w.give(all)];
  return declaration(
    helper,
    params,
    'u32',
    body,
    'A butterfly over the 32 lanes of this warp; the subgroup contains several warps.',
  );
}

function eachSlot(slots: number, body: (slot: Expr) => readonly Stmt[]): Stmt {
  const slot = new Name('s');
  return w.repeat(slot, slots, body(w.ref(slot, 'u32')));
}

const declaration = (
  hint: string,
  { list: params }: Params,
  result: WgslType,
  body: readonly Stmt[],
  comment: string,
): FunctionDeclaration => ({ kind: 'function', name: new Name(hint), params, result, body, comment });
