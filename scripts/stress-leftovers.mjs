// Interrupts commands at random moments in many ways, and checks whether processes or folders
// remain ten seconds later. Needs a build, Linux, and, for a full disk, a user who may mount a file
// system. It identifies its own processes by a marker in their environment, so other browsers may
// run at the same time. The exit code is 1 if anything remained, or a command did not end.
//
// Usage:
//     node scripts/stress-leftovers.mjs [--tries 200] [--jobs 2] [--seed N] [--on chrome,firefox,webdriver,dawn]
//        [--events SIGKILL,…] [--works run,endless,validate] [--within MS] [--clean MS]
//        [--out FILE.json] [--program ANOTHER/bin/lanewise.js]
//     --within: the event's latest time, instead of the usual duration of the work, which is measured first.
//     --clean: the limit for everything to disappear, instead of ten seconds. A busy machine may need most of this time to open the browser of a session that then ends.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, release, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { canMount, events, executors, oneTry } from './leftovers/one-try.mjs';

const { values } = parseArgs({
  options: {
    tries: { type: 'string', default: '200' },
    jobs: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    on: { type: 'string', default: executors.join() },
    events: { type: 'string', default: events.join() },
    works: { type: 'string', default: 'run,endless,validate' },
    within: { type: 'string' },
    clean: { type: 'string', default: '10000' },
    out: { type: 'string' },
    program: { type: 'string' },
  },
});
const [tries, jobs, seed, cleanLimitMs] = [values.tries, values.jobs, values.seed, values.clean].map(Number);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const program = values.program ?? join(root, 'bin/lanewise.js');
const random = generator(seed);
const cases = mkdtempSync(join(tmpdir(), 'lanewise-stress-cases-'));

/**
 * The commands to interrupt: one launch, an endless launch, and several processes that each have an
 * executor.
 */
const works = {
  run: (on) => ['run', join(root, 'test/kernels/agree_all.json'), '--on', on, ...adapterOf(on)],
  endless: (on) => ['run', join(cases, 'endless.json'), '--timeout', '2', '--on', on, ...adapterOf(on)],
  validate: (on) => [
    'validate',
    'elect.sync',
    '--jobs',
    '2',
    '--timeout',
    '20',
    '--seed',
    '1',
    '--on',
    on,
    ...adapterOf(on),
  ],
};

const adapterOf = (on) => ({ chrome: ['--adapter', 'swiftshader'], dawn: ['--adapter', 'lavapipe8'] })[on] ?? [];

const chosen = { on: values.on.split(','), events: values.events.split(',') };
if (chosen.events.includes('full disk') && !canMount()) {
  process.stderr.write('full disk: left out, since this user cannot mount a file system\n');
  chosen.events = chosen.events.filter((event) => event !== 'full disk');
}
writeEndless();
try {
  const usualMs = new Map();
  const results = await inParallel(jobs, planned(), (plan) => attempt(plan, usualMs));
  report(results);
} finally {
  rmSync(cases, { recursive: true, force: true });
}

/** Returns every combination of executor and event equally often, in a random order. */
function planned() {
  const pairs = chosen.on.flatMap((on) => chosen.events.map((event) => ({ on, event })));
  const plans = [];
  while (plans.length < tries) plans.push(...shuffled(pairs));
  const names = values.works.split(',');
  return plans.slice(0, tries).map((plan) => ({ ...plan, work: names[Math.floor(random() * names.length)] }));
}

/**
 * Makes one try. The event occurs between the start of the command and a moment shortly after its
 * usual end.
 */
async function attempt({ on, event, work }, usualMs) {
  const command = (url) => works[work](url === undefined ? on : webdriverOf(url));
  const key = `${on} ${work}`;
  if (values.within !== undefined) usualMs.set(key, Number(values.within));
  if (!usualMs.has(key)) {
    const usual = await oneTry({ on, command, random, program, cleanLimitMs });
    if (isBad(usual)) return told({ on, event: 'nothing', work, delayMs: 0, ...usual });
    usualMs.set(key, usual.ended - usual.began);
  }
  const delayMs = Math.round(random() * 1.05 * usualMs.get(key));
  return told({
    on,
    event,
    work,
    delayMs,
    ...(await oneTry({ on, command, event, delayMs, random, program, cleanLimitMs })),
  });
}

