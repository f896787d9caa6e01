// Detects launches that never end because their state repeats: for example, a loop that waits for a
// store that no thread executes.
import type { RunningBlock } from './block.ts';
import type { LaunchMachine } from './machine.ts';

type Words = Uint32Array | Int32Array;

/** The number of steps from one check to the next. */
const stepsBetween = 1 << 14;
/** The number of checks before the first state is saved. Most launches end before. */
const looksBefore = 8;

/**
 * Detects repetition with Brent's algorithm: saves the state after 8, 16, 32, … checks and compares
 * each later state with the saved one. A period of any length is detected within a few times that
 * length.
 */
export class Repetition {
  private readonly machine: LaunchMachine;
  private looks = 0;
  private steps = 0;
  private kept: readonly Words[] | undefined;

  constructor(machine: LaunchMachine) {
    this.machine = machine;
  }

  /**
   * Whether the state of the launch repeats. `blocks` are all blocks that still run; all other
   * blocks have ended.
   */
  isFound(blocks: readonly RunningBlock[]): boolean {
    const { machine } = this;
    if (machine.steps - this.steps < stepsBetween) return false;
    this.steps = machine.steps;
    this.looks++;
    const isKept = this.looks >= looksBefore && (this.looks & (this.looks - 1)) === 0;
    if (!isKept && this.kept === undefined) return false;
    const state = stateOf(machine, blocks);
    if (this.kept !== undefined && areEqual(this.kept, state)) return !blocks.some(mayGoOn);
    if (isKept) this.kept = state.map((words) => words.slice());
    return false;
  }
}

/**
 * Whether a lane waits at an instruction without `.sync`. Such a lane continues after a certain
 * number of steps.
 */
const mayGoOn = ({ warps }: RunningBlock): boolean => warps.some(({ atConverge }) => atConverge !== 0);

/**
 * Returns the state of a launch. State that changes often is first, so that comparisons end early.
 */
function stateOf(machine: LaunchMachine, blocks: readonly RunningBlock[]): readonly Words[] {
  return [
    Uint32Array.of(blocks.length, machine.clockReads, machine.printed.texts.length),
    ...blocks.flatMap(({ warps }) => warps.flatMap((warp) => warp.state())),
    ...blocks.flatMap((block) => block.state()),
    ...machine.space.globals.map(({ words }) => words),
  ];
}

const areEqual = (a: readonly Words[], b: readonly Words[]): boolean =>
  a.length === b.length && a.every((words, index) => haveSameWords(words, b[index]));

function haveSameWords(a: Words, b: Words | undefined): boolean {
  if (b === undefined || a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
