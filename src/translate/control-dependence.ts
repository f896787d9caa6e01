// Which branches decide whether a block runs, where only blocks count that lead to warp instructions or barriers.
import { findLoops, immediateDominators, immediatePostdominators } from './dominators.ts';
import { type Block, isCollective, retarget, successors } from './ir.ts';

export interface ControlGraph {
  readonly blocks: readonly Block[];
  /// Blocks from which a warp instruction or barrier can still be reached.
  readonly core: ReadonlySet<number>;
  /// Blocks whose branches decide whether a block runs: directly, and directly or through others.
  readonly deciders: (block: number) => ReadonlySet<number>;
  readonly allDeciders: (block: number) => ReadonlySet<number>;
  /// Blocks of the core that some branch out of for good.
  readonly departures: readonly number[];
}

const none: ReadonlySet<number> = new Set();

export function controlGraph(blocks: readonly Block[]): ControlGraph {
  const core = blocksThatReachCollectives(blocks);
  const direct = controlDependences(blocks, core);
  const deciders = (block: number) => direct.get(block) ?? none;
  return {
    blocks,
    core,
    deciders,
    allDeciders: (block) => {
      const all = new Set<number>();
      const queue = [block];
      for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
        for (const branch of deciders(at)) {
          if (all.has(branch)) continue;
          all.add(branch);
          queue.push(branch);
        }
      }
      return all;
    },
    departures: [...core].filter((id) => {
      const targets = successors(blocks[id]?.end ?? { kind: 'exit' });
      return targets.some((to) => core.has(to)) && targets.some((to) => !core.has(to));
    }),
  };
}

function blocksThatReachCollectives(blocks: readonly Block[]): ReadonlySet<number> {
  const core = new Set(blocks.flatMap(({ code }, id) => (code.some(isCollective) ? [id] : [])));
  for (let changed = true; changed; ) {
    changed = false;
    for (let id = blocks.length - 1; id >= 0; id--) {
      const block = blocks[id];
      if (block && !core.has(id) && successors(block.end).some((to) => core.has(to))) {
        core.add(id);
        changed = true;
      }
    }
  }
  return core;
}

/// Branches that decide directly whether a block runs, or how often some lanes went round a loop before. Lanes that leave for good, to where no
/// collective can be reached, are as good as exited for those that stay, so edges out of the core do not count.
function controlDependences(blocks: readonly Block[], core: ReadonlySet<number>): Map<number, Set<number>> {
  const inCore = blocks.map(({ code, end }, id): Block => {
    const targets = successors(end).filter((to) => core.has(to));
    const [only] = targets;
    if (!core.has(id) || only === undefined) return { code, end: { kind: 'exit' } };
    return targets.length === 1 ? { code, end: { kind: 'jump', to: only } } : { code, end: keepTargets(end, core) };
  });
  const direct = new Map<number, Set<number>>();
  addDependences(inCore, direct, () => true);
  // A lane that goes round a loop again without coming by a block that others wait in may come there later: within a loop, its next
  // iteration is another place.
  const innermost = new Map<number, number>();
  const loops = [...findLoops(blocks, immediateDominators(blocks)).bodies].sort(([, a], [, b]) => b.size - a.size);
  for (const [header, body] of loops) for (const id of body) innermost.set(id, header);
  for (const [header] of loops.filter(([header]) => core.has(header))) {
    const around = loops.filter(([, body]) => body.has(header));
    addDependences(oneIteration(inCore, around), direct, (id) => innermost.get(id) === header);
  }
  return direct;
}

/// The graph with every jump to the next iteration of one of the loops as the end.
function oneIteration(
  blocks: readonly Block[],
  loops: readonly (readonly [header: number, body: ReadonlySet<number>])[],
): readonly Block[] {
  const over = blocks.length;
  const isNext = (from: number, to: number) => loops.some(([header, body]) => to === header && body.has(from));
  return [
    ...blocks.map(
      ({ code, end }, from): Block => ({
        code,
        end: retarget(end, (to) => (isNext(from, to) ? over : to)),
      }),
    ),
    { code: [], end: { kind: 'exit' } },
  ];
}

function addDependences(
  blocks: readonly Block[],
  direct: Map<number, Set<number>>,
  which: (block: number) => boolean,
): void {
  const postdominators = immediatePostdominators(blocks);
  blocks.forEach(({ end }, branch) => {
    const targets = successors(end);
    if (targets.length < 2) return;
    const stop = postdominators[branch];
    for (const target of targets) {
      for (
        let node: number | undefined = target;
        node !== undefined && node !== stop && node < blocks.length;
        node = postdominators[node]
      ) {
        if (which(node)) {
          const set = direct.get(node) ?? new Set<number>();
          direct.set(node, set.add(branch));
        }
        if (node === branch) break;
      }
    }
  });
}

function keepTargets(end: Block['end'], core: ReadonlySet<number>): Block['end'] {
  if (end.kind === 'switch') return { ...end, targets: end.targets.filter((to) => core.has(to)) };
  return end;
}
