// Runs a plan of the gallery.
import type { DevicePointer, KernelArgument, LoadedModule, Runtime } from '../../src/runtime/index.ts';
import type { PlannedLaunch } from '../gpt/launches.ts';
import type { GalleryPlan } from './plans.ts';

export class Stage {
  readonly runtime: Runtime;
  readonly #module: LoadedModule;
  readonly #memory = new Map<string, DevicePointer>();

  private constructor(runtime: Runtime, loaded: LoadedModule, { buffers }: GalleryPlan) {
    this.runtime = runtime;
    this.#module = loaded;
    for (const [name, bytes] of buffers) this.#memory.set(name, runtime.alloc(bytes, { label: name }));
  }

  /** Compiles the kernels of the plan and creates its buffers. */
  static async open(runtime: Runtime, ptx: string, plan: GalleryPlan): Promise<Stage> {
    const loaded = await runtime.load(ptx);
    const shapes = new Map(plan.launches.map(({ kernel, block }) => [kernel, { kernel, block }]));
    await loaded.prepare([...shapes.values()]);
    return new Stage(runtime, loaded, plan);
  }

  at(name: string): DevicePointer {
    const pointer = this.#memory.get(name);
    if (!pointer) throw new RangeError(`unknown buffer ${name}`);
    return pointer;
  }

  run(launches: readonly PlannedLaunch[]): void {
    for (const { kernel, grid, block, args } of launches) {
      const bound = args.map((argument): KernelArgument => {
        if (typeof argument === 'string') return this.at(argument);
        return typeof argument === 'number' ? argument : argument.f32;
      });
      this.#module.kernel(kernel).launch({ grid, block }, bound);
    }
  }

  wgslOf({ kernel, block }: PlannedLaunch): string {
    return this.#module.kernel(kernel).wgsl({ block });
  }

  free(): void {
    for (const pointer of this.#memory.values()) pointer.free();
    this.#module.unload();
  }
}
