// The places where lanes of a dispatched kernel wait.
import type { InstNamed } from '../ir/nodes.ts';
import { warpFacts } from '../ir/warp-facts.ts';

type Warp = InstNamed<'warp'>;

export type WaitPlace =
  /** The lane waits at a warp instruction for the other lanes of its group. */
  | { readonly kind: 'class'; readonly class: WaitClass }
  /**
   * The lane waits before the loop with this head. `loop`: it waits for the other lanes of the warp
   * before a converged loop. `back-edge`: it waits, before the next iteration of any loop, for the
   * lanes that are still in the current one.
   */
  | { readonly kind: 'loop' | 'back-edge'; readonly head: number }
  /** The lane waits at a barrier of the block or the cluster. */
  | { readonly kind: 'barrier' }
  /** The lane waits until all other threads of the workgroup have run as far as they can. */
  | { readonly kind: 'yield' };

/**
 * Warp instructions at which lanes may execute together: `.sync` forms with the same qualifiers, or
 * one instruction without `.sync`.
 */
export interface WaitClass {
  /** Ids start at 1. */
  readonly id: number;
  readonly sync: boolean;
  readonly first: Warp;
  readonly members: readonly Warp[];
}

export function samePlace(a: WaitPlace, b: WaitPlace): boolean {
  switch (a.kind) {
    case 'class':
      return b.kind === 'class' && a.class === b.class;
    case 'loop':
    case 'back-edge':
      return b.kind === a.kind && a.head === b.head;
    default:
      return a.kind === b.kind;
  }
}

/**
 * Whether an instruction has a member mask. Lanes that arrive at different places may then execute
 * it together.
 */
export const isSync = ({ attrs }: Warp): boolean => warpFacts(attrs.row).membermask !== undefined;

/** Returns a key of a `.sync` form. Lanes may execute two forms with the same key together. */
export const qualifiersOf = ({ attrs: { row, mods }, args }: Warp): string =>
  `${row} ${JSON.stringify(mods)} ${args.length}`;

/**
 * Returns the classes, `.sync` forms first, so that one comparison distinguishes them from the
 * others.
 */
export function waitClasses(insts: readonly Warp[]): readonly WaitClass[] {
  const groups = new Map<string, [Warp, ...Warp[]]>();
  insts.forEach((inst, index) => {
    const key = isSync(inst) ? qualifiersOf(inst) : `${index}`;
    const members = groups.get(key);
    if (members) members.push(inst);
    else groups.set(key, [inst]);
  });
  const all = [...groups.values()];
  const ordered = [...all.filter(([first]) => isSync(first)), ...all.filter(([first]) => !isSync(first))];
  return ordered.map((members, index) => ({ id: index + 1, sync: isSync(members[0]), first: members[0], members }));
}
