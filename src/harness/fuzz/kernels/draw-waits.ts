// Draws statements in which threads and warps wait for each other.
import type { Random } from '../../suites/random.ts';
import type { Statement, WaitStatement } from './tree.ts';
import { flagAccesses, flagSpaces, waits } from './waits.ts';

/**
 * Whether the statements may end or trap a thread. Other threads could then wait for it forever.
 */
export const mayEnd = (body: readonly Statement[]): boolean =>
  /"kind":"exit"|"kind":"trap","on"/.test(JSON.stringify(body));

export function drawWait(rng: Random): WaitStatement {
  const how = rng.pick(waits);
  const access = rng.pick(flagAccesses);
  const space = rng.pick(flagSpaces);
  return { kind: 'wait', how, access, space, form: rng.u32(), d: rng.below(64), a: rng.below(64) };
}

/** Puts the statement into a loop of the whole block, or into a branch that some blocks take. */
function around(rng: Random, statement: WaitStatement): Statement {
  if (rng.chance(0.25)) {
    const trips = { kind: 'constant', count: 2 } as const;
    return { kind: 'loop', trips, testLast: rng.chance(0.5), quiet: false, body: [statement], rest: [] };
  }
  if (rng.chance(0.2)) {
    return { kind: 'if', decision: { kind: 'block', bit: rng.below(2) }, body: [statement], otherwise: [] };
  }
  return statement;
}

/**
 * Adds statements that wait to a few kernels, between other statements. They have a separate random
 * stream, so that the other parts of kernels do not change.
 */
export function withWaits(rng: Random, body: readonly Statement[]): readonly Statement[] {
  if (mayEnd(body) || !rng.chance(0.12)) return body;
  let longer = body;
  for (let count = 1 + rng.below(2); count > 0; count--) {
    longer = longer.toSpliced(rng.below(longer.length + 1), 0, around(rng, drawWait(rng)));
  }
  return longer;
}
