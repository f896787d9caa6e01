// The control tree, which connects a function's graph to WGSL. Structuring creates it from the
// graph. Passes place active masks in it, or turn the kernel into a dispatch. One writer turns it
// into WGSL. `print.ts` defines the notation; `verify.ts` checks the invariants.
import type { Span } from '../../ptx/ast.ts';
import type { Edge, Inst, InstNamed, MatrixInst, Param, Value } from '../ir/nodes.ts';
import type { WaitPlace } from './waits.ts';

/**
 * The lanes that certainly hold the same value of a condition: one lane, a warp or a block.
 * `proven`: a block, and WGSL's uniformity analysis agrees.
 */
export const scopes = ['lane', 'warp', 'block', 'proven'] as const;
export type Scope = (typeof scopes)[number];

/** The lanes that vote on a condition, so that WGSL accepts it as uniform. */
export const votes = ['none', 'subgroup', 'block'] as const;
export type Vote = (typeof votes)[number];

export type Tree =
  /** A sequence of instructions. */
  | { readonly kind: 'code'; readonly insts: readonly Inst[] }
  /** Assigns all parameters of a block at once. */
  | { readonly kind: 'move'; readonly params: readonly Param[]; readonly args: readonly Value[] }
  | {
      readonly kind: 'if';
      readonly condition: Value;
      readonly scope: Scope;
      readonly vote: Vote;
      readonly then: readonly Tree[];
      readonly else: readonly Tree[];
      readonly span: Span | undefined;
    }
  | {
      readonly kind: 'switch';
      readonly selector: Value;
      readonly arms: readonly SwitchArm[];
      readonly span: Span | undefined;
    }
  /**
   * An endless loop; a `break` to one of `exits` leaves it. The end of the body starts it again.
   * With a vote, it also ends when no lane is active.
   */
  | {
      readonly kind: 'loop';
      readonly label: Label;
      readonly exits: readonly Label[];
      readonly vote: Vote;
      readonly body: readonly Tree[];
      /** The code between two iterations. */
      readonly continuing: readonly Tree[];
    }
  /** A construct that executes once. A `break` to its label leaves it. */
  | { readonly kind: 'block'; readonly label: Label; readonly body: readonly Tree[] }
  | { readonly kind: 'break'; readonly label: Label }
  | { readonly kind: 'continue'; readonly label: Label }
  | { readonly kind: 'exit' }
  | { readonly kind: 'trap'; readonly span: Span | undefined }
  | { readonly kind: 'return'; readonly values: readonly Value[]; readonly span: Span | undefined }
  // The nodes below are code of a warp. Its active lanes execute it.
  /** Code that each lane executes; if masked, only each active lane. */
  | { readonly kind: 'lanes'; readonly body: readonly Tree[]; readonly masked: boolean }
  /** A collective. `keeps`: inactive lanes keep their old results. */
  | {
      readonly kind: 'collective';
      readonly inst: InstNamed<'warp'> | InstNamed<'barrier'> | MatrixInst;
      readonly keeps: boolean;
    }
  /** Executes the body if any lane is active, by a vote. */
  | { readonly kind: 'any'; readonly vote: Vote; readonly body: readonly Tree[] }
  | { readonly kind: 'mask'; readonly change: MaskChange }
  // The nodes below are code of the lanes of a dispatched kernel.
  | { readonly kind: 'dispatch'; readonly dispatch: Dispatch }
  /** Sets the lane's program counter: at the end of its code, the lane continues at a case. */
  | { readonly kind: 'goto'; readonly to: number }
  /** The lane waits, then continues at a case. `inst`: the instruction at which it waits. */
  | {
      readonly kind: 'wait';
      readonly at: WaitPlace;
      readonly inst: InstNamed<'warp'> | InstNamed<'barrier'> | undefined;
      readonly next: number;
    }
  /** The lane reads the results of the instruction at which it waited. */
  | { readonly kind: 'resume'; readonly inst: Inst }
  /** The lane skips an instruction, because its guard is false. */
  | { readonly kind: 'pass'; readonly inst: Inst }
  /**
   * A warp instruction of a converged loop. If all lanes that its mask names are active, they
   * execute it together. Otherwise the active lanes execute `alone`, which leaves the loop.
   */
  | { readonly kind: 'meet'; readonly inst: InstNamed<'warp'>; readonly alone: readonly Tree[] };

