// What stands between the other passes: folding, straight control flow, nothing dead, until no more comes of it.
import type { Builder } from '../ir/builder.ts';
import type { Func } from '../ir/nodes.ts';
import { fold } from './fold.ts';
import { removeDeadCode } from './remove-dead-code.ts';
import { simplifyControlFlow } from './simplify-control-flow.ts';

/** Rounds after which what is left is left: each is linear, and more than three are rare. */
const maxRounds = 8;

export function cleanUp(func: Func, builder: Builder): void {
  simplifyControlFlow(func, builder);
  removeDeadCode(func);
  for (let round = 0; round < maxRounds; round++) {
    const { decided, changed } = fold(func, builder);
    const emptied = changed && removeDeadCode(func);
    // Only where the graph changes is there anything new to fold.
    if ((!decided && !emptied) || !simplifyControlFlow(func, builder)) return;
  }
}