function isBad({ hung, left, files }) {
  return hung || left.length + files.length > 0;
}

function told(result) {
  const { on, event, work, delayMs, hung, left, files, cleanMs, lateMs } = result;
  const what = isBad(result)
    ? `LEFT ${JSON.stringify({ hung, lateMs, left, files })}`
    : `clean after ${cleanMs.toFixed(0)} ms`;
  process.stderr.write(`${on} ${work} ${event} at ${delayMs} ms: ${what}\n`);
  return result;
}

function report(results) {
  const bad = results.filter(isBad);
  const counts = Object.fromEntries(
    chosen.on.map((on) => [on, Object.fromEntries(chosen.events.map((event) => [event, tally(results, on, event)]))]),
  );
  const document = {
    what: `random interruptions of commands: how many left a process, a folder or a WebDriver session after ${cleanLimitMs / 1000} seconds, and the slowest to be clean`,
    command: `node scripts/stress-leftovers.mjs --tries ${tries} --jobs ${jobs} --seed ${seed}`,
    date: new Date().toISOString().slice(0, 10),
    machine: {
      system: `${process.platform} ${release()}`,
      processors: availableParallelism(),
      node: process.versions.node,
    },
    versions: versions(),
    fullDisk: 'a tmpfs of 256 MiB as TMPDIR, filled to the last byte at the chosen moment',
    tries: results.length,
    left: bad.length,
    counts,
    failures: bad,
  };
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(document, null, 2)}\n`);
  process.stdout.write(`${results.length} tries, seed ${seed}: ${bad.length} left something\n`);
  process.exitCode = bad.length === 0 && results.length > 0 ? 0 : 1;
}

function tally(results, on, event) {
  const own = results.filter((result) => result.on === on && result.event === event);
  const left = own.filter(isBad).length;
  const tooLate = own.filter(({ happened }) => happened === undefined).length;
  const slowestMs = Math.round(Math.max(0, ...own.map(({ cleanMs = 0 }) => cleanMs)));
  return { tries: own.length, left, slowestMs, ...(tooLate > 0 ? { afterTheEnd: tooLate } : {}) };
}

function versions() {
  const programs = { chromium: 'chromium', firefox: 'firefox', chromedriver: 'chromedriver' };
  const said = Object.entries(programs).map(([name, path]) => {
    try {
      return [name, execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim()];
    } catch {
      return [name, 'missing'];
    }
  });
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/webgpu/package.json'), 'utf8'));
  return { ...Object.fromEntries(said), dawn: `webgpu ${version}, lavapipe` };
}

function webdriverOf(url) {
  const args = ['--headless=new', '--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
  return `webdriver=${url}?goog:chromeOptions=${JSON.stringify({ args })}`;
}

function writeEndless() {
  const kernel = {
    id: 'endless',
    ptx: 'endless.ptx',
    entry: 'endless',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    params: [{ name: 'flag', kind: 'buffer', type: 'u32', bytes: 4, data: 'AAAAAA==' }],
  };
  const ptx = `.version 8.0
.target sm_80
.address_size 64
.visible .entry endless(.param .u64 flag)
{
  .reg .pred %p; .reg .b32 %r; .reg .b64 %a;
  ld.param.u64 %a, [flag];
again:
  ld.volatile.global.u32 %r, [%a];
  setp.ne.u32 %p, %r, 7;
  @%p bra again;
  ret;
}
`;
  writeFileSync(join(cases, 'endless.json'), JSON.stringify(kernel));
  writeFileSync(join(cases, 'endless.ptx'), ptx);
}

async function inParallel(count, items, work) {
  const results = [];
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}

function shuffled(list) {
  return list
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Returns the generator mulberry32, which yields the same numbers for the same seed. */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