export type TreeOf<Kind extends Tree['kind']> = Extract<Tree, { readonly kind: Kind }>;
export type Jump = TreeOf<'break' | 'continue'>;

export const sameJump = (a: Jump, b: Jump): boolean => a.kind === b.kind && a.label === b.label;

export type MaskChange =
  /** The mask at the start of the kernel. `rejoins`: the jumps at which lanes may rejoin. */
  | { readonly op: 'start'; readonly rejoins: readonly Jump[] }
  /**
   * In lane code: the lane is inactive until the construct of the jump ends or continues. If
   * `until` is undefined, the lane is inactive forever.
   */
  | { readonly op: 'leave'; readonly until: Jump | undefined }
  /**
   * Like `leave`, but only for the lanes in which the condition is true (`leave-if`) or false
   * (`leave-unless`). Inactive lanes may compute the condition, too.
   */
  | { readonly op: 'leave-if'; readonly condition: Value; readonly until: Jump | undefined }
  | { readonly op: 'leave-unless'; readonly condition: Value; readonly until: Jump | undefined }
  /** All active lanes leave. */
  | { readonly op: 'leave-all'; readonly until: Jump | undefined }
  /** Reactivates the lanes that left until this jump. */
  | { readonly op: 'rejoin'; readonly jump: Jump }
  /** Lanes in which the condition is false are inactive until `other`. */
  | { readonly op: 'split'; readonly condition: Value; readonly span: Span | undefined }
  /** Exchanges the active lanes of a split and the others. */
  | { readonly op: 'other' }
  /** The lanes of both arms are active again. */
  | { readonly op: 'join' };

/** The target of jumps out of or within a construct. Labels are compared by identity. */
export interface Label {
  /**
   * The parameters of the block that a jump reaches: the header of a loop, or the block after a
   * construct.
   */
  readonly params: readonly Param[];
}

/** The selector values that lead to `body`. All other values lead to the last arm. */
export interface SwitchArm {
  readonly values: readonly number[];
  readonly body: readonly Tree[];
}

/** A kernel whose lanes each have a program counter. */
export interface Dispatch {
  readonly cases: readonly DispatchCase[];
  /** The converged loops by number, each with the block number of its header. */
  readonly loops: readonly DispatchLoop[];
  /**
   * The places where lanes may wait. A lane's variable `wait` holds the number of the place,
   * starting at 1.
   */
  readonly waits: readonly WaitPlace[];
  /**
   * The places where lanes wait until no other lane of the warp can continue, in the order of their
   * release.
   */
  readonly releases: readonly WaitPlace[];
}

export interface DispatchCase {
  readonly number: number;
  readonly body: readonly Tree[];
}

export interface DispatchLoop {
  readonly header: number;
  /** The loop. */
  readonly body: readonly Tree[];
}

/** Returns the lists of trees directly inside a tree. */
export function listsOf(tree: Tree): readonly (readonly Tree[])[] {
  switch (tree.kind) {
    case 'if':
      return [tree.then, tree.else];
    case 'switch':
      return tree.arms.map(({ body }) => body);
    case 'loop':
      return tree.continuing.length > 0 ? [tree.body, tree.continuing] : [tree.body];
    case 'block':
    case 'lanes':
    case 'any':
      return [tree.body];
    case 'meet':
      return [tree.alone];
    case 'dispatch':
      return [...tree.dispatch.cases, ...tree.dispatch.loops].map(({ body }) => body);
    default:
      return [];
  }
}

