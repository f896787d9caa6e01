// The launch of a case file, for `bench`.

import { loadKernel } from '../harness/executors/load-kernel.ts';
import { chooseEntry, entryTitle, inferKernel } from '../harness/infer/index.ts';
import { readCase } from '../harness/launches/case-file-node.ts';
import { UsageError } from './console.ts';
import type { KernelLaunch } from './kernel-launch.ts';

/**
 * Reads a case and infers the direction of its buffers. Throws `CaseError`, `KernelError` for
 * invalid PTX, and `UsageError` for a fragment or for further arguments.
 */
export function caseLaunch(path: string, args: readonly string[]): KernelLaunch {
  if (args.length > 0) throw new UsageError(`${path} has the arguments of the launch, so '${args[0]}' is not needed`);
  const launch = readCase(path);
  const module = loadKernel(launch);
  const entry = chooseEntry(module, launch.entry);
  const { params } = inferKernel(module, entry);
  const parameters = launch.params.map(({ name }, index) => {
    const uses = params[index]?.fields.flatMap(({ use }) => (use.kind === 'pointer' ? [use] : [])) ?? [];
    return {
      name,
      text: name,
      reads: uses.some(({ reads }) => reads),
      writes: uses.some(({ writes }) => writes),
    };
  });
  return { launch, title: entryTitle(entry.name), parameters, toleranceReason: undefined };
}
