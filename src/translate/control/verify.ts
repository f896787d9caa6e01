// Checks the invariants of a control tree: values are defined where they are read, jumps leave
// surrounding constructs, masks nest, and lanes reach collectives together.
import { at, InternalError } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { type Definition, type Inst, isCollective, isDefinition, operandsOf, type Value } from '../ir/nodes.ts';
import {
  type Dispatch,
  everyTree,
  type Jump,
  type Label,
  listsOf,
  type MaskChange,
  type Scope,
  some,
  type Tree,
  type TreeOf,
} from './tree.ts';
import { qualifiersOf, samePlace } from './waits.ts';

/** The pass that produced a tree. */
export type ControlStage = 'structure' | 'lower-control';

/** Throws if a tree is ill-formed. */
export function assertControl(tree: readonly Tree[], stage: ControlStage): void {
  const place = { inLanes: false, isDispatched: false, isWarp: true, isBlock: true, labels: new Map() };
  if (stage === 'structure') checkStructure(tree);
  else checkPlaces(tree, place);
  new Definitions().check(tree);
}

const fail = (what: string): never => {
  throw new InternalError(`the control tree is ill-formed: ${what}`);
};

// Structure.

const structuralKinds: ReadonlySet<Tree['kind']> = new Set<Tree['kind']>([
  'code',
  'move',
  'if',
  'switch',
  'loop',
  'block',
  'break',
  'continue',
  'exit',
  'trap',
  'return',
]);

/** Checks a tree before masks are placed, when code may contain collectives. */
function checkStructure(list: readonly Tree[], labels: ReadonlySet<Label> = new Set()): void {
  for (const tree of list) {
    if (!structuralKinds.has(tree.kind)) fail(`${tree.kind} before masks are placed`);
    if (tree.kind === 'break' || tree.kind === 'continue') checkJump(tree, labels);
    const more = tree.kind === 'loop' ? [tree.label, ...tree.exits] : tree.kind === 'block' ? [tree.label] : [];
    const inside = more.length > 0 ? new Set([...labels, ...more]) : labels;
    for (const inner of listsOf(tree)) checkStructure(inner, inside);
  }
}

function checkJump({ kind, label }: Jump, labels: { has(label: Label): boolean }): void {
  if (!labels.has(label)) fail(`a ${kind} leads to no construct around it`);
}

// Places.

interface Place {
  /** Whether the place is inside lane code, which has no collectives. */
  readonly inLanes: boolean;
  readonly isDispatched: boolean;
  /** Whether all active lanes of a warp reach this place. */
  readonly isWarp: boolean;
  /** Whether the whole block reaches this place, so that a barrier is permitted. */
  readonly isBlock: boolean;
  /**
   * The labels of the surrounding constructs, and whether the lanes of a warp must leave each one
   * together.
   */
  readonly labels: ReadonlyMap<Label, boolean>;
}

function checkPlaces(list: readonly Tree[], place: Place): void {
  const masks: ('split' | 'other')[] = [];
  for (const tree of list) {
    if (tree.kind === 'mask') checkMask(tree.change, place, masks);
    else checkPlace(tree, place);
  }
  if (masks.length > 0) fail(`a mask that is ${masks.at(-1)} is not joined`);
}

/** Checks a change of the mask. `masks`: the splits of the list that are not joined yet. */
function checkMask(change: MaskChange, { inLanes }: Place, masks: ('split' | 'other')[]): void {
  if (inLanes !== (change.op === 'leave')) fail(`mask ${change.op} ${inLanes ? 'inside' : 'outside'} of lane code`);
  if (change.op === 'split') masks.push('split');
  if (change.op === 'other' && masks.pop() === undefined) fail('mask other without a split');
  if (change.op === 'other') masks.push('other');
  if (change.op === 'join' && masks.pop() !== 'other') fail('mask join without the other arm');
}

const isUniformIn = (scope: Scope, among: 'warp' | 'proven'): boolean =>
  scope === 'proven' || (among === 'warp' && scope !== 'lane');

const isTogether = ({ kind }: Tree): boolean => kind === 'collective';

