// Runs the reference with a time limit.
import type { Launch } from '../../src/base/launch.ts';
import type { Observer } from '../../src/cpu-ref/executor.ts';
import { type InterpretOptions, type InterpretResult, interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import type { Module } from '../../src/ptx/index.ts';

/** Thrown to end a run that takes too long. */
class OutOfTime extends Error {}

/** The number of steps between two checks of the time. */
const stepsPerLook = 64;

/** Interprets a launch. Returns undefined if the launch takes longer than `maxMs` milliseconds. */
export function interpretWithin(
  maxMs: number,
  kernel: Module,
  launch: Launch,
  { observe, ...options }: InterpretOptions,
): InterpretResult | undefined {
  const end = performance.now() + maxMs;
  let steps = 0;
  const look: Observer = (event) => {
    if (steps++ % stepsPerLook === 0 && performance.now() > end) throw new OutOfTime();
    observe?.(event);
  };
  try {
    return interpret(kernel, launch, { ...options, observe: look });
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}
