// Cleans up between other passes: folds, simplifies control flow and removes dead code, until
// nothing changes.
import type { Builder } from '../ir/builder.ts';
import type { Func } from '../ir/nodes.ts';
import { fold } from './fold.ts';
import { removeDeadCode } from './remove-dead-code.ts';
import { simplifyControlFlow } from './simplify-control-flow.ts';

/**
 * The maximum number of rounds. A round takes linear time, and more than three are rarely needed.
 */
const maxRounds = 8;

export function cleanUp(func: Func, builder: Builder): void {
  simplifyControlFlow(func, builder);
  removeDeadCode(func);
  for (let round = 0; round < maxRounds; round++) {
    const { decided, changed } = fold(func, builder);
    const emptied = changed && removeDeadCode(func);
    // Only a change of the graph enables more folding.
    if ((!decided && !emptied) || !simplifyControlFlow(func, builder)) return;
  }
}
