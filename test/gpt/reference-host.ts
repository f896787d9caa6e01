// Runs plans of the demo's transformer and gallery on the CPU reference: memory in this process,
// launches in sequence.
import { readdirSync, readFileSync } from 'node:fs';
import type { Plan, PlannedLaunch } from '../../demo/gpt/plan.ts';
import type { Launch, LaunchParam } from '../../src/base/launch.ts';
import { interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import type { Module } from '../../src/ptx/ast.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';

function filesIn(path: string): { readonly name: string; readonly ptx: string }[] {
  const folder = new URL(path, import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.ptx'));
  return names.map((name) => ({ name, ptx: readFileSync(new URL(name, folder), 'utf8') }));
}

/** The transformer's PTX. */
export const kernelFiles = filesIn('../../demo/gpt/kernels/');

/** The gallery's PTX. */
export const galleryFiles = filesIn('../../demo/gallery/kernels/');

const moduleOf = new Map<string, Module>();
for (const { name, ptx } of [...kernelFiles, ...galleryFiles]) {
  const parsed = parsePtxOrThrow(ptx, { file: name });
  for (const fn of parsed.functions) if (fn.kind === 'entry') moduleOf.set(fn.name, parsed);
}

export class ReferenceHost {
  readonly memory = new Map<string, Uint8Array>();

  constructor({ buffers, contents, setup }: Pick<Plan, 'buffers' | 'contents' | 'setup'>) {
    for (const [name, bytes] of buffers) this.memory.set(name, new Uint8Array(bytes));
    for (const [name, { buffer }] of contents) this.bytes(name).set(new Uint8Array(buffer));
    this.run(setup);
  }

  /**
   * Runs the launches. Throws if a launch fails, or if `sanitize` is set and the sanitizer reports
   * a finding.
   */
  run(launches: readonly PlannedLaunch[], { sanitize = false } = {}): void {
    for (const launch of launches) this.#launch(launch, sanitize);
  }

  bytes(name: string): Uint8Array {
    const bytes = this.memory.get(name);
    if (!bytes) throw new RangeError(`no buffer is called ${name}`);
    return bytes;
  }

  floats(name: string): Float32Array {
    return new Float32Array(this.bytes(name).buffer);
  }

  #launch({ kernel, grid, block, args }: PlannedLaunch, sanitize: boolean): void {
    const parsed = moduleOf.get(kernel);
    if (!parsed) throw new RangeError(`no file has the kernel ${kernel}`);
    const params = args.map((argument, index): LaunchParam => {
      const name = `p${index}`;
      if (typeof argument === 'number') return { name, kind: 'scalar', type: 's32', value: argument | 0 };
      if (typeof argument === 'object') return { name, kind: 'scalar', type: 'f32', value: argument.f32 };
      const data = this.bytes(argument);
      return { name, kind: 'buffer', type: 'u32', bytes: data.length, data };
    });
    const launch: Launch = {
      id: kernel,
      group: '',
      ptx: '',
      ptxFile: `${kernel}.ptx`,
      entry: kernel,
      grid: [...grid, 1],
      block: [...block, 1],
      sharedBytes: 0,
      params,
    };
    const result = interpret(parsed, launch, { sanitize });
    if (result.status !== 'done') throw new Error(`${kernel}: ${result.failure?.message ?? result.status}`);
    const found = result.findings[0];
    if (found) throw new Error(`${kernel}: ${found.message}`);
    args.forEach((argument, index) => {
      const out = result.outputs.get(index);
      if (typeof argument === 'string' && out) this.bytes(argument).set(out);
    });
  }
}
