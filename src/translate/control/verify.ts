// Checks what holds in every control tree: values are defined where they are read, jumps lead out of
// constructs around them, masks nest, and lanes come together to what they do together.
import { at, InternalError } from '../../base/invariants.ts';
import {
  type Definition,
  type Func,
  type Inst,
  isCollective,
  isDefinition,
  operandsOf,
  type Value,
} from '../ir/nodes.ts';
import { type Dispatch, everyTree, type Jump, type Label, type MaskChange, type Tree, type TreeOf } from './tree.ts';
import { samePlace } from './waits.ts';

/** Throws for a tree that is ill-formed. */
export function assertControl(func: Func, tree: readonly Tree[]): void {
  checkPlaces(tree, { inLanes: false, isDispatched: false, isBlock: true, labels: new Set() });
  new Definitions(func).check(tree);
}

const fail = (what: string): never => {
  throw new InternalError(`the control tree is ill-formed: ${what}`);
};

// Places.

interface Place {
  /** Inside of lane code, where lanes do nothing together. */
  readonly inLanes: boolean;
  readonly isDispatched: boolean;
  /** Whether the whole block comes here, so that a barrier may stand here. */
  readonly isBlock: boolean;
  readonly labels: ReadonlySet<Label>;
}

function checkPlaces(list: readonly Tree[], place: Place): void {
  const masks: ('split' | 'other')[] = [];
  for (const tree of list) {
    if (tree.kind === 'mask') checkMask(tree.change, place, masks);
    else checkPlace(tree, place);
  }
  if (masks.length > 0) fail(`a mask that is ${masks.at(-1)} is not joined`);
}

/** `masks`: what stands open in the list. */
function checkMask(change: MaskChange, { inLanes }: Place, masks: ('split' | 'other')[]): void {
  if (inLanes !== (change.op === 'leave')) fail(`mask ${change.op} stands ${inLanes ? 'in' : 'outside of'} lane code`);
  if (change.op === 'split') masks.push('split');
  if (change.op === 'other' && masks.pop() !== 'split') fail('mask other without a split');
  if (change.op === 'other') masks.push('other');
  if (change.op === 'join' && masks.pop() !== 'other') fail('mask join without the other arm');
}

function checkPlace(tree: Tree, place: Place): void {
  const { inLanes, isDispatched, labels } = place;
  const inside = (list: readonly Tree[], more: Partial<Place> = {}) => checkPlaces(list, { ...place, ...more });
  switch (tree.kind) {
    case 'code':
      if (tree.insts.some(isCollective)) fail('code holds an instruction that lanes execute together');
      return;
    case 'if': {
      if (inLanes && tree.vote !== 'none') fail('lane code votes');
      const isBlock = place.isBlock && (tree.vote === 'block' || (tree.vote === 'none' && tree.scope === 'proven'));
      inside(tree.then, { isBlock });
      return inside(tree.else, { isBlock });
    }
    case 'switch':
      for (const { body } of tree.arms) inside(body, { isBlock: false });
      return;
    case 'loop': {
      if (inLanes && tree.vote !== 'none') fail('lane code votes');
      const own = new Set([...labels, tree.label, ...tree.exits]);
      const isBlock = place.isBlock && tree.vote !== 'subgroup';
      inside(tree.body, { labels: own, isBlock });
      return inside(tree.continuing, { labels: own, isBlock });
    }
    case 'block':
      return inside(tree.body, { labels: new Set([...labels, tree.label]) });
    case 'break':
    case 'continue':
      if (!labels.has(tree.label)) fail(`a ${tree.kind} leads to no construct around it`);
      return;
    case 'lanes':
      if (inLanes) fail('lane code stands in lane code');
      return inside(tree.body, { inLanes: true, isBlock: false, labels: new Set() });
    case 'any':
      if (inLanes) fail('lane code votes');
      return inside(tree.body, { isBlock: place.isBlock && tree.vote === 'block' });
    case 'collective':
      if (isDispatched) return;
      if (inLanes) fail(`${tree.inst.op} stands in lane code`);
      if (tree.inst.op === 'barrier' && !place.isBlock) fail('a barrier stands where the block may not come together');
      return;
    case 'dispatch':
      for (const { body } of [...tree.dispatch.cases, ...tree.dispatch.loops]) inside(body, { isDispatched: true });
      return checkCases(tree.dispatch);
    case 'gather':
      return inside(tree.body);
    default:
  }
}

function checkCases({ cases, waits }: Dispatch): void {
  const numbers = new Set(cases.map(({ number }) => number));
  const check = (list: readonly Tree[]): void =>
    everyTree(list, (tree) => {
      const to = tree.kind === 'goto' ? tree.to : tree.kind === 'wait' ? tree.next : undefined;
      if (to !== undefined && !numbers.has(to)) fail(`no case has the number ${to}`);
      if (tree.kind !== 'wait') return;
      const { at } = tree;
      if (!waits.some((place) => samePlace(place, at))) fail(`a lane waits at a ${at.kind} that has no number`);
    });
  for (const { body } of cases) check(body);
}

// Definitions.

/** Values that are defined on all ways to a place; undefined where no way leads. */
type Known = ReadonlySet<Definition> | undefined;

function common(a: Known, b: Known): Known {
  if (a === undefined || b === undefined) return a ?? b;
  return a === b ? a : new Set([...a].filter((value) => b.has(value)));
}

class Definitions {
  private readonly first: Known;
  /** By label: what lanes know that jump there, or wait until it is reached. */
  private readonly jumps = new Map<Label, { break: Known; continue: Known }>();
  /** Of the dispatch's cases. */
  private readonly cases = new Map<number, Known>();
  private changed = false;
  private checks = true;

