// Commands that wait for shaders to be compiled, in their order. Where the thread that launches would compile itself, as with Dawn in Node, it would
// also wait for the driver, and some drivers let a compilation wait for a kernel that runs: forever, if that kernel never ends.

import type { Faults } from './faults.ts';
import type { Shader } from './shaders.ts';

interface Step {
  /** The shader that it needs. A step whose shader does not compile is left out. */
  readonly shader?: { readonly of: Shader; readonly compiled: Promise<unknown> };
  readonly run: () => void;
}

export class Backlog {
  readonly #faults: Faults;
  readonly #onDrained: () => void;
  #steps: Step[] | undefined;

  /** `onDrained` is called when nothing waits any more. */
  constructor(faults: Faults, onDrained: () => void) {
    this.#faults = faults;
    this.#onDrained = onDrained;
  }

  /** Whether a step has to wait for those that do. */
  get isWaiting(): boolean {
    return this.#steps !== undefined;
  }

  /** Runs `run` once the shader is compiled and all steps before it have run. The compiler's complaint is told by what is awaited next. */
  holdFor(shader: Shader, run: (pipeline: GPUComputePipeline) => void): void {
    const compiled = shader.prepare();
    this.#faults.watch(
      compiled.then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
      ),
    );
    const isFirst = this.#steps === undefined;
    const steps = this.#steps ?? [];
    this.#steps = steps;
    steps.push({
      shader: { of: shader, compiled },
      run: () => {
        const { pipeline } = shader;
        if (pipeline) this.#faults.watch(this.#faults.outcomeOf(() => run(pipeline)));
      },
    });
    if (isFirst) void this.#drain(steps);
  }

  /** Runs `run` once all steps before it have run. What goes wrong in it belongs to what is awaited behind this call. */
  hold(run: () => void): void {
    let told: (outcome: Promise<Error | undefined>) => void = () => undefined;
    this.#faults.watch(
      new Promise<Error | undefined>((resolve) => {
        told = resolve;
      }),
    );
    this.#steps?.push({ run: () => told(this.#faults.outcomeOf(run)) });
  }

  /** None of them will run. */
  drop(): void {
    this.#steps = undefined;
  }

  async #drain(steps: Step[]): Promise<void> {
    for (let step = steps[0]; step && this.#steps === steps && !this.#faults.lost; step = steps[0]) {
      if (step.shader && !step.shader.of.pipeline) {
        const isCompiled = await step.shader.compiled.then(
          () => true,
          () => false,
        );
        if (this.#steps !== steps || this.#faults.lost) return;
        if (!isCompiled) {
          steps.shift();
          continue;
        }
      }
      steps.shift();
      step.run();
    }
    if (this.#steps !== steps) return;
    this.#steps = undefined;
    this.#onDrained();
  }
}
