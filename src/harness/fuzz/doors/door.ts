// A door (a fuzz target) is an entry point for untrusted text or bytes, in a form that a fuzzer can
// call.
import type { Random } from '../../suites/random.ts';

export type DoorInput = string | Uint8Array<ArrayBuffer>;

export interface Door<Input extends DoorInput = DoorInput> {
  readonly name: string;
  /** The initial inputs: valid inputs, and inputs that failed once. */
  readonly seeds: readonly [Input, ...Input[]];
  /** Returns another input, which is derived from the seeds. */
  mutate(rng: Random): Input;
  /**
   * Processes an input. Returns the outcome in one or two words, for counting. Catches permitted
   * errors, and throws all others.
   */
  enter(input: Input): string;
}
