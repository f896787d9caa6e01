// Functions that compute words of each lane from the words of all lanes, for every lane plan.
import { at as element } from '../../base/invariants.ts';
import type { LanePlan } from '../../base/lane-plan.ts';
import * as w from '../tree/build.ts';
import { type Declaration, type Expr, Name, type Stmt, type WgslType } from '../tree/nodes.ts';
import type { LeftWords } from './workgroup-exchange.ts';

/** The values from which the function computes one lane's results. */
export interface LaneFunction {
  /** The lane's number. */
  readonly number: Expr;
  /**
   * Whether an invocation contains several lanes, so that the code is in a loop over these lanes.
   */
  readonly isRolled: boolean;
  /** Returns a parameter's value in this lane. */
  readonly own: (param: number) => Expr;
  /** Returns a parameter's value in another lane of the warp. */
  readonly fetch: (param: number, lane: Expr) => Expr;
}

export interface WordsFunction {
  readonly hint: string;
  readonly comment: string;
  /** The hints for the names of the parameters. Each parameter is one word in each lane. */
  readonly params: readonly string[];
  /** The number of parameters that other lanes read. These are the first parameters. */
  readonly exchanged: number;
  readonly results: number;
  readonly body: (lane: LaneFunction) => { readonly stmts: readonly Stmt[]; readonly results: readonly Expr[] };
}

type FunctionDeclaration = Extract<Declaration, { readonly kind: 'function' }>;

/** How lanes that are separate invocations read the words of other lanes. */
interface Exchange {
  readonly shuffle: (value: Expr, lane: Expr, place: () => Expr) => Expr;
  /** Publishes words for other lanes. Undefined if there is no memory for all words at once. */
  readonly leave: ((values: readonly Expr[]) => LeftWords | undefined) | undefined;
}

/**
 * Declares the function. After its own parameters, it has parameters for the lane number (that of
 * the invocation's first lane) and, in wide plans, for the index of the warp in its subgroup.
 */
export function declareWords(plan: LanePlan, func: WordsFunction, exchange: Exchange): FunctionDeclaration {
  const held: WgslType = plan.slots > 1 ? w.array('u32', plan.slots) : 'u32';
  const names = func.params.map((hint) => new Name(hint));
  const params = names.map((name) => ({ name, type: held }));
  const lane = new Name('lane');
  const place = new Name('warp_in_subgroup');
  const given = names.map((name) => w.ref(name, held));
  const number = w.ref(lane, 'u32');
  const result = w.array(held, func.results);
  const body =
    plan.slots > 1 ? slotted(plan, func, given, number) : single(func, given, number, w.ref(place, 'u32'), exchange);
  return {
    kind: 'function',
    name: new Name(func.hint),
    params: [
      ...params,
      { name: lane, type: 'u32' },
      ...(plan.kind === 'wide' ? [{ name: place, type: 'u32' as const }] : []),
    ],
    result,
    body,
    comment: func.comment,
  };
}

/** Returns the body for plans in which an invocation is one lane. */
function single(
  func: WordsFunction,
  given: readonly Expr[],
  number: Expr,
  place: Expr,
  exchange: Exchange,
): readonly Stmt[] {
  const of = (param: number) => element(given, param, 'a parameter');
  const left = exchange.leave?.(given.slice(0, func.exchanged));
  const { stmts, results } = func.body({
    number,
    isRolled: false,
    own: of,
    fetch: (param, lane) => left?.fetch(param, lane) ?? exchange.shuffle(of(param), lane, () => place),
  });
  // Absent: the lanes exchange without memory for all words.
  return [...(left?.stmts ?? []), ...stmts, w.give(w.construct(w.array('u32', func.results), ...results))];
}

/**
 * Returns the body for plans in which an invocation contains several lanes. It first reads the
 * values of all lanes of the warp, then computes the results of one lane after another.
 */
function slotted(plan: LanePlan, func: WordsFunction, given: readonly Expr[], first: Expr): readonly Stmt[] {
  const { slots, subgroupSize: size, kind } = plan;
  const stmts: Stmt[] = [];
  const all: Expr[] = [];
  const copies = given.map((value, index) => {
    const copy = w.ref(new Name(element(func.params, index, 'the name of a parameter')), value.type);
    if (copy.kind === 'name') stmts.push(w.variable(copy.name, value.type, value));
    return copy;
  });
  if (kind === 'portable') all.push(...copies);
  else {
    const whole = w.array('u32', 32);
    const gathered = copies
      .slice(0, func.exchanged)
      .map((_, index) => new Name(`all_${element(func.params, index, 'the name of a parameter')}`));
    for (const name of gathered) stmts.push(w.variable(name, whole));
    all.push(...gathered.map((name) => w.ref(name, whole)));
    const [slot, other] = [new Name('s'), new Name('k')];
    const [s, k] = [w.ref(slot, 'u32'), w.ref(other, 'u32')];
    const at = w.add(w.mul(s, w.u32(size)), k);
    const body = all.map((target, index) =>
      w.assign(
        w.index(target, at),
        w.builtin('subgroupShuffle', 'u32', w.index(element(copies, index, 'a parameter'), s), k),
      ),
    );
    stmts.push(w.repeat(slot, slots, [w.repeat(other, size, body)]));
  }
  const type = w.array(w.array('u32', slots), func.results);
  const result = new Name('result');
  const [slot, lane] = [new Name('s'), new Name('own_lane')];
  const s = w.ref(slot, 'u32');
  const number = kind === 'portable' ? s : w.ref(lane, 'u32');
  const part = func.body({
    number,
    isRolled: true,
    own: (param) => w.index(element(copies, param, 'a parameter'), s),
    fetch: (param, from) => w.index(element(all, param, 'a parameter that is exchanged'), from),
  });
  stmts.push(w.variable(result, type));
  stmts.push(
    w.repeat(slot, slots, [
      ...(kind === 'portable' ? [] : [w.define(lane, w.add(w.mul(s, w.u32(size)), first))]),
      ...part.stmts,
      ...part.results.map((value, index) => w.assign(w.index(w.index(w.ref(result, type), w.u32(index)), s), value)),
    ]),
    w.give(w.ref(result, type)),
  );
  return stmts;
}
