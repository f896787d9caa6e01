// Compares the time of parsing and translating at two commits: this checkout, and a checkout of an
// earlier commit that is already built.
//
//     node scripts/compare-tool.mjs OTHER [--runs 3] [--out tool-compared.json] [--quick | --shapes-first]
//
// OTHER is the root of a checkout of an earlier commit with its `dist`. Each run is a process, and
// the commits take turns, so other load affects both equally. Times are processor times of the main
// thread, if Linux reports them, and elapsed times.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('..', import.meta.url));
const float = { mode: 'exact', denormals: 'kept', fma: 'fused', contracts: false, div: 'exact', sqrt: 'exact' };
/**
 * The time limit for one process, in milliseconds. The earlier commit needs minutes for some
 * shapes.
 */
const limitMs = 20_000;

/**
 * Returns the processor time of the main thread in milliseconds, or of the whole process if Linux
 * does not report it.
 */
function mainThreadMs() {
  // Querying the time of the process updates the time of the thread, which Linux otherwise updates
  // only 250 times per second.
  const { user, system } = process.cpuUsage();
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return (user + system) / 1000;
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
const rounded = (value) => Number(value.toPrecision(4));

/**
 * Measures in a separate process. For each step, parses and translates all kernels of some files:
 * first `warm` times without a measurement, and then `runs` times with one.
 */
async function measure(root, steps) {
  const { parsePtx, planFor, translate } = await import(pathToFileURL(join(root, 'dist/index.js')).href);
  const results = [];
  for (const { files, warm, runs } of steps) {
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    const once = () => {
      const [clock, processor] = [performance.now(), mainThreadMs()];
      let refused = 0;
      for (const [index, text] of texts.entries()) {
        const { module } = parsePtx(text, { file: files[index] });
        const entries = module ? module.functions.filter(({ kind }) => kind === 'entry') : [];
        if (entries.length === 0) refused++;
        for (const { name: entry } of entries)
          if (!translate(module, { entry, block: [64, 1, 1], plan: planFor(32), float }).program) refused++;
      }
      return { cpu: mainThreadMs() - processor, wall: performance.now() - clock, refused };
    };
    for (let run = 0; run < warm; run++) once();
    const all = Array.from({ length: runs }, once);
    const of = (key) => rounded(median(all.map((result) => result[key])));
    results.push({ cpu: of('cpu'), wall: of('wall'), refused: of('refused') });
  }
  process.stdout.write(JSON.stringify(results));
}

/** Measures the whole command for a small kernel, including its start. */
function command(root, [{ files }]) {
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'bin/lanewise.js'), 'translate', files[0], '--block', '64'],
    { encoding: 'utf8', timeout: limitMs, maxBuffer: 2 ** 28 },
  );
  return status === 0 ? [{ wall: rounded(performance.now() - start) }] : { failed: stderr.slice(0, 300) };
}

function inProcess(root, steps) {
  const { status, stdout, stderr, signal } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), '--measure', root, JSON.stringify(steps)],
    { encoding: 'utf8', timeout: limitMs },
  );
  if (status === 0) return JSON.parse(stdout);
  return { failed: signal ? `not done in ${limitMs / 1000} s` : stderr.trim().slice(-300) };
}

/**
 * The sizes at which the earlier commit processes these shapes in about a second. Other shapes have
 * a tenth of their size in `bench tool`.
 */
const sizes = {
  'empty branches': 8,
  'loops before one shuffle': 200,
  'local variables': 200,
  'targets of a brx.idx': 100,
  'a long expression': 1000,
};

