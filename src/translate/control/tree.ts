// The control tree: what a function's graph becomes on its way to WGSL. Structuring makes it from the
// graph; passes over it place active masks, or turn the kernel into a dispatch; one writer makes WGSL
// of it. print.ts shows the notation, verify.ts checks what holds in every tree.
import type { Span } from '../../ptx/ast.ts';
import type { Edge, Inst, InstNamed, Param, Value } from '../ir/nodes.ts';
import type { WaitPlace } from './waits.ts';

/**
 * The lanes that surely hold the same value of a condition: one lane, a warp, a block; or a block,
 * and WGSL's own uniformity analysis agrees.
 */
export const scopes = ['lane', 'warp', 'block', 'proven'] as const;
export type Scope = (typeof scopes)[number];

/** Lanes that decide a condition together by a vote, so that WGSL takes it for uniform. */
export const votes = ['none', 'subgroup', 'block'] as const;
export type Vote = (typeof votes)[number];

export type Tree =
  /** A run of instructions. */
  | { readonly kind: 'code'; readonly insts: readonly Inst[] }
  /** The parameters of a block get their values, all at once. */
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
   * Endless; left by a `break` to one of `exits`. Reaching the end of the body starts it again. With
   * a vote, it also ends once no lane is active.
   */
  | {
      readonly kind: 'loop';
      readonly label: Label;
      readonly exits: readonly Label[];
      readonly vote: Vote;
      readonly body: readonly Tree[];
      /** Between two iterations. */
      readonly continuing: readonly Tree[];
    }
  /** Runs once; a `break` to its label leaves it. */
  | { readonly kind: 'block'; readonly label: Label; readonly body: readonly Tree[] }
  | { readonly kind: 'break'; readonly label: Label }
  | { readonly kind: 'continue'; readonly label: Label }
  | { readonly kind: 'exit' }
  | { readonly kind: 'trap'; readonly span: Span | undefined }
  | { readonly kind: 'return'; readonly values: readonly Value[]; readonly span: Span | undefined }
  // What a warp executes, whose lanes take part if they are active.
  /** Lane code, for each lane; only for the active ones if it is masked. */
  | { readonly kind: 'lanes'; readonly body: readonly Tree[]; readonly masked: boolean }
  /** An instruction that lanes execute together. `keeps`: its results stay as they are in inactive lanes. */
  | {
      readonly kind: 'collective';
      readonly inst: InstNamed<'warp'> | InstNamed<'barrier'>;
      readonly keeps: boolean;
    }
  /** The body runs if any lane is active, by a vote. */
  | { readonly kind: 'any'; readonly vote: Vote; readonly body: readonly Tree[] }
  | { readonly kind: 'mask'; readonly change: MaskChange }
  // What lanes of a dispatched kernel do.
  | { readonly kind: 'dispatch'; readonly dispatch: Dispatch }
  /** The lane goes on at a case. */
  | { readonly kind: 'goto'; readonly to: number }
  /** The lane waits, then goes on at a case. `inst`: what it waits at. */
  | {
      readonly kind: 'wait';
      readonly at: WaitPlace;
      readonly inst: InstNamed<'warp'> | InstNamed<'barrier'> | undefined;
      readonly next: number;
    }
  /** The lane takes the results of the instruction that it waited at. */
  | { readonly kind: 'resume'; readonly inst: Inst }
  /** The lane does not execute an instruction, because its guard is false. */
  | { readonly kind: 'pass'; readonly inst: Inst }
  /** The lane waits in front of a converged loop; if that does not pay, it executes the body alone. */
  | { readonly kind: 'gather'; readonly loop: number; readonly body: readonly Tree[] }
  // What may part the lanes of a converged loop: each lane then goes on by itself, at a case.
  /**
   * A warp instruction that the lanes execute together if all are here that it names. `alone`: what a
   * lane does that goes on by itself.
   */
  | { readonly kind: 'meet'; readonly inst: InstNamed<'warp'>; readonly alone: readonly Tree[] }
  /** Lanes leave the loop in one arm. Both arms say what a lane does that goes on by itself. */
  | {
      readonly kind: 'part';
      readonly condition: Value;
      readonly leaves: 'then' | 'else';
      readonly then: readonly Tree[];
      readonly else: readonly Tree[];
      readonly span: Span | undefined;
    }
  /** Arms with warp instructions, one after the other; lanes of both go on at `join`. */
  | {
      readonly kind: 'arms';
      readonly condition: Value;
      readonly then: Arm;
      readonly else: Arm;
      readonly join: number;
      readonly span: Span | undefined;
    };

export type TreeOf<Kind extends Tree['kind']> = Extract<Tree, { readonly kind: Kind }>;
export type Jump = TreeOf<'break' | 'continue'>;

