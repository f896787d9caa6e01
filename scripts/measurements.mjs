// Writes the numbers of README.md and docs/measurements.md between their markers, from the records
// in docs/results. It rejects records whose parts do not sum to their totals. With --check it
// writes nothing, and fails if a page is not up to date.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineTable } from './engine-table.mjs';
import { wrapped } from './wrapped.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');
const record = (name) => JSON.parse(read(`docs/results/${name}.json`));
const grouped = (count) => count.toLocaleString('en-US');
const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const link = (text, name) => `[${text}](results/${name}.json)`;

/** Throws an error if the parts of a record do not sum to its total. */
function requireSum(what, parts, expected) {
  const sum = total(parts);
  if (sum !== expected) throw new Error(`${what}: the parts sum to ${sum}, but the total is ${expected}`);
}

/**
 * Checks a validation by row. The first columns of a row are the suites and the lane results.
 * Returns the totals by executor.
 */
function validation(name) {
  const { total: totals, rows } = record(name);
  for (const [executor, { passed, laneResults, suites, notRun = 0 }] of Object.entries(totals)) {
    const counts = Object.values(rows).map((row) => (Array.isArray(row) ? row : (row[executor] ?? [0, 0])));
    const parts = (column) => counts.map((count) => count[column]);
    requireSum(`${name}, suites of ${executor}`, parts(0), passed);
    requireSum(`${name}, lane results of ${executor}`, parts(1), laneResults);
    requireSum(`${name}, suites of ${executor} by outcome`, [passed, notRun], suites);
  }
  return totals;
}

/** Returns the runs of case files, such as `{ dawn: { pass: 507 }, … }`. */
function caseRuns() {
  const { results, columns, total: totals } = record('h200-run');
  const at = (name) => columns.indexOf(name);
  requireSum(
    'h200-run, lane results',
    results.map((row) => row[at('compared')]),
    totals.compared,
  );
  requireSum('h200-run, results', [results.length], totals.results);
  const byExecutor = {};
  for (const row of results) {
    const [executor, status] = [row[at('executor')], row[at('status')]];
    const counts = byExecutor[executor] ?? {};
    byExecutor[executor] = { ...counts, [status]: (counts[status] ?? 0) + 1 };
  }
  const cases = new Set(results.map((row) => row[at('id')])).size;
  for (const [executor, counts] of Object.entries(byExecutor))
    requireSum(`h200-run, cases of ${executor}`, Object.values(counts), cases);
  return { cases, byExecutor };
}

function survey() {
  const found = record('h200-survey');
  const { ran, kernels, kernelsRun, withoutLaunch, ended } = found;
  requireSum('h200-survey, kernels that ran', Object.values(ran), kernelsRun);
  requireSum('h200-survey, kernels', [kernelsRun, ...Object.values(withoutLaunch), ended.length], kernels);
  for (const [executor, counts] of Object.entries(found.byExecutor))
    requireSum(`h200-survey, kernels of ${executor}`, Object.values(counts), kernelsRun);
  const refusedBy = Object.values(found.byExecutor).map(({ refused = 0 }) => refused);
  if (ran.refused < Math.max(...refusedBy) || ran.refused > total(refusedBy))
    throw new Error(`h200-survey: ${ran.refused} kernels are refused, but ${refusedBy.join(' and ')} by executors`);
  return found;
}

function coverage() {
  const found = record('coverage');
  requireSum('coverage, kernels', [found.translated, found['not parsed'], found.refused], found.entries);
  const sources = Object.values(found.bySource);
  requireSum(
    'coverage, kernels by source',
    sources.map(({ entries }) => entries),
    found.entries,
  );
  requireSum(
    'coverage, translated by source',
    sources.map(({ translated }) => translated),
    found.translated,
  );
  requireSum('coverage, refused by reason', Object.values(found.refusedBy), found.refused);
  return found;
}

function fuzz() {
  const found = record('h200-fuzz');
  const runs = found.runs.filter(({ kernels }) => kernels !== undefined);
  for (const name of ['kernels', 'values', 'failures'])
    requireSum(
      `h200-fuzz, ${name}`,
      runs.map((run) => run[name]),
      found.total[name],
    );
  return found;
}

/** Returns the geometric means that docs/benchmarks.md shows. */
function means() {
  const rows = [...read('docs/benchmarks.md').matchAll(/^\| (\w+) \| ([\w ]+) \| ([\d.]+) over (\d+) \|/gm)];
  const of = (section, on) => {
    const row = rows.find((candidate) => candidate[1] === section && candidate[2] === on);
    if (!row) throw new Error(`docs/benchmarks.md has no mean of ${section} on ${on}`);
    return { mean: row[3], count: row[4] };
  };
  return {
    instructions: of('instructions', 'chrome'),
    exact: of('kernels', 'chrome exact'),
    fast: of('kernels', 'chrome fast'),
  };
}

