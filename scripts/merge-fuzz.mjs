// Adds the runs of fuzzing campaigns (`lanewise fuzz --campaign FILE`) to a document of
// docs/results. A run replaces an existing run with the same start time.
//
// Usage:
//     node scripts/merge-fuzz.mjs docs/results/NAME-fuzz.json campaign.json...

import { readFileSync, writeFileSync } from 'node:fs';

const [path, ...campaigns] = process.argv.slice(2);
if (!path || campaigns.length === 0) {
  console.error('usage: node scripts/merge-fuzz.mjs docs/results/NAME-fuzz.json campaign.json...');
  process.exit(2);
}
const { total: _, runs: kept, ...head } = JSON.parse(readFileSync(path, 'utf8'));
const runs = new Map(kept.map((run, index) => [run.started ?? index, run]));
for (const file of campaigns) {
  for (const run of JSON.parse(readFileSync(file, 'utf8')).runs) runs.set(run.started, summary(run));
}

/**
 * Returns a run in the format of the document: how to reproduce it, what it compared, and its
 * results.
 */
function summary({
  seed,
  first,
  end,
  on,
  jobs,
  executors,
  started,
  ms,
  kernels,
  natively,
  compared,
  failures,
  ...run
}) {
  const { dropped, changed, found, matrix, holding } = run;
  const seconds = Math.round(ms / 1000);
  return {
    command: [
      `npx lanewise fuzz --on ${on.join(',')}`,
      ...(matrix === undefined ? [] : [`--matrix ${matrix}`]),
      ...(holding === undefined ? [] : [`--holding '${holding}'`]),
      `--jobs ${jobs} --seed ${seed} --first ${first} --seconds ${seconds}`,
    ].join(' '),
    started,
    executors: ['cpu (reference)', ...executors],
    seed,
    first,
    end,
    kernels,
    ...(natively === undefined ? {} : { natively }),
    values: compared,
    failures,
    ...(Object.keys(dropped).length > 0 ? { dropped } : {}),
    ...(changed.length > 0 ? { changed } : {}),
    ...(found.length > 0 ? { found } : {}),
  };
}

const all = [...runs.values()];
const generated = all.filter((run) => run.kernels !== undefined);
/**
 * Returns the names of a run's executors. `everywhere` contains the runs that executed kernels both
 * in WebGPU and natively.
 */
const names = (run) => (run.executors ?? []).map((text) => text.split(/[ :]/)[0]);
const everywhere = generated.filter(
  (run) => names(run).includes('cuda') && names(run).some((name) => ['dawn', 'chrome'].includes(name)),
);
const sum = (list, key) => list.reduce((total, run) => total + run[key], 0);
/** The runs that counted the kernels that ran natively. Older runs lack this count. */
const countedNatively = generated.filter((run) => run.natively !== undefined);
const withMatrices = countedNatively.filter((run) => run.command.includes('ldmatrix'));
const total = {
  kernels: sum(generated, 'kernels'),
  values: sum(generated, 'values'),
  failures: sum(generated, 'failures'),
  kernelsOnWebGpuAndNatively: everywhere.reduce((total, run) => total + (run.natively ?? run.kernels), 0),
  failuresThere: sum(everywhere, 'failures'),
  ...(countedNatively.length > 0
    ? { natively: sum(countedNatively, 'natively'), nativelyWithMatrices: sum(withMatrices, 'natively') }
    : {}),
};
/** Write each list of kernel numbers on one line. */
const text = JSON.stringify({ ...head, total, runs: all }, null, 2).replace(
  /\[\s+(\d+(?:,\s+\d+)*)\s+\]/g,
  (_, numbers) => `[${numbers.replaceAll(/\s+/g, ' ')}]`,
);
writeFileSync(path, `${text}\n`);
console.log(JSON.stringify(total));
