// Runs a planned launch on the CPU reference.
import type { Launch, LaunchParam } from '../../src/base/launch.ts';
import { type InterpretOptions, interpret } from '../../src/cpu-ref/interpreter/interpret.ts';
import type { Module } from '../../src/ptx/ast.ts';
import type { PlannedLaunch } from './launches.ts';

/**
 * Runs the launch. Returns the contents of its buffers after the launch, by name. Throws an error
 * if the launch fails, or if `sanitize` is set and the sanitizer reports a finding.
 */
export function runOnReference(
  module: Module,
  { kernel, grid, block, args }: PlannedLaunch,
  contents: (buffer: string) => Uint8Array,
  options: Pick<InterpretOptions, 'matrix' | 'sanitize'> = {},
): ReadonlyMap<string, Uint8Array> {
  const params = args.map((argument, index): LaunchParam => {
    const name = `p${index}`;
    if (typeof argument === 'number') return { name, kind: 'scalar', type: 's32', value: argument | 0 };
    if (typeof argument === 'object') return { name, kind: 'scalar', type: 'f32', value: argument.f32 };
    const data = contents(argument);
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
  const { status, failure, findings, outputs } = interpret(module, launch, options);
  if (status !== 'done') throw new Error(`${kernel}: ${failure?.message ?? status}`);
  if (findings[0]) throw new Error(`${kernel}: ${findings[0].message}`);
  const after = new Map<string, Uint8Array>();
  args.forEach((argument, index) => {
    const bytes = outputs.get(index);
    if (typeof argument === 'string' && bytes) after.set(argument, bytes);
  });
  return after;
}
