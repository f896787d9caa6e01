// Straightens the graph: no empty blocks on the way, chains joined, and a private copy of the ending for every branch that leaves.
// `if (i >= n) return;` then has an arm of its own that ends, instead of an edge to a `ret` shared by the whole kernel.
import { type Block, blockAt, predecessors, renumber, retarget, successors } from './ir.ts';

export function simplifyControlFlow(blocks: readonly Block[]): Block[] {
  const threaded = blocks.map(({ code, end }) => ({ code, end: retarget(end, (id) => skipEmpty(blocks, id)) }));
  return renumber(joinChains(copyEndings(threaded)));
}

/// Follows empty blocks that only jump. An endless empty loop stays as it is.
function skipEmpty(blocks: readonly Block[], id: number): number {
  let at = id;
  for (let steps = 0; steps < blocks.length; steps++) {
    const { code, end } = blockAt(blocks, at);
    if (code.length > 0 || end.kind !== 'jump') return at;
    at = end.to;
  }
  return id;
}

function copyEndings(blocks: Block[]): Block[] {
  const result = [...blocks];
  const copy = (id: number) => {
    const { code, end } = blockAt(blocks, id);
    return code.length === 0 && end.kind === 'exit' ? result.push({ code: [], end }) - 1 : id;
  };
  blocks.forEach((block, id) => {
    const { end } = block;
    if (end.kind !== 'jump') {
      result[id] = { code: block.code, end: retarget(end, copy) };
    } else {
      const target = blockAt(blocks, end.to);
      if (target.code.length === 0 && target.end.kind === 'exit') result[id] = { code: block.code, end: target.end };
    }
  });
  return result;
}

/// Joins a block with its only successor when it is that block's only predecessor.
function joinChains(blocks: Block[]): Block[] {
  const reachable = renumber(blocks);
  const incoming = predecessors(reachable);
  const absorbed = new Set<number>();
  reachable.forEach((block, id) => {
    if (absorbed.has(id)) return;
    const code = [...block.code];
    block.code = code;
    for (;;) {
      const [next] = successors(block.end);
      if (block.end.kind !== 'jump' || next === undefined || next === id || next === 0 || incoming[next]?.length !== 1)
        return;
      const tail = blockAt(reachable, next);
      for (const instruction of tail.code) code.push(instruction);
      block.end = tail.end;
      absorbed.add(next);
    }
  });
  return reachable;
}
