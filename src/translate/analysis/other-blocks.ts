// Finds addresses that may differ between the blocks of a grid. A thread that reads a store of
// another block computes the location from its own block index, or from a ticket in memory.
import { get } from '../../base/invariants.ts';
import { incomingEdges } from '../graph/users.ts';
import type { Func, Inst, Value } from '../ir/nodes.ts';

/** The function's blocks and their parameters must not change during the analysis. */
export class OtherBlocks {
  private readonly func: Func;
  private edges: ReturnType<typeof incomingEdges> | undefined;

  constructor(func: Func) {
    this.func = func;
  }

  /**
   * Whether an address depends on the block index, or on memory other than the kernel's parameters.
   */
  mayConcern(address: Value): boolean {
    const seen = new Set<Value>();
    const queue = [address];
    for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
      if (seen.has(value) || value.kind === 'constant' || value.kind === 'undef') continue;
      seen.add(value);
      if (value.kind === 'param') {
        this.edges ??= incomingEdges(this.func);
        const index = value.block.params.indexOf(value);
        for (const { args } of get(this.edges, value.block, 'the edges into a block')) {
          const arg = args[index];
          if (arg !== undefined) queue.push(arg);
        }
        continue;
      }
      const { inst } = value;
      if (inst.op === 'special' ? isNumberOfBlock(inst.attrs.name) : readsMemory(inst)) return true;
      queue.push(...inst.args, ...inst.otherwise);
    }
    return false;
  }
}

function readsMemory(inst: Inst): boolean {
  if (inst.op === 'load') return inst.attrs.place.root.kind !== 'param';
  return inst.op !== 'warp' && inst.operation.effect !== 'pure';
}

const isNumberOfBlock = (name: string): boolean => /^%(ctaid|clusterid|cluster_ctaid|cluster_ctarank)\b/.test(name);
