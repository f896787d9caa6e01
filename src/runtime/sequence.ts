// Recorded launches. They are prepared when they are recorded, and again if memory has moved since
// then. A replay only copies parameters and adds commands.

import type { CommandQueue } from './device/command-queue.ts';
import { Recording } from './device/recording.ts';
import type { KernelArgument } from './launch/arguments.ts';
import type { Launcher, RecordedDispatch } from './launcher.ts';
import { DevicePointer } from './memory/pointer.ts';
import { NamedArgument, type RecordedLaunch, type Recorder, valuesOf } from './recorder.ts';

/** The maximum number of launches in one batch. */
const most = 256;

/** A prepared step. */
interface Part {
  run(): void;
}

/** Consecutive launches whose commands are only dispatches. */
class Batch implements Part {
  readonly made: RecordedDispatch[] = [];
  readonly #launcher: Launcher;
  readonly #queue: CommandQueue;
  #recording: Recording | undefined;

  constructor(launcher: Launcher, queue: CommandQueue) {
    this.#launcher = launcher;
    this.#queue = queue;
  }

  get recording(): Recording {
    this.#recording ??= new Recording(this.made, this.#queue.align);
    return this.#recording;
  }

  run(): void {
    this.#launcher.announce(this.made);
    this.recording.replay(this.#queue);
  }
}

/** The place of a launch in its batch. A launch without a batch runs as if it were not recorded. */
interface Place {
  readonly launch: RecordedLaunch;
  readonly batch: Batch | undefined;
  readonly index: number;
}

/** Recorded commands. `Runtime.record` returns a sequence. */
export class Sequence {
  readonly #launcher: Launcher;
  readonly #queue: CommandQueue;
  readonly #check: () => void;
  readonly #steps: Recorder['steps'];
  #values: ReadonlyMap<string, KernelArgument>;
  #parts: Part[] = [];
  #places: Place[] = [];
  /** The memory version for which the parts were prepared. */
  #version = -1;

  /**
   * `check` throws if a replay is not possible now. Throws `PtxError` if a kernel cannot be
   * translated.
   * @internal
   */
  constructor(launcher: Launcher, queue: CommandQueue, recorder: Recorder, check: () => void) {
    this.#launcher = launcher;
    this.#queue = queue;
    this.#check = check;
    this.#steps = recorder.steps;
    this.#values = recorder.values;
    this.#make();
  }

  /** The names of the arguments that a replay may change. */
  get arguments(): readonly string[] {
    return [...this.#values.keys()];
  }

  /**
   * Runs all recorded commands again. `given` contains new values of named arguments; the other
   * arguments keep their last values. Throws RangeError for an unknown name, and TypeError for a
   * value that does not fit its parameter. In both cases, no command runs and no value changes.
   */
  replay(given: Readonly<Record<string, KernelArgument>> = {}): void {
    this.#check();
    const before = this.#values;
    try {
      const changed = this.#take(given);
      this.#launcher.memory.heap.settle();
      if (changed.size > 0 && !this.#change(changed)) this.#version = -1;
      if (this.#version !== this.#launcher.version) this.#make();
    } catch (error) {
      this.#values = before;
      this.#version = -1;
      throw error;
    }
    if (this.#launcher.observers.size > 0) this.#runApart();
    else for (const part of this.#parts) part.run();
  }

  /** Runs each launch separately, because observers read memory before and after it. */
  #runApart(): void {
    for (const { launch, ...step } of this.#steps) {
      if (launch) this.#launcher.launch(launch.requestOf(valuesOf(launch.args, this.#values)));
      else if ('run' in step) step.run();
    }
  }

  /** Sets the values, and returns the names whose values changed. */
  #take(given: Readonly<Record<string, KernelArgument>>): ReadonlySet<string> {
    const changed = new Set<string>();
    const values = new Map(this.#values);
    for (const [name, value] of Object.entries(given)) {
      if (!values.has(name)) {
        const known = this.arguments.map((known) => `\`${known}\``).join(', ') || 'none';
        throw new RangeError(`the sequence lacks an argument \`${name}\`; its arguments are ${known}`);
      }
      // The bytes of an array may have changed since the last replay.
      const isArray = typeof value === 'object' && value !== null && !(value instanceof DevicePointer);
      if (!isArray && Object.is(values.get(name), value)) continue;
      values.set(name, value);
      changed.add(name);
    }
    if (changed.size > 0) this.#values = values;
    return changed;
  }

  /**
   * Writes changed arguments to their places in the parameters. Returns false if the new arguments
   * need another shader or other commands.
   */
  #change(names: ReadonlySet<string>): boolean {
    for (const { launch, batch, index } of this.#places) {
      const { args, parameters, requestOf } = launch;
      const changed = parameters.filter((_, at) => {
        const argument = args[at];
        return argument instanceof NamedArgument && names.has(argument.name);
      });
      if (changed.length === 0) continue;
      const request = requestOf(valuesOf(args, this.#values));
      const made = batch?.made[index];
      if (batch && made && changed.every(({ kind }) => kind !== 'pointer')) {
        const to = batch.recording.uniformOf(index);
        for (const parameter of changed) this.#launcher.writeParam(made.compiled, request, parameter.index, to);
        continue;
      }
      const other = this.#launcher.dispatchOf(request);
      if (batch === undefined) continue;
      if (other.compiled !== made?.compiled || !other.isPlain) return false;
      batch.made[index] = other;
      batch.recording.replace(index, other);
    }
    return true;
  }

  #make(): void {
    const launcher = this.#launcher;
    // The preparation of one part may move the memory of another part.
    for (let round = 0; this.#version !== launcher.version && round < 10; round++) {
      this.#version = launcher.version;
      this.#makeAll();
      launcher.memory.heap.settle();
    }
  }

  #makeAll(): void {
    const launcher = this.#launcher;
    [this.#parts, this.#places] = [[], []];
    let batch: Batch | undefined;
    for (const { launch, ...step } of this.#steps) {
      if (launch === undefined) {
        batch = undefined;
        if ('run' in step) this.#parts.push(step);
        continue;
      }
      const made = launcher.dispatchOf(launch.requestOf(valuesOf(launch.args, this.#values)));
      if (!made.isPlain) {
        batch = undefined;
        this.#places.push({ launch, batch, index: 0 });
        this.#parts.push({ run: () => launcher.launch(launch.requestOf(valuesOf(launch.args, this.#values))) });
        continue;
      }
      if (batch === undefined || batch.made.length === most) {
        batch = new Batch(launcher, this.#queue);
        this.#parts.push(batch);
      }
      this.#places.push({ launch, batch, index: batch.made.length });
      batch.made.push(made);
    }
  }
}
