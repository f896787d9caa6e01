// Runs the plan of a training: allocates memory, loads kernels, runs steps, and reads losses and
// samples.

import type { DevicePointer, KernelArgument, LoadedModule, Runtime } from '../../src/runtime/index.ts';
import type { Argument, PlannedLaunch } from './launches.ts';
import { maxSample, type Plan, ring } from './plan.ts';

/** A PTX file. */
export interface KernelFile {
  readonly name: string;
  readonly ptx: string;
}

type Bound = () => void;

export class Trainer {
  readonly plan: Plan;
  readonly #runtime: Runtime;
  readonly #modules = new Map<string, LoadedModule>();
  readonly #memory = new Map<string, DevicePointer>();
  #steps: readonly Bound[] = [];
  #setup: readonly Bound[] = [];
  #asked = 0;
  #drawn = 0;

  private constructor(runtime: Runtime, plan: Plan) {
    this.#runtime = runtime;
    this.plan = plan;
  }

  /**
   * Loads and compiles the kernels, and initializes the parameters. Rejects with the errors of the
   * runtime.
   */
  static async open(
    runtime: Runtime,
    plan: Plan,
    files: readonly KernelFile[],
    onProgress?: (done: number, total: number) => void,
  ): Promise<Trainer> {
    const trainer = new Trainer(runtime, plan);
    for (const { name, ptx } of files) {
      const loaded = await runtime.load(ptx, { file: name });
      for (const kernel of loaded.kernels) trainer.#modules.set(kernel, loaded);
    }
    await trainer.#prepare(onProgress);
    for (const [name, bytes] of plan.buffers) trainer.#memory.set(name, runtime.alloc(bytes, { label: name }));
    trainer.#setup = plan.setup.map((launch) => trainer.#bound(launch));
    trainer.#steps = plan.step.map((launch) => trainer.#bound(launch));
    trainer.restart();
    return trainer;
  }

  get steps(): number {
    return this.#asked;
  }

  /** Restores the initial state. */
  restart(): void {
    this.#asked = 0;
    for (const pointer of this.#memory.values()) this.#runtime.memset(pointer, 0);
    for (const [name, contents] of this.plan.contents) this.#at(name).write(contents);
    for (const launch of this.#setup) launch();
  }

  /** Submits steps without waiting for them. */
  train(steps: number): void {
    for (let step = 0; step < steps; step++) for (const launch of this.#steps) launch();
    this.#asked += steps;
  }

  /** Sets the learning rate of later steps. */
  setRate(rate: number): void {
    this.#at('rates').write(Float32Array.of(rate));
  }

  /**
   * Returns the losses of all submitted steps after the first `from`, but at most the last 4096.
   * Waits until the steps have finished.
   */
  async losses(from = 0): Promise<Float32Array> {
    const to = this.#asked;
    const first = Math.max(from, to - ring);
    const history = await this.#at('history').read(Float32Array);
    return Float32Array.from({ length: to - first }, (_, index) => history[(first + index + 1) % ring] ?? 0);
  }

  /** Begins a new sample, which continues this character. */
  beginSample(begin: number): void {
    this.#at('sample.tokens').write(new Int32Array(this.#context).fill(begin));
    this.#drawn = 0;
  }

  /** Submits the next `count` characters of the sample without waiting for them. */
  draw(count: number): void {
    const end = Math.min(this.#drawn + count, maxSample);
    while (this.#drawn < end) this.#draw(this.#drawn++);
  }

  /** The number of characters that were submitted since the sample began. */
  get drawn(): number {
    return this.#drawn;
  }

  /** Returns the sample as indices of characters. */
  async sample(): Promise<Int32Array> {
    return await this.#at('drawn').read(Int32Array, this.#drawn);
  }

  /** Submits a launch without waiting for it. */
  launch(launch: PlannedLaunch): void {
    this.#bound(launch)();
  }

  /** Returns the contents of a buffer. */
  async words(name: string): Promise<Uint32Array<ArrayBuffer>> {
    return await this.#at(name).read(Uint32Array);
  }

  /** Returns the WGSL of a kernel for this device. */
  wgslOf({ kernel, block }: PlannedLaunch): string {
    return this.#module(kernel).kernel(kernel).wgsl({ block });
  }

  /** Whether the device computes the products of matrices as subgroup matrices. */
  get subgroupMatrices(): boolean {
    const products = this.plan.step.filter(({ kernel }) => kernel.startsWith('matmul'));
    return products.every((launch) => this.wgslOf(launch).includes('enable chromium_experimental_subgroup_matrix;'));
  }

  free(): void {
    for (const pointer of this.#memory.values()) pointer.free();
    for (const loaded of new Set(this.#modules.values())) loaded.unload();
  }

  get #context(): number {
    return (this.plan.buffers.get('sample.tokens') ?? 0) / 4;
  }

  #draw(drawn: number): void {
    const context = this.#context;
    const half = context / 2;
    // The context is full after its first `context - 1` characters, and again after each further
    // half context.
    const isFull = drawn >= context - 1 && (drawn - context + 1) % half === 0;
    if (isFull) this.launch(this.plan.slide);
    const place = drawn < context - 1 ? drawn : half - 1 + ((drawn - context + 1) % half);
    for (const launch of this.plan.draw(place, drawn)) this.launch(launch);
  }

  async #prepare(onProgress?: (done: number, total: number) => void): Promise<void> {
    const { setup, step, draw, slide } = this.plan;
    const shapes = new Map<string, PlannedLaunch>();
    for (const launch of [...setup, ...step, ...draw(0, 0), slide])
      shapes.set(`${launch.kernel} ${launch.block}`, launch);
    let done = 0;
    const all = [...shapes.values()].map(async ({ kernel, block }) => {
      await this.#module(kernel).kernel(kernel).prepare({ block });
      done += 1;
      onProgress?.(done, shapes.size);
    });
    await Promise.all(all);
  }

  #module(kernel: string): LoadedModule {
    const loaded = this.#modules.get(kernel);
    if (!loaded) throw new RangeError(`unknown kernel ${kernel}`);
    return loaded;
  }

  #at(name: string): DevicePointer {
    const pointer = this.#memory.get(name);
    if (!pointer) throw new RangeError(`unknown buffer ${name}`);
    return pointer;
  }

  #bound({ kernel, grid, block, args }: PlannedLaunch): Bound {
    const target = this.#module(kernel).kernel(kernel);
    const bound = args.map((argument) => this.#argument(argument));
    return () => target.launch({ grid, block }, bound);
  }

  #argument(argument: Argument): KernelArgument {
    if (typeof argument === 'string') return this.#at(argument);
    return typeof argument === 'number' ? argument : argument.f32;
  }
}
