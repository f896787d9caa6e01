// The lane code that follows the kernel's last loop of warp instructions moves into the loop, before the `break`: `if (c) { rest }
// if (c) { break; }`, and nothing after the loop. NVIDIA's compiler tracks which lanes have left a loop only where something follows it, and
// there it checks every redux and masks every ballot: on an H200 a third of the time of either.
import type { Tree } from '../structure.ts';
import { endsLanes, jumpsOut } from './tree-queries.ts';

type If = Extract<Tree, { kind: 'if' }>;

export interface SinkQueries {
  /// Whether the list holds something that lanes do together.
  readonly hasCollective: (list: readonly Tree[]) => boolean;
  /// Whether all lanes that are there take the same arm.
  readonly isReal: (tree: If) => boolean;
}

/// `list` is the whole kernel, whose lanes leave no construct before others.
export function sinkRest(list: readonly Tree[], queries: SinkQueries): readonly Tree[] {
  const at = list.findLastIndex((tree) => queries.hasCollective([tree]));
  const loop = list[at];
  const after = list.slice(at + 1);
  const rest = after[after.length - 1]?.kind === 'exit' ? after.slice(0, -1) : after;
  if (loop?.kind !== 'loop' || rest.length === 0 || endsLanes(rest) || jumpsOut(rest) || endsLanes(loop.body))
    return list;
  const site = loop.body.findIndex((tree) => tree.kind === 'if' && leaves(tree, loop.exits));
  const leaving = loop.body[site];
  if (leaving?.kind !== 'if' || !queries.isReal(leaving)) return list;
  // Another way out would miss the rest.
  const others = loop.body.filter((_, index) => index !== site);
  if (jumpsOut(others, new Set([loop.label]))) return list;
  const [then, otherwise] = leaving.then.length > 0 ? [rest, []] : [[], rest];
  const before: Tree = { ...leaving, then, else: otherwise };
  const body = [...loop.body.slice(0, site), before, ...loop.body.slice(site)];
  return [...list.slice(0, at), { ...loop, body }];
}

/// `if (c) { break; }`, either way round.
function leaves(tree: If, exits: readonly number[]): boolean {
  const [then, otherwise] = [tree.then, tree.else];
  if (then.length + otherwise.length !== 1) return false;
  const [only] = [...then, ...otherwise];
  return only?.kind === 'break' && exits.includes(only.label);
}
