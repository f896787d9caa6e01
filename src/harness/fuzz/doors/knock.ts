// Sends many inputs to a door, and watches time and memory.
import { cpuMs } from '../../../base/cpu-time.ts';
import { random } from '../../suites/random.ts';
import type { Door, DoorInput } from './door.ts';

export interface KnockOptions {
  readonly seed: number;
  readonly first?: number;
  readonly count: number;
  readonly maxFailures?: number;
  /** The limit of processor time for one input, in milliseconds. The default is `maxInputMs`. */
  readonly maxMs?: number;
  /** Called before each input, to identify an input that hangs. */
  readonly onInput?: (index: number) => void;
}

export interface KnockFailure {
  readonly index: number;
  readonly problem: string;
  readonly input: DoorInput;
}

export interface KnockResult {
  readonly door: string;
  readonly inputs: number;
  /** The number of inputs with each outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly failures: readonly KnockFailure[];
  readonly slowest: { readonly index: number; readonly ms: number };
  /** The largest resident memory that was measured, in bytes. */
  readonly peakBytes: number;
}

/** The limit of processor time for one input, in milliseconds. */
export const maxInputMs = 5_000;
/**
 * The maximum memory of the whole process in bytes, including the seeds and garbage that is not yet
 * collected.
 */
export const maxMemoryBytes = 1536 * 2 ** 20;
const memoryInterval = 500;

/** Returns the input with a number. The same seed and number always produce the same input. */
export function inputOf<Input extends DoorInput>(door: Door<Input>, seed: number, index: number): Input {
  return door.mutate(random(seed, 'door', door.name, index));
}

/**
 * Returns a description of the problem if a door handles an input incorrectly; undefined if there
 * is none.
 */
export function problemOf<Input extends DoorInput>(
  door: Door<Input>,
  input: Input,
  maxMs = maxInputMs,
): { outcome: string; problem?: string } {
  const start = cpuMs();
  try {
    const outcome = door.enter(input);
    const ms = cpuMs() - start;
    return ms > maxMs ? { outcome, problem: `it took ${ms.toFixed(0)} ms` } : { outcome };
  } catch (error) {
    return { outcome: 'failed', problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

export function knock<Input extends DoorInput>(door: Door<Input>, options: KnockOptions): KnockResult {
  const { seed, first = 0, count, maxFailures = 10, maxMs, onInput } = options;
  const outcomes = new Map<string, number>();
  const failures: KnockFailure[] = [];
  let slowest = { index: first, ms: 0 };
  let peakBytes = 0;
  let inputs = 0;
  for (; inputs < count && failures.length < maxFailures; inputs++) {
    const index = first + inputs;
    onInput?.(index);
    const input = inputOf(door, seed, index);
    const start = cpuMs();
    const { outcome, problem } = problemOf(door, input, maxMs);
    const ms = cpuMs() - start;
    if (ms > slowest.ms) slowest = { index, ms: Math.round(ms * 10) / 10 };
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (problem !== undefined) failures.push({ index, problem, input });
    if (inputs % memoryInterval === 0) {
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      if (peakBytes > maxMemoryBytes) {
        failures.push({ index, problem: `the process uses ${peakBytes} bytes of memory`, input });
      }
    }
  }
  return { door: door.name, inputs, outcomes: Object.fromEntries(outcomes), failures, slowest, peakBytes };
}
