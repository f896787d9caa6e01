// Records functions whose control flow was simple at the last check. Simplification follows each
// pass, but most passes do not change terminators and parameters. So simplification skips functions
// that have not changed.
import type { Block, Func, Param, Terminator } from '../ir/nodes.ts';

/**
 * The parts of a block that simplification reads. Uses of parameters and the computation of
 * conditions are not included.
 */
interface Settled {
  readonly block: Block;
  readonly end: Terminator;
  readonly params: readonly Param[];
  readonly isEmpty: boolean;
}

const settled = new WeakMap<Func, readonly Settled[]>();

/** Records that simplification has just found nothing to do. */
export function noteSettled(func: Func): void {
  settled.set(
    func,
    func.blocks.map((block) => ({
      block,
      end: block.end,
      params: block.params,
      isEmpty: block.insts.length === 0,
    })),
  );
}

/** Whether simplification would again find nothing. */
export function isSettled(func: Func): boolean {
  const known = settled.get(func);
  if (known?.length !== func.blocks.length) return false;
  for (let number = 0; number < known.length; number++) {
    const block = func.blocks[number];
    const before = known[number];
    if (block === undefined || block !== before?.block) return false;
    if (block.end !== before.end || block.params !== before.params) return false;
    if ((block.insts.length === 0) !== before.isEmpty || isOpen(block)) return false;
  }
  return true;
}

/**
 * Whether simplification depends on uses of the block's parameters, or on the condition, which may
 * change inside instructions.
 */
function isOpen({ params, insts, end }: Block): boolean {
  if (insts.length === 0 && params.length > 0) return true;
  return end.kind === 'branch' && end.condition.kind === 'result' && end.condition.inst.op === 'xor';
}