/** Returns the tree with each list directly inside it replaced. */
export function mapLists(tree: Tree, map: (list: readonly Tree[]) => readonly Tree[]): Tree {
  switch (tree.kind) {
    case 'if':
      return { ...tree, then: map(tree.then), else: map(tree.else) };
    case 'switch':
      return { ...tree, arms: tree.arms.map((arm) => ({ ...arm, body: map(arm.body) })) };
    case 'loop':
      return { ...tree, body: map(tree.body), continuing: map(tree.continuing) };
    case 'block':
    case 'lanes':
    case 'any':
      return { ...tree, body: map(tree.body) };
    case 'meet':
      return { ...tree, alone: map(tree.alone) };
    case 'dispatch': {
      const { cases, loops } = tree.dispatch;
      const inside = {
        cases: cases.map((each) => ({ ...each, body: map(each.body) })),
        loops: loops.map((each) => ({ ...each, body: map(each.body) })),
      };
      return { ...tree, dispatch: { ...tree.dispatch, ...inside } };
    }
    default:
      return tree;
  }
}

/** Visits all trees of a list, nested ones included, in order. */
export function everyTree(list: readonly Tree[], visit: (tree: Tree) => void): void {
  for (const tree of list) {
    visit(tree);
    for (const inner of listsOf(tree)) everyTree(inner, visit);
  }
}

/**
 * Returns the move that assigns the parameters of an edge's block; an empty list if the edge has no
 * arguments.
 */
export const moveOf = ({ to, args }: Edge): readonly Tree[] =>
  args.length > 0 ? [{ kind: 'move', params: to.params, args }] : [];

/** Whether `test` holds for a tree of the list, or a nested one. */
export function some(list: readonly Tree[], test: (tree: Tree) => boolean): boolean {
  return list.some((tree) => test(tree) || listsOf(tree).some((inner) => some(inner, test)));
}

/** Returns the labels of the constructs in a list. */
export function labelsOf(list: readonly Tree[]): Set<Label> {
  const labels = new Set<Label>();
  everyTree(list, (tree) => {
    if (tree.kind === 'loop' || tree.kind === 'block') labels.add(tree.label);
  });
  return labels;
}

/** Whether the list has a jump to a label that is neither inside the list nor in `known`. */
export function jumpsOut(list: readonly Tree[], known: ReadonlySet<Label> = new Set()): boolean {
  return list.some((tree) => {
    switch (tree.kind) {
      case 'break':
      case 'continue':
        return !known.has(tree.label);
      case 'loop':
        return jumpsOut(tree.body, new Set([...known, tree.label, ...tree.exits]));
      case 'block':
        return jumpsOut(tree.body, new Set([...known, tree.label]));
      default:
        return listsOf(tree).some((inner) => jumpsOut(inner, known));
    }
  });
}

/** Whether no path reaches the end of the list. */
export function alwaysLeaves(list: readonly Tree[]): boolean {
  const last = list[list.length - 1];
  switch (last?.kind) {
    case 'if':
      return alwaysLeaves(last.then) && alwaysLeaves(last.else);
    case 'exit':
    case 'trap':
    case 'return':
    case 'break':
    case 'continue':
      return true;
    default:
      return false;
  }
}

/** Whether some lane ends inside the list. */
export const endsLanes = (list: readonly Tree[]): boolean =>
  some(list, ({ kind }) => kind === 'exit' || kind === 'trap' || kind === 'return');

/**
 * The maximum nesting depth of a tree. Dawn accepts 127 nested statements, and counts a construct
 * and its `{ }` separately.
 */
export const maxNesting = 56;

/**
 * Returns the nesting depth of the statements. A loop over slots may surround lane code and its
 * mask.
 */
export const depthOf = (list: readonly Tree[]): number =>
  list.reduce((depth, tree) => Math.max(depth, ownDepth(tree) + Math.max(0, ...listsOf(tree).map(depthOf))), 0);

const ownDepth = ({ kind }: Tree): number => (kind === 'lanes' ? 2 : kind === 'code' || kind === 'move' ? 0 : 1);
