// Commands that wait for shaders to compile, in their order. With Dawn in Node, synchronous
// compilation on the launching thread also waits for the driver. Some drivers delay a compilation
// until a running kernel ends, which may never happen.

import type { Faults } from './faults.ts';
import type { Shader } from './shaders.ts';

interface Step {
  /** The shader that the step needs. If the shader does not compile, the step is skipped. */
  readonly shader?: { readonly of: Shader; readonly compiled: Promise<unknown> };
  readonly run: () => void;
}

export class Backlog {
  readonly #faults: Faults;
  readonly #onDrained: () => void;
  #steps: Step[] | undefined;

  /** `onDrained` is called when no step is waiting. */
  constructor(faults: Faults, onDrained: () => void) {
    this.#faults = faults;
    this.#onDrained = onDrained;
  }

  /** Whether new steps must wait for earlier steps. */
  get isWaiting(): boolean {
    return this.#steps !== undefined;
  }

  /**
   * Runs `run` once the shader is compiled and all earlier steps have run. A compile error rejects
   * the next awaited promise.
   */
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

  /**
   * Runs `run` once all earlier steps have run. Its errors reject the next promise that is awaited
   * after this call.
   */
  hold(run: () => void): void {
    let told: (outcome: Promise<Error | undefined>) => void = () => undefined;
    this.#faults.watch(
      new Promise<Error | undefined>((resolve) => {
        told = resolve;
      }),
    );
    this.#steps?.push({ run: () => told(this.#faults.outcomeOf(run)) });
  }

  /** Drops all waiting steps. */
  drop(): void {
    this.#steps = undefined;
  }

  async #drain(steps: readonly Step[]): Promise<void> {
    // The list grows during the loop.
    for (const step of steps) {
      if (this.#steps !== steps || this.#faults.lost) return;
      if (step.shader && !step.shader.of.pipeline) {
        const isCompiled = await step.shader.compiled.then(
          () => true,
          () => false,
        );
        if (this.#steps !== steps || this.#faults.lost) return;
        if (!isCompiled) continue;
      }
      step.run();
    }
    if (this.#steps !== steps) return;
    this.#steps = undefined;
    this.#onDrained();
  }
}