/** Returns the numbers that two records have in common. Throws an error if they differ. */
function exhaustive() {
  const [chrome, dawn] = [validation('h200-validate-chrome').chrome, validation('h200-validate-dawn').dawn];
  for (const name of ['suites', 'passed', 'laneResults', 'mismatches'])
    requireSum(`${name} of Dawn beside Chrome`, [dawn[name]], chrome[name]);
  return chrome;
}

/** Returns the numbers of proved forms of lane instructions, and of warp instructions by lane plan. */
function proofs() {
  const { files, rules } = record('proofs');
  const share = (is) => {
    const all = rules.filter(({ file, plan }) => is(plan) && files[file].stale === undefined);
    if (all.length === 0) return undefined;
    return `${grouped(all.filter(({ verdict }) => verdict === 'proved').length)} of ${grouped(all.length)}`;
  };
  // The other rules have a family instead of a lane plan.
  return { lane: share((plan) => plan === ''), warp: share((plan) => plan.includes(' plan, ')) };
}

function evidence() {
  const { suites, laneResults, mismatches } = exhaustive();
  const { cases, byExecutor } = caseRuns();
  const { ran, kernelsRun } = survey();
  const { entries, percent } = coverage();
  const { instructions } = means();
  const { lane, warp } = proofs();
  return [
    `On an NVIDIA H200, an exhaustive validation compared ${grouped(laneResults)} lane results of ${grouped(suites)} suites with the reference, in Chrome and again in Dawn: ${mismatches === 0 ? 'none differs' : `${grouped(mismatches)} differ`}.`,
    `The WGSL of ${lane} forms of integer instructions${warp === undefined ? '' : `, and of ${warp} warp instructions by lane plan,`} is [proved](docs/proofs.md) for all operands.`,
    `In Dawn, ${grouped(byExecutor.dawn.pass)} of ${grouped(cases)} kernel cases have the expected bits.`,
    `${grouped(kernelsRun)} published kernels were launched in Dawn and natively: ${grouped(ran.agrees)} agree to the bit, and ${grouped(ran.close)} within a thousandth. An executor refused ${grouped(ran.refused)}, nearly always the native one. For the other ${grouped(kernelsRun - ran.agrees - ran.close - ran.refused)}, the record states the causes.`,
    `Of ${grouped(entries)} published kernels, ${percent.toFixed(1)} % translate.`,
    `The geometric mean of the instructions’ speeds is ${instructions.mean} times the native speed.`,
    'All figures, with their exceptions, are on the page [Measurements](docs/measurements.md).',
  ];
}

const outcomes = {
  agrees: 'agree with the reference to the bit, in Dawn and natively',
  close: 'agree within a thousandth, in kernels that use approximating instructions',
  refused: 'were refused by an executor, nearly always the native one',
  optimizer: 'agree only if the optimizer of NVIDIA’s compiler is off',
  differs: 'differ',
  failed: 'fail',
};

function surveyPart() {
  const { ran, kernels, kernelsRun, launches, compared, withoutLaunch, ended } = survey();
  return [
    `\`lanewise survey\` infers a launch for each kernel of a folder of PTX. Of ${grouped(kernels)} published kernels, it inferred ${grouped(launches)} launches for ${grouped(kernelsRun)}, and none for ${grouped(total(Object.values(withoutLaunch)))}.${ended.length === 0 ? '' : ` The launches of ${ended.length} did not end.`}`,
    `The executors compared ${grouped(compared)} values. Each difference and failure is ${link('listed with its cause', 'h200-survey')}.`,
    '',
    '| kernels | result |',
    '|---:|---|',
    ...Object.entries(ran).map(([name, count]) => {
      if (!(name in outcomes)) throw new Error(`h200-survey has the unknown outcome ${name}`);
      return `| ${grouped(count)} | ${outcomes[name]} |`;
    }),
    `| **${grouped(kernelsRun)}** | ran |`,
  ];
}

function validationPart() {
  const { suites, laneResults, undefined: open, mismatches } = exhaustive();
  const native = validation('h200-validate').cuda;
  validation('h200-validate-portable');
  return [
    `\`lanewise validate --exhaustive\` compared **${grouped(laneResults)} lane results** of ${grouped(suites)} suites with the reference, in ${link('Chrome', 'h200-validate-chrome')} and again in ${link('Dawn', 'h200-validate-dawn')}. Differences: ${grouped(mismatches)}. PTX leaves ${grouped(open)} further lane results undefined; these were not compared.`,
    `Natively, ${grouped(native.passed)} of ${grouped(native.suites)} suites ran, with ${grouped(native.laneResults)} lane results and ${grouped(native.mismatches)} differences. The card lacks the instructions of the other ${grouped(native.notRun)}, or the manual leaves their results open.`,
  ];
}

