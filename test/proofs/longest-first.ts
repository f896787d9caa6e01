// Orders the files of proofs by their recorded processor time, the longest first. So both processes
// of a run end at about the same time.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const record = new URL('../../docs/results/proofs.json', import.meta.url);
const { files }: { readonly files: Readonly<Record<string, { readonly seconds: number }>> } = JSON.parse(
  readFileSync(record, 'utf8'),
);

/** Returns the recorded time of a file. A file without a record is first. */
const secondsOf = ({ moduleId }: TestSpecification): number =>
  files[basename(moduleId).replace(/\.\w+\.ts$/, '')]?.seconds ?? Number.POSITIVE_INFINITY;

export class LongestFirst extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(specifications.toSorted((a, b) => secondsOf(b) - secondsOf(a)));
  }
}
