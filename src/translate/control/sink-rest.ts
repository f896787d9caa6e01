// Moves the lane code after the kernel's last loop of warp instructions into the loop, before the
// `break`: `if (c) { rest } if (c) { break; }`, with nothing after the loop. If code follows a
// loop, NVIDIA's compiler tracks the lanes that have left it, checks every redux and masks every
// ballot. On an H200, these additions cost a third of the time of a redux or ballot.
import { endsLanes, jumpsOut, type Label, type Tree, type TreeOf } from './tree.ts';

export interface SinkQueries {
  /** Whether the list contains a collective. */
  readonly hasCollective: (list: readonly Tree[]) => boolean;
  /** Whether all active lanes take the same arm. */
  readonly isUniformBranch: (tree: TreeOf<'if'>) => boolean;
}

/**
 * Moves the lane code after the last loop of warp instructions into that loop. `list`: the whole
 * kernel, in which no lane leaves a construct before others.
 */
export function sinkRest(list: readonly Tree[], queries: SinkQueries): readonly Tree[] {
  const at = list.findLastIndex((tree) => queries.hasCollective([tree]));
  const loop = list[at];
  const after = list.slice(at + 1);
  const rest = after[after.length - 1]?.kind === 'exit' ? after.slice(0, -1) : after;
  if (loop?.kind !== 'loop' || rest.length === 0 || endsLanes(rest) || jumpsOut(rest) || endsLanes(loop.body))
    return list;
  const site = loop.body.findIndex((tree) => tree.kind === 'if' && leaves(tree, loop.exits) !== undefined);
  const leaving = loop.body[site];
  if (leaving?.kind !== 'if' || !queries.isUniformBranch(leaving)) return list;
  const way = leaves(leaving, loop.exits);
  // Lanes that leave the loop at another place would skip the code.
  const others = loop.body.filter((_, index) => index !== site);
  if (way === undefined || jumpsOut(others, new Set([loop.label]))) return list;
  const [then, otherwise] = leaving.then.length > 0 ? [[...way.moves, ...rest], []] : [[], [...way.moves, ...rest]];
  const before: Tree = { ...leaving, then, else: otherwise };
  const away: Tree = leaving.then.length > 0 ? { ...leaving, then: [way.jump] } : { ...leaving, else: [way.jump] };
  const body = [...loop.body.slice(0, site), before, away, ...loop.body.slice(site + 1)];
  return [...list.slice(0, at), { ...loop, body }];
}

/** If the tree is `if (c) { moves; break; }`, in either arm, returns its parts. */
function leaves(
  tree: TreeOf<'if'>,
  exits: readonly Label[],
): { readonly moves: readonly Tree[]; readonly jump: Tree } | undefined {
  const [then, otherwise] = [tree.then, tree.else];
  if (then.length > 0 && otherwise.length > 0) return undefined;
  const arm = [...then, ...otherwise];
  const jump = arm[arm.length - 1];
  const moves = arm.slice(0, -1);
  if (jump?.kind !== 'break' || !exits.includes(jump.label) || moves.some(({ kind }) => kind !== 'move'))
    return undefined;
  return { moves, jump };
}
