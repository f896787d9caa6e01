// Where text and bytes of others come in, each as a door that a fuzzer can knock at.
import type { Random } from '../../suites/random.ts';

/** What a door takes. */
export type DoorInput = string | Uint8Array<ArrayBuffer>;

export interface Door<Input extends DoorInput = DoorInput> {
  readonly name: string;
  /** Inputs to start from: right ones, and those that once went wrong. */
  readonly seeds: readonly [Input, ...Input[]];
  /** Another input, made from the seeds. */
  mutate(rng: Random): Input;
  /** Takes an input in. Returns what became of it in a word or two, for counting. Throws what it must not throw, and nothing that it may. */
  enter(input: Input): string;
}
