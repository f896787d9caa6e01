// Adds a block to each edge that leaves a loop with values, so that the words of a sum can be
// unpacked there once, instead of in each iteration. `clean-up` removes the blocks that stay empty.

import { loopsIn } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { edgesOf, type Func, mapTerminator } from '../../ir/nodes.ts';

export function splitLoopExits(func: Func, builder: Builder): void {
  const loops = loopsIn(func);
  for (const block of [...func.blocks]) {
    if (edgesOf(block.end).length < 2) continue;
    const depth = loops.depthOf(block);
    block.end = mapTerminator(
      block.end,
      (value) => value,
      (edge) => {
        if (edge.args.length === 0 || loops.depthOf(edge.to) >= depth) return edge;
        const exit = builder.block();
        exit.end = { kind: 'jump', to: edge, span: block.end.span };
        func.blocks.push(exit);
        return { to: exit, args: [] };
      },
    );
  }
}
