import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/// Vitest would leave a processor free; of two that is half of them.
const maxWorkers = Math.max(2, availableParallelism() - 1);

/// Files that take many seconds.
const long =
  /(interpreter-kernels|wgsl-lane-rows|lockstep-\w+|atomics|translate-(answers|faults)|fuzz-[\w-]+|build-program|warp-lowerings|growth|suites-validate|demo-link|bench-entries|compiler-passes)\.test\.ts$/;

/// The long files of a project go first, so that no processor waits for the last one. Vitest knows them itself where it has run them before.
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.name !== 'unit' ? 0 : long.test(moduleId) ? 1 : 2;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/// These replace a module of the program, and so need one of their own.
const apart = ['test/unit/apart/**/*.test.ts'];

// Time limits end what hangs; they are far from what a test takes, so that none fails because a machine is slow or busy.
const unit = { testTimeout: 300_000, hookTimeout: 120_000, maxWorkers };

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      { test: { ...unit, name: 'apart', include: apart } },
      {
        test: {
          ...unit,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: apart,
          // One process for many files: the program is loaded and compiled once, which is a quarter of their time. So a file leaves behind what it found.
          isolate: false,
        },
      },
      // The page waits more than it computes: its files run beside the unit tests.
      {
        test: {
          name: 'page',
          include: ['test/gpu/demo*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 300_000,
          maxWorkers,
        },
      },
      // Real adapters, after the unit tests and one file at a time: browsers and Dawn have threads of their own for every processor.
      {
        test: {
          name: 'gpu',
          include: ['test/gpu/**/*.test.ts'],
          exclude: ['test/gpu/demo*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