/** A change of the active mask. */
export type MaskChange =
  /** The mask of the kernel's start. `rejoins`: jumps that lanes may leave until. */
  | { readonly op: 'start'; readonly rejoins: readonly Jump[] }
  /** In lane code: the lane is inactive until the jump's construct ends or goes on; undefined: for good. */
  | { readonly op: 'leave'; readonly until: Jump | undefined }
  /** The same for lanes where the condition does not hold, or where it holds: a value that any lane may compute. */
  | {
      readonly op: 'leave-unless';
      readonly condition: Value;
      readonly negated: boolean;
      readonly until: Jump | undefined;
    }
  /** All active lanes leave. */
  | { readonly op: 'leave-all'; readonly until: Jump | undefined }
  /** Lanes that left until this jump are active again. */
  | { readonly op: 'rejoin'; readonly jump: Jump }
  /** Lanes where the condition does not hold are inactive until `other`, those where it holds from there until `join`. */
  | { readonly op: 'split'; readonly condition: Value; readonly span: Span | undefined }
  | { readonly op: 'other' }
  | { readonly op: 'join' };

/** A construct that jumps name. Labels are compared by identity. */
export interface Label {
  /** The parameters of the block that a jump reaches: the header of a loop, or the block after a construct. */
  readonly params: readonly Param[];
}

/** Values of the selector that lead to `body`; the last arm also takes every other value. */
export interface SwitchArm {
  readonly values: readonly number[];
  readonly body: readonly Tree[];
}

/** One arm of two in a converged loop. `enter`: what a lane does that enters it by itself. */
export interface Arm {
  readonly enter: readonly Tree[];
  readonly body: readonly Tree[];
}

/** A kernel whose lanes each have a program counter. */
export interface Dispatch {
  readonly cases: readonly DispatchCase[];
  /** Bodies of the converged loops, by number, each with the case in front of it. */
  readonly loops: readonly DispatchLoop[];
  /** Where lanes may wait: the place in the list, from 1 on, is what a lane's variable `wait` holds. */
  readonly waits: readonly WaitPlace[];
  /** Where lanes go on if nothing else can happen in the warp, in this order. */
  readonly releases: readonly WaitPlace[];
}

export interface DispatchCase {
  readonly number: number;
  readonly body: readonly Tree[];
}

export interface DispatchLoop {
  readonly header: number;
  readonly body: readonly Tree[];
}

/** Lists of trees directly inside a tree. */
export function listsOf(tree: Tree): readonly (readonly Tree[])[] {
  switch (tree.kind) {
    case 'if':
    case 'part':
      return [tree.then, tree.else];
    case 'arms':
      return [tree.then.enter, tree.then.body, tree.else.enter, tree.else.body];
    case 'switch':
      return tree.arms.map(({ body }) => body);
    case 'loop':
      return tree.continuing.length > 0 ? [tree.body, tree.continuing] : [tree.body];
    case 'block':
    case 'lanes':
    case 'any':
    case 'gather':
      return [tree.body];
    case 'meet':
      return [tree.alone];
    case 'dispatch':
      return [...tree.dispatch.cases, ...tree.dispatch.loops].map(({ body }) => body);
    default:
      return [];
  }
}

/** The tree with each list directly inside it replaced. */
export function mapLists(tree: Tree, map: (list: readonly Tree[]) => readonly Tree[]): Tree {
  switch (tree.kind) {
    case 'if':
    case 'part':
      return { ...tree, then: map(tree.then), else: map(tree.else) };
    case 'switch':
      return { ...tree, arms: tree.arms.map((arm) => ({ ...arm, body: map(arm.body) })) };
    case 'loop':
      return { ...tree, body: map(tree.body), continuing: map(tree.continuing) };
    case 'block':
    case 'lanes':
    case 'any':
    case 'gather':
      return { ...tree, body: map(tree.body) };
    case 'meet':
      return { ...tree, alone: map(tree.alone) };
    case 'arms': {
      const arm = ({ enter, body }: Arm): Arm => ({ enter: map(enter), body: map(body) });
      return { ...tree, then: arm(tree.then), else: arm(tree.else) };
    }
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

/** Visits a list and all that is inside it, in order. */
export function everyTree(list: readonly Tree[], visit: (tree: Tree) => void): void {
  for (const tree of list) {
    visit(tree);
    for (const inner of listsOf(tree)) everyTree(inner, visit);
  }
}

/** The parameters of an edge's block get their values. */
export const moveOf = ({ to, args }: Edge): readonly Tree[] =>
  args.length > 0 ? [{ kind: 'move', params: to.params, args }] : [];

/** Whether a list, or what is inside it, has a tree for which `test` holds. */
export function some(list: readonly Tree[], test: (tree: Tree) => boolean): boolean {
  return list.some((tree) => test(tree) || listsOf(tree).some((inner) => some(inner, test)));
}

/** Labels of the constructs in a list. */
export function labelsOf(list: readonly Tree[], into = new Set<Label>()): Set<Label> {
  for (const tree of list) {
    if (tree.kind === 'loop' || tree.kind === 'block') into.add(tree.label);
    for (const inner of listsOf(tree)) labelsOf(inner, into);
  }
  return into;
}

/** Whether the list has a jump to a label that is neither inside it nor known. */
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

/** Whether some lane ends inside. */
export const endsLanes = (list: readonly Tree[]): boolean =>
  some(list, ({ kind }) => kind === 'exit' || kind === 'trap' || kind === 'return');