function checkPlace(tree: Tree, place: Place): void {
  const { inLanes, isDispatched, labels } = place;
  const inside = (list: readonly Tree[], more: Partial<Place> = {}) => checkPlaces(list, { ...place, ...more });
  const within = (construct: TreeOf<'loop' | 'block'>, more: readonly Label[]) => {
    const leavesTogether = !inLanes && place.isWarp && some(construct.body, isTogether);
    return new Map([...labels, ...more.map((label) => [label, leavesTogether] as const)]);
  };
  switch (tree.kind) {
    case 'code':
      if (tree.insts.some(isCollective)) fail('code holds an instruction that lanes execute together');
      return;
    case 'if': {
      const { scope, vote } = tree;
      if (inLanes && vote !== 'none') fail('lane code votes');
      const isWarp = place.isWarp && (vote !== 'none' || isUniformIn(scope, 'warp'));
      const isBlock = place.isBlock && (vote === 'block' || (vote === 'none' && isUniformIn(scope, 'proven')));
      inside(tree.then, { isWarp, isBlock });
      return inside(tree.else, { isWarp, isBlock });
    }
    case 'switch':
      for (const { body } of tree.arms) inside(body, { isWarp: false, isBlock: false });
      return;
    case 'loop': {
      if (inLanes && tree.vote !== 'none') fail('lane code votes');
      const own = within(tree, [tree.label, ...tree.exits]);
      const isBlock = place.isBlock && tree.vote !== 'subgroup';
      inside(tree.body, { labels: own, isBlock });
      return inside(tree.continuing, { labels: own, isBlock });
    }
    case 'block':
      return inside(tree.body, { labels: within(tree, [tree.label]) });
    case 'break':
    case 'continue':
      checkJump(tree, labels);
      if (!place.isWarp && labels.get(tree.label) === true)
        fail(`a ${tree.kind} under a divergent condition leaves a construct in which lanes execute together`);
      return;
    case 'lanes':
      if (inLanes) fail('lane code inside of lane code');
      return inside(tree.body, { inLanes: true, isWarp: false, isBlock: false, labels: new Map() });
    case 'any':
      if (inLanes) fail('lane code votes');
      return inside(tree.body, { isBlock: place.isBlock && tree.vote === 'block' });
    case 'meet':
      if (inLanes || !place.isWarp) fail(`${nameOf(tree.inst)} in lane code`);
      return inside(tree.alone);
    case 'collective':
      if (isDispatched && tree.inst.op === 'barrier') return;
      if (inLanes) fail(`${nameOf(tree.inst)} in lane code`);
      if (tree.inst.operation.effect === 'block' && !place.isBlock)
        fail('a barrier where the block may not come together');
      if (!place.isWarp) fail(`${nameOf(tree.inst)} under a divergent condition`);
      return;
    case 'dispatch':
      for (const { body } of tree.dispatch.cases) inside(body, { isDispatched: true, inLanes: true });
      for (const { body } of tree.dispatch.loops) inside(body, { isDispatched: true });
      return checkDispatch(tree.dispatch);
    default:
  }
}

const nameOf = (inst: Inst): string => (inst.op === 'warp' ? inst.attrs.row : inst.op);

// Dispatch.

function checkDispatch(dispatch: Dispatch): void {
  const { cases, loops } = dispatch;
  const bodies = new Map(cases.map(({ number, body }) => [number, body]));
  const caseAt = (number: number) => bodies.get(number) ?? fail(`no case has the number ${number}`);
  for (const { header } of loops) caseAt(header);
  for (const { body } of [...cases, ...loops]) {
    everyTree(body, (tree) => {
      if (tree.kind === 'goto' && resumedIn(caseAt(tree.to))) fail(`goto ${tree.to} leads to a case that resumes`);
      if (tree.kind === 'wait') checkWait(tree, caseAt(tree.next), dispatch);
    });
  }
}

/** Returns the instruction whose results a case reads. */
function resumedIn(body: readonly Tree[]): Inst | undefined {
  const [first] = body;
  return first?.kind === 'resume' ? first.inst : undefined;
}

function checkWait(
  { at: place, inst, next }: TreeOf<'wait'>,
  target: readonly Tree[],
  { waits, loops }: Dispatch,
): void {
  if (!waits.some((other) => samePlace(place, other))) fail(`a lane waits at a ${place.kind} that has no number`);
  if (place.kind === 'loop' && !loops.some(({ header }) => header === place.head && header === next))
    fail(`a lane waits before the loop at ${place.head}, and continues at case ${next}`);
  const resumed = inst && inst.results.length > 0 ? inst : undefined;
  if (resumedIn(target) !== resumed)
    fail(`case ${next} does not take the results of the ${inst === undefined ? place.kind : nameOf(inst)} before it`);
  if (place.kind !== 'class') return;
  const { sync, first } = place.class;
  if (inst?.op !== 'warp') return fail('a lane waits in a class at no warp instruction');
  if (sync ? qualifiersOf(inst) !== qualifiersOf(first) : inst !== first)
    fail(`a lane waits at ${nameOf(inst)} in the class of ${nameOf(first)}`);
}

// Definitions.

/** The values that are defined on all paths to a place; undefined if no path leads there. */
type Known = ReadonlySet<Definition> | undefined;

function common(a: Known, b: Known): Known {
  if (a === undefined || b === undefined) return a ?? b;
  return a === b ? a : new Set([...a].filter((value) => b.has(value)));
}

class Definitions {
  /** The values known at the start of a kernel: none, because the first block has no parameters. */
  private readonly first: Known = new Set();
  /** For each label: the values known to lanes that jump to it, or that wait for it. */
  private readonly jumps = new Map<Label, { break: Known; continue: Known }>();
  /** The values known at each case of the dispatch. */
  private readonly cases = new Map<number, Known>();
  private changed = false;
  private checks = true;

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
      case 'trap':
        return undefined;
      case 'return':
        this.read(tree.values, known, 'return');
        return undefined;
      case 'lanes':
      case 'any':
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
      case 'leave-if':
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

  /** Checks a dispatch. Repeats until the known values of every case stay the same. */
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
    return known;
  }

  private leave({ kind, label }: Jump, known: Known): Known {
    const jumps = getOrInsert(this.jumps, label, () => ({ break: undefined, continue: undefined }));
    jumps[kind] = common(jumps[kind], known);
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
        // Absent: a pass created the value, without a hint.
        fail(`${reader} reads ${value.hint ?? 'a value'} where it is not defined`);
    }
  }
}
