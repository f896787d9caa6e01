import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { native } from './test/native-pattern.ts';

/**
 * By default, Vitest leaves one processor idle, which is half of a machine with two. A third of the
 * test time is spent waiting for browsers, drivers and commands, so at least three workers run.
 */
const maxWorkers = Math.max(3, availableParallelism() - 1);

/** Files that take many seconds. */
const long =
  /(interpreter-kernels|(matrix|lockstep)-\w+|wgsl-lane-rows|atomics|wgsl-filetests|translate-(answers|faults)|fuzz-[\w-]+|ptx-robustness|growth|suites-validate|demo-link|compiler-passes|textures|clusters|gpt|cli|output|reference-thread|demo|webdriver|fuzz|validate|session|lane-rows)\.test\.ts$/;

/**
 * Orders the test files. The files of the project `apart` come first, because a worker that has
 * loaded the program must end before a file that cannot share it. Then the long files come first,
 * so that no processor waits for the last one; Vitest knows the times of files that it has run
 * before. Files that wait for a browser or for Dawn alternate with files that compute, so that they
 * run at the same time.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).sort(
      (a, b) => Number(long.test(b.moduleId)) - Number(long.test(a.moduleId)),
    );
    const isApart = ({ project }: TestSpecification): boolean => project.config.isolate;
    const isWaiting = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/gpu/');
    const waiting = sorted.filter(isWaiting);
    const computing = sorted.filter((file) => !isWaiting(file) && !isApart(file));
    return [
      ...sorted.filter(isApart),
      ...waiting.flatMap((file, index) => [file, ...computing.slice(index, index + 1)]),
      ...computing.slice(waiting.length),
    ];
  }
}

/**
 * These files replace modules of the program, or control the parts of the compiler that are loaded.
 * So each needs its own process.
 */
const apart = ['test/unit/apart/**/*.test.ts'];

/** Journeys through the pages, which `npm run test:pages` runs. */
const pages = ['test/pages/**/*.test.ts'];

// Time limits end tests that hang. They are far above the time of any test, so that no test fails
// because a machine is slow or busy.
const limits = { testTimeout: 600_000, hookTimeout: 300_000 };

/** The seed of the whole run. test/print-seed.ts prints it if a test fails. */
const seed = Number(process.env.LANEWISE_SEED ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isInteger(seed))
  throw new Error(`invalid LANEWISE_SEED '${process.env.LANEWISE_SEED}': expected an integer`);

/**
 * By default, V8's optimizing compiler uses almost half of the processor time of a run: tests call
 * much code only a few hundred times. With these flags, it compiles less code, and later. Not every
 * version of Node has all of these flags.
 */
const knownFlags = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
const isKnown = (flag: string): boolean => knownFlags.includes(`  ${flag.replace(/=.*/, '')} `);
const compilerFlags = ['--interrupt-budget=600000', '--max-inlined-bytecode-size-cumulative=300'].filter(isKnown);
const heapFlags = [
  // The garbage collector copies objects that survive. With more room between its runs, most do
  // not.
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  // The processes of the tests keep all processors busy, so threads of the collector save no time.
  '--single-threaded-gc',
].filter(isKnown);
const execArgv = [...compilerFlags, ...heapFlags];

// Tests neither read nor write the user's cache. Without GALLIVM_PERF, lavapipe would spend half of
// its time on optimizing shaders that run for milliseconds. The commands that tests start are short
// too: with the flags of the compiler, they take a quarter less processor time.
const env = {
  LANEWISE_CACHE: 'off',
  GALLIVM_PERF: process.env.GALLIVM_PERF ?? 'nopt',
  NODE_OPTIONS: `--require ${JSON.stringify(resolve(import.meta.dirname, 'test/v8-flags.cjs'))}`,
  LANEWISE_TEST_FLAGS: compilerFlags.join(' '),
};

const common = {
  ...limits,
  env,
  execArgv,
  provide: { seed },
};

const setupFiles = ['test/print-seed.ts', 'test/provide-parts.ts'];

const together = {
  ...common,
  setupFiles: ['test/native-modules.ts', ...setupFiles],
  sequence: { setupFiles: 'list' },
  server: { deps: { external: [native] } },
  // One process runs many files, so it loads and compiles the program once, which takes a quarter
  // of the time. So each file must restore all state that it changes.
  isolate: false,
} as const;

export default defineConfig({
  test: {
    // `maxWorkers` is not set in the projects, where it would override the command line.
    maxWorkers,
    sequence: { sequencer: LongFirst },
    projects: [
      // These files do not get `provide-parts.ts` as a set-up file: some import it after they have
      // replaced modules, and the others must not load it.
      { test: { ...common, setupFiles: ['test/print-seed.ts'], name: 'apart', include: apart } },
      { test: { ...together, name: 'together', include: ['test/**/*.test.ts'], exclude: [...apart, ...pages] } },
      { test: { ...together, name: 'pages', include: pages } },
    ],
  },
});
