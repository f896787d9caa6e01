// Saves a failure: writes the minimal kernel as a case file for `lanewise run`.
import { makeFolder } from '../files/make-folder.ts';
import { saveCase } from '../launches/case-file-node.ts';
import type { FuzzFailure } from './fuzz.ts';
import { referenceOf } from './reference.ts';

/**
 * Writes the minimal case, with the reference's results as `expect`, and the original kernel
 * (`-full`). Returns the path of the minimal case.
 */
export function saveFailure({ launch, minimal }: FuzzFailure, folder: string): string {
  makeFolder(folder);
  saveCase({ ...launch, id: `${launch.id}-full` }, folder);
  return saveCase(withExpectations(minimal.launch), folder);
}

function withExpectations(launch: FuzzFailure['launch']): FuzzFailure['launch'] {
  let outputs: ReturnType<typeof referenceOf>['outputs'];
  try {
    outputs = referenceOf(launch).outputs;
  } catch {
    // The reference cannot run the kernel, which is the failure.
    return launch;
  }
  const params = launch.params.map((param, index) => {
    const expect = outputs.get(index);
    return param.kind === 'buffer' && param.name !== 'in' && expect ? { ...param, expect } : param;
  });
  return { ...launch, params };
}