  constructor(func: Func) {
    this.first = new Set(func.blocks[0]?.params);
  }

  check(tree: readonly Tree[]): void {
    this.list(tree, this.first);
  }

  private list(list: readonly Tree[], known: Known): Known {
    const parted: Known[] = [];
    let now = known;
    for (const tree of list) {
      const change = tree.kind === 'mask' ? tree.change : undefined;
      if (change?.op === 'split') {
        this.read([change.condition], now, 'mask split');
        parted.push(now);
      } else if (change?.op === 'other') {
        const before = parted.pop();
        parted.push(now);
        now = before;
      } else if (change?.op === 'join') now = common(now, parted.pop());
      else now = this.tree(tree, now);
    }
    return now;
  }

  private tree(tree: Tree, known: Known): Known {
    switch (tree.kind) {
      case 'code':
        return tree.insts.reduce((now, inst) => this.inst(inst, now), known);
      case 'collective':
        return this.inst(tree.inst, known);
      case 'move':
        this.read(tree.args, known, 'move');
        return known && new Set([...known, ...tree.params]);
      case 'if':
        this.read([tree.condition], known, 'if');
        return common(this.list(tree.then, known), this.list(tree.else, known));
      case 'switch':
        this.read([tree.selector], known, 'switch');
        return tree.arms.map(({ body }) => this.list(body, known)).reduce(common, undefined);
      case 'loop':
        return this.loop(tree, known);
      case 'block':
        return common(this.list(tree.body, known), this.take({ kind: 'break', label: tree.label }));
      case 'break':
      case 'continue':
        return this.leave(tree, known);
      case 'exit':
        return undefined;
      case 'return':
        this.read(tree.values, known, 'return');
        return undefined;
      case 'lanes':
      case 'any':
      case 'gather':
        return this.list(tree.body, known);
      case 'mask':
        return this.mask(tree.change, known);
      case 'dispatch':
        return this.dispatch(tree.dispatch);
      case 'goto':
        return this.reach(tree.to, known);
      case 'wait':
        if (tree.inst) this.read(operandsOf(tree.inst), known, 'wait');
        return this.reach(tree.next, known);
      case 'resume':
        return known && new Set([...known, ...tree.inst.results]);
      case 'pass':
        this.read(tree.inst.otherwise, known, 'pass');
        return known && new Set([...known, ...tree.inst.results]);
      case 'meet':
        this.list(tree.alone, known);
        return this.inst(tree.inst, known);
      case 'part':
        this.read([tree.condition], known, 'part');
        this.list(tree.then, known);
        this.list(tree.else, known);
        return known;
      case 'arms':
        return this.arms(tree, known);
      default:
        return known;
    }
  }

  private loop({ label, exits, body, continuing }: TreeOf<'loop'>, known: Known): Known {
    const end = this.list(body, known);
    this.list(continuing, common(end, this.take({ kind: 'continue', label })));
    return exits.map((exit) => this.take({ kind: 'break', label: exit })).reduce(common, undefined);
  }

  private mask(change: MaskChange, known: Known): Known {
    switch (change.op) {
      case 'leave':
      case 'leave-all':
        return change.until === undefined ? undefined : this.leave(change.until, known);
      case 'leave-unless':
        this.read([change.condition], known, 'mask leave');
        if (change.until) this.leave(change.until, known);
        return known;
      case 'rejoin':
        return common(known, this.take(change.jump));
      default:
        return known;
    }
  }

  private arms({ condition, then, else: otherwise }: TreeOf<'arms'>, known: Known): Known {
    this.read([condition], known, 'arms');
    const arm = ({ enter, body }: typeof then) => {
      const moved = this.list(
        enter.filter(({ kind }) => kind !== 'goto'),
        known,
      );
      this.list(enter, known);
      return this.list(body, moved);
    };
    return common(arm(then), arm(otherwise));
  }

  /** Round and round, until nothing less is known at any case. */
  private dispatch({ cases, loops }: Dispatch): Known {
    this.cases.set(at(cases, 0, 'the first case of a dispatch').number, this.first);
    const walk = () => {
      this.changed = false;
      for (const { number, body } of cases) this.list(body, this.cases.get(number));
      for (const { header, body } of loops) this.list(body, this.cases.get(header));
    };
    this.checks = false;
    do walk();
    while (this.changed);
    this.checks = true;
    walk();
    return undefined;
  }

  private reach(number: number, known: Known): Known {
    const before = this.cases.get(number);
    const after = common(before, known);
    if (after?.size !== before?.size) this.changed = true;
    this.cases.set(number, after);
    return undefined;
  }

  private leave({ kind, label }: Jump, known: Known): Known {
    const jumps = this.jumps.get(label) ?? { break: undefined, continue: undefined };
    jumps[kind] = common(jumps[kind], known);
    this.jumps.set(label, jumps);
    return undefined;
  }

  private take({ kind, label }: Jump): Known {
    const jumps = this.jumps.get(label);
    const known = jumps?.[kind];
    if (jumps) jumps[kind] = undefined;
    return known;
  }

  private inst(inst: Inst, known: Known): Known {
    this.read(operandsOf(inst), known, inst.op);
    return known && inst.results.length > 0 ? new Set([...known, ...inst.results]) : known;
  }

  private read(values: readonly Value[], known: Known, reader: string): void {
    if (!this.checks || known === undefined) return;
    for (const value of values) {
      if (isDefinition(value) && !known.has(value))
        fail(`${reader} reads ${value.hint ?? 'a value'} where it is not defined`);
    }
  }
}