/** Returns the jobs. A job runs in one process and has several steps, each with a result. */
async function jobs(folder, other, { quick, 'shapes-first': shapesFirst }) {
  const { instructionsKernel, translationShapes } = await import('../dist/harness/bench/translation-shapes.js');
  const write = (name, text) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.ptx`);
    writeFileSync(file, text);
    return [file];
  };
  const made = (size) => write(`instructions-${size}`, instructionsKernel(size));
  const step = (id, files, warm, runs) => ({ id, files, warm, runs });
  const counts = [100, 1_000, 10_000];
  const named = (size) => `${size.toLocaleString('en')} instructions`;
  const list = [
    { steps: counts.map((size) => step(`${named(size)}, as bench tool has it`, made(size), 1, 3)) },
    ...counts.map((size) => ({ steps: [step(`${named(size)}, after 3 translations`, made(size), 3, 5)] })),
    ...counts.map((size) => ({ steps: [step(`${named(size)}, the first time`, made(size), 0, 1)] })),
    { command: true, steps: [step('lanewise translate, 10 instructions, by the clock', made(10), 0, 1)] },
  ];
  if (quick) return list;
  // The files that exist in the earlier commit.
  const corpus = readdirSync(join(other, 'test/kernels')).filter((name) => name.endsWith('.ptx'));
  const files = corpus.map((name) => join(other, 'test/kernels', name));
  const shapes = translationShapes.map(({ name, unit, size, text }) => {
    const count = sizes[name] ?? size / 10;
    return {
      once: true,
      steps: [step(`${name}: ${count} ${unit}, the second time`, write(name, text(count)), 1, 1)],
    };
  });
  return [
    ...(shapesFirst ? shapes : []),
    ...list,
    {
      steps: [
        step('all kernels of test/kernels, the first time', files, 0, 1),
        step('all kernels of test/kernels, the third time', files, 1, 1),
      ],
    },
    ...(shapesFirst ? [] : shapes),
  ];
}

/**
 * Returns the commit of a checkout. If the checkout has no history, returns the contents of its
 * file COMMIT.
 */
function commitOf(root) {
  const file = join(root, 'COMMIT');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** Runs both commits in turn. Does not repeat a job of a commit after it has failed. */
function compare(job, roots, runs) {
  const measured = roots.map(() => []);
  const failures = roots.map(() => undefined);
  for (let run = 0; run < (job.once ? 1 : runs); run++)
    for (const [index, root] of roots.entries()) {
      if (failures[index]) continue;
      const result = job.command ? command(root, job.steps) : inProcess(root, job.steps);
      if (result.failed) failures[index] = result.failed;
      else measured[index].push(result);
    }
  const key = job.command ? 'wall' : 'cpu';
  return job.steps.map(({ id }, at) => {
    const side = (index) => {
      if (failures[index]) return { failed: failures[index] };
      const all = (name) => measured[index].map((result) => result[at][name]);
      const { refused } = measured[index][0][at];
      return { ...(job.command ? {} : { cpu: all('cpu') }), wall: all('wall'), ...(refused ? { refused } : {}) };
    };
    const [before, after] = measured.map((list) =>
      list.length > 0 ? median(list.map((all) => all[at][key])) : undefined,
    );
    return { id, before: side(0), after: side(1), ...(before && after ? { ratio: rounded(before / after) } : {}) };
  });
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      measure: { type: 'boolean' },
      runs: { type: 'string', default: '3' },
      out: { type: 'string' },
      quick: { type: 'boolean' },
      'shapes-first': { type: 'boolean' },
      seconds: { type: 'string', default: '600' },
    },
  });
  if (values.measure) return measure(positionals[0], JSON.parse(positionals[1]));
  if (positionals.length !== 1) throw new Error('give the root of the other checkout');
  const roots = [resolve(positionals[0]), resolve(here)];
  const folder = mkdtempSync(join(tmpdir(), 'compare-tool-'));
  const started = Date.now();
  const results = [];
  const load = loadavg()[0];
  try {
    for (const job of await jobs(folder, roots[0], values)) {
      if (Date.now() - started > Number(values.seconds) * 1000) break;
      for (const result of compare(job, roots, Number(values.runs))) {
        results.push(result);
        const [before, after] = [result.before, result.after].map(({ cpu, wall, failed }) =>
          (failed ? 'failed' : String(median(cpu ?? wall))).padStart(9),
        );
        process.stderr.write(`${String(result.ratio ?? '').padStart(7)}  ${before} ${after} ms  ${result.id}\n`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const report = {
    schemaVersion: 2,
    what: 'milliseconds to parse and translate, at two commits: of the main thread’s processor (cpu) and by the clock (wall); a run is a process, both commits in turn; the ratio is of medians of cpu',
    before: { commit: commitOf(roots[0]) },
    after: { commit: commitOf(roots[1]) },
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      node: process.versions.node,
      load: rounded(load),
    },
    results,
  };
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  if (values.out) writeFileSync(values.out, text);
  else process.stdout.write(text);
}

await main();
