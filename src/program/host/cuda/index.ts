// CUDA's runtime API, as the functions that a program imports.
import { missing } from '../../../base/invariants.ts';
import { exceptionNames } from '../exceptions.ts';
import { arrayFunctions } from './arrays.ts';
import { deviceFunctions } from './device-info.ts';
import { errorFunctions } from './errors.ts';
import { graphFunctions } from './graphs.ts';
import { HostContext } from './host-context.ts';
import { launchFunctions } from './launch.ts';
import { memoryFunctions } from './memory.ts';
import { streamFunctions } from './streams.ts';

export const cudaFunctions = (context: HostContext) => ({
  ...errorFunctions(context),
  ...deviceFunctions(context),
  ...memoryFunctions(context),
  ...streamFunctions(context),
  ...launchFunctions(context),
  ...graphFunctions(context),
  ...arrayFunctions(context),
});

/** Returns the names of the functions that programs may import. */
export function providedFunctions(): readonly string[] {
  const facts = { name: '', maxThreads: 0, maxSharedBytes: 0, totalBytes: 0, maxCooperativeBlocks: 0 };
  const none = (): never => missing('the program');
  const context = new HostContext({ device: facts, modules: [] }, none, none, none);
  return [...Object.keys(cudaFunctions(context)), ...exceptionNames];
}
