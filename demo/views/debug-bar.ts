// The buttons that step over calls and run to certain lines.
import type { ShownTrace } from '../compiler/pack-trace.ts';
import { byId } from '../dom.ts';
import { backOver, nextExecution, runBackTo, runTo, stepOver } from '../program/stepping.ts';

export interface DebugBarOptions {
  /** The current trace, if there is one. */
  readonly trace: () => ShownTrace | undefined;
  /** The current step. */
  readonly at: () => number;
  /** Returns the line of a step. */
  readonly lineOf: (step: number) => number;
  readonly breakpoints: () => ReadonlySet<number>;
  /** Returns the line of the cursor. */
  readonly cursor: () => number;
  readonly onStep: (step: number) => void;
}

export function makeDebugBar({ trace: current, at: now, lineOf, breakpoints, cursor, onStep }: DebugBarOptions): void {
  type Move = (trace: ShownTrace, at: number) => number | undefined;
  const runOn: Move = (trace, at) =>
    runTo(trace, at, breakpoints(), lineOf) ?? (at < trace.length - 1 ? trace.length - 1 : undefined);
  const runBack: Move = (trace, at) => runBackTo(trace, at, breakpoints(), lineOf) ?? (at > 0 ? 0 : undefined);
  const runToCursor: Move = (trace, at) => nextExecution(trace, at, new Set([cursor()]), lineOf);
  const moves: readonly (readonly [id: string, move: Move, otherwise: string])[] = [
    ['step-over', stepOver, 'the last step'],
    ['back-over', backOver, 'the first step'],
    ['run-on', runOn, 'the last step'],
    ['run-back', runBack, 'the first step'],
    ['run-to', runToCursor, 'this warp does not execute the line'],
  ];
  for (const [id, move, otherwise] of moves) {
    byId(id).addEventListener('click', () => {
      const trace = current();
      const step = trace && move(trace, now());
      byId('debug-status').textContent = step === undefined ? otherwise : '';
      if (step !== undefined) onStep(step);
    });
  }
}
