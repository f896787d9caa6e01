// Notices that a launch repeats itself: all that it computes from is as it was before, so that it never ends. Loops that wait
// for what nobody stores do.
import type { RunningBlock } from './block.ts';
import type { LaunchMachine } from './machine.ts';

type Words = Uint32Array | Int32Array;

/** Steps between two looks. */
const stepsBetween = 1 << 14;
/** Looks before the first state is kept: most launches end earlier. */
const looksBefore = 8;

/**
 * Keeps the state after 8, 16, 32, … looks and compares each later one with it (Brent's algorithm), so that a period of any
 * length is found within a few times its length.
 */
export class Repetition {
  private readonly machine: LaunchMachine;
  private looks = 0;
  private steps = 0;
  private kept: readonly Words[] | undefined;

  constructor(machine: LaunchMachine) {
    this.machine = machine;
  }

  /** Whether the launch repeats itself. `blocks` are all that have not ended; none is still to start. */
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

/** Lanes at an instruction without `.sync` go on after some time, whatever others do. */
const mayGoOn = ({ warps }: RunningBlock): boolean => warps.some(({ atConverge }) => atConverge !== 0);

/** What changes most often comes first. */
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
