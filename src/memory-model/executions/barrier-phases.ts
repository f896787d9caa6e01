// The ways in which the threads' barriers complete. A barrier completes when the expected number of
// threads has arrived.
import { at } from '../../base/invariants.ts';
import type { Barrier } from '../event.ts';

/** The barriers that complete together. */
export type Phase = readonly Barrier[];

interface State {
  /** For each thread, the number of barriers that it has reached. */
  readonly positions: readonly number[];
  readonly arrived: readonly Barrier[];
  readonly phases: readonly Phase[];
}

/** The barriers of a thread, in order. */
export interface ThreadBarriers {
  readonly barriers: readonly Barrier[];
  /** Whether the thread waits forever at the last one. */
  readonly waits: boolean;
}

/**
 * Returns each way in which the barriers can complete, as a list of phases. `blockOf` returns the
 * block of a thread, and `sizeOf` the number of threads of a block.
 */
export function barrierPhases(
  threads: readonly ThreadBarriers[],
  blockOf: (thread: number) => number,
  sizeOf: (block: number) => number,
): readonly (readonly Phase[])[] {
  const found = new Map<string, readonly Phase[]>();
  const seen = new Set<string>();
  const order = new Map(threads.flatMap(({ barriers }) => barriers).map((barrier, index) => [barrier, index] as const));
  const keyOf = (phase: Phase): string =>
    phase
      .map((barrier) => order.get(barrier))
      .sort()
      .join();
  visit({ positions: threads.map(() => 0), arrived: [], phases: [] });
  return [...found.values()];

  function visit(state: State): void {
    const phaseKey = state.phases.map(keyOf).sort().join(';');
    const key = `${state.positions.join()}|${keyOf(state.arrived)}|${phaseKey}`;
    if (seen.has(key)) return;
    seen.add(key);
    const waiting = new Set(state.arrived.filter(({ waits }) => waits).map(({ thread }) => thread));
    const isDone = threads.every(
      ({ barriers, waits }, thread) =>
        state.positions[thread] === barriers.length && waits === waiting.has(barriers.at(-1)?.thread ?? -1),
    );
    if (isDone) found.set(phaseKey, state.phases);
    for (const [thread, { barriers }] of threads.entries()) {
      const position = at(state.positions, thread, 'position of a thread');
      const next = barriers[position];
      if (next !== undefined && !waiting.has(next.thread)) visit(arrive(state, thread, next));
    }
  }

  function arrive({ positions, arrived, phases }: State, thread: number, next: Barrier): State {
    const after = positions.map((position, index) => (index === thread ? position + 1 : position));
    const block = blockOf(next.thread);
    const together = [...arrived.filter((other) => other.id === next.id && blockOf(other.thread) === block), next];
    if (together.length < (next.count ?? sizeOf(block))) {
      return { positions: after, arrived: [...arrived, next], phases };
    }
    return {
      positions: after,
      arrived: arrived.filter((other) => !together.includes(other)),
      phases: [...phases, together],
    };
  }
}
