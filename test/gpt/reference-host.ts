// Runs plans of the demo's transformer and gallery on the CPU reference: memory in this process,
// launches in sequence.
import { readdirSync, readFileSync } from 'node:fs';
import type { PlannedLaunch } from '../../demo/gpt/launches.ts';
import type { Plan } from '../../demo/gpt/plan.ts';
import { runOnReference } from '../../demo/gpt/reference.ts';
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
   * Runs the launches. Throws an error if a launch fails, or if `sanitize` is set and the sanitizer
   * reports a finding.
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

  #launch(launch: PlannedLaunch, sanitize: boolean): void {
    const parsed = moduleOf.get(launch.kernel);
    if (!parsed) throw new RangeError(`no file has the kernel ${launch.kernel}`);
    const after = runOnReference(parsed, launch, (name) => this.bytes(name), { sanitize });
    for (const [name, bytes] of after) this.bytes(name).set(bytes);
  }
}