function casesPart() {
  const { cases, byExecutor } = caseRuns();
  const { dawn, cuda } = byExecutor;
  const peer = record('h200-peer-suite');
  const firefox = record('h200-firefox').cases;
  return [
    `- ${grouped(cases)} cases of whole kernels, with expected bits from the H200: in Dawn, ${link(`${grouped(dawn.pass)} pass`, 'h200-run')}. Natively, ${grouped(cuda.pass)} pass; ${grouped(cuda.error)} need a newer card, and in ${grouped(cuda.fail)} \`ptxas\` departs from the manual.`,
    `- In Firefox, without subgroups, ${link(`${grouped(firefox.passed)} of ${grouped(firefox.cases)}`, 'h200-firefox')} cases passed.`,
    `- Of ${grouped(peer.cases)} PTX tests of the ZLUDA project, ${link(`${grouped(peer.passed.dawn)} pass in Dawn, ${grouped(peer.passed.chrome)} in Chrome and ${grouped(peer.passed.cuda)} natively`, 'h200-peer-suite')}. The record gives the reason for each of the others.`,
  ];
}

function fuzzPart() {
  const { total: sums } = fuzz();
  return [
    `\`lanewise fuzz\` generates kernels and compares every register of every thread. The campaigns on an H200 ran ${grouped(sums.kernels)} kernels with ${grouped(sums.values)} values, ${grouped(sums.kernelsOnWebGpuAndNatively)} of them in WebGPU and natively.`,
    `They found ${grouped(sums.failures)} failures. ${link('The record', 'h200-fuzz')} lists their causes and says which are open.`,
  ];
}

function coveragePart() {
  const found = coverage();
  return [
    `Of **${grouped(found.entries)} published kernels** in ${grouped(found.files)} PTX files, ${grouped(found.translated)} (${found.percent.toFixed(1)} %) translate. ${grouped(found.refused)} are refused, most of them because they allocate memory or launch other kernels, and ${grouped(found['not parsed'])} are in files that do not parse. The slowest takes ${(found.slowestMs / 1000).toFixed(1)} s of processor time, and ${grouped(found.crashed.length)} crash the translator.`,
    `The kernels come from ${Object.keys(found.bySource).length} sources: ${Object.keys(found.bySource).join(', ')} (${link('counts', 'coverage')}).`,
  ];
}

function waitingPart() {
  const { sizes } = record('h200-grid');
  const ran = sizes.filter(({ native }) => native === 'ran');
  const agreeing = ran.every(({ same, different }) => same === 20 && different === 0);
  if (!agreeing) throw new Error('h200-grid: a launch differs');
  const { results, blocks, threads } = record('h200-atomics');
  const wrong = total(results.map(({ wrongRuns }) => wrongRuns));
  return [
    `- Blocks that wait for each other at a grid barrier: at each of ${ran.length} sizes, ${link('20 of 20 launches agree', 'h200-grid')} with native launches. Lanewise and CUDA both refuse the ${sizes.length - ran.length} larger sizes.`,
    `- 64-bit atomics at full occupancy (${grouped(blocks * threads)} threads): ${link(`${grouped(total(results.map(({ runs }) => runs)))} launches`, 'h200-atomics')} of ${results.length} kernels, ${grouped(wrong)} with a lost or repeated update.`,
  ];
}

function transformerPart() {
  const models = record('h200-transformer').models;
  const rows = models.flatMap(({ parameters, launchesAStep, runs }) =>
    runs.map(({ on, adapter, float, comparedSteps, sameSteps, ofNative }) => {
      const speed = typeof ofNative === 'number' ? ofNative.toFixed(2) : '';
      return `| ${grouped(parameters)} | ${launchesAStep} | ${on} | ${adapter} | ${float ?? ''} | ${sameSteps} of ${comparedSteps} | ${speed} |`;
    }),
  );
  return [
    '| parameters | launches per step | on | adapter | f32 | losses with the native bits | speed, relative to native |',
    '|---:|---:|---|---|---|---:|---:|',
    ...rows,
  ];
}

function speedPart() {
  const { instructions, exact, fast } = means();
  return [
    `- Instructions: ${instructions.mean} of native speed, over ${instructions.count} entries.`,
    `- Kernels without tensor cores and f64: ${exact.mean} with PTX’s exact f32, and ${fast.mean} with the adapter’s own f32, over ${fast.count} kernels.`,
  ];
}

const parts = {
  'README.md': { evidence: evidence() },
  'docs/measurements.md': {
    engines: [engineTable()],
    validation: validationPart(),
    cases: casesPart(),
    survey: surveyPart(),
    fuzz: fuzzPart(),
    coverage: coveragePart(),
    waiting: waitingPart(),
    transformer: transformerPart(),
    speed: speedPart(),
  },
};

for (const [path, blocks] of Object.entries(parts)) {
  const page = read(path);
  let updated = page;
  for (const [name, lines] of Object.entries(blocks)) {
    const begin = `<!-- ${name}:begin, generated by scripts/measurements.mjs -->`;
    const end = `<!-- ${name}:end -->`;
    const [from, to] = [updated.indexOf(begin), updated.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${path} lacks the markers\n${begin}\n${end}`);
    updated = `${updated.slice(0, from + begin.length)}\n${lines.map(wrapped).join('\n')}\n${updated.slice(to)}`;
  }
  if (!process.argv.includes('--check')) writeFileSync(join(root, path), updated);
  else if (updated !== page) {
    process.stderr.write(`${path} is not up to date: run node scripts/measurements.mjs\n`);
    process.exitCode = 1;
  }
}
