// The moves of a debugger in a recorded trace. All of them return the number of a step, or
// undefined if there is no such step.

/** The part of a trace that the moves need. */
export interface Steps {
  readonly length: number;
  depthOf(step: number): number;
}

/**
 * Returns the next step of the same function or of its callers, so that the steps of called
 * functions are skipped.
 */
export function stepOver(steps: Steps, at: number): number | undefined {
  const depth = steps.depthOf(at);
  return find(steps, at, 1, (step) => steps.depthOf(step) <= depth);
}

/** Returns the previous step of the same function or of its callers. */
export function backOver(steps: Steps, at: number): number | undefined {
  const depth = steps.depthOf(at);
  return find(steps, at, -1, (step) => steps.depthOf(step) <= depth);
}

/** Returns the next step at one of the lines. */
export function runTo(
  steps: Steps,
  at: number,
  lines: ReadonlySet<number>,
  lineOf: (step: number) => number,
): number | undefined {
  return find(steps, at, 1, (step) => lines.has(lineOf(step)));
}

/** Returns the previous step at one of the lines. */
export function runBackTo(
  steps: Steps,
  at: number,
  lines: ReadonlySet<number>,
  lineOf: (step: number) => number,
): number | undefined {
  return find(steps, at, -1, (step) => lines.has(lineOf(step)));
}

/**
 * Returns the next step at one of the lines. If there is none after the current step, searches from
 * the first step.
 */
export function nextExecution(
  steps: Steps,
  at: number,
  lines: ReadonlySet<number>,
  lineOf: (step: number) => number,
): number | undefined {
  return runTo(steps, at, lines, lineOf) ?? runTo(steps, -1, lines, lineOf);
}

function find({ length }: Steps, from: number, direction: 1 | -1, test: (step: number) => boolean): number | undefined {
  for (let step = from + direction; step >= 0 && step < length; step += direction) if (test(step)) return step;
  return undefined;
}
