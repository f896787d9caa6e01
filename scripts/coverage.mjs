// Parses and translates all PTX files of a folder. Reports the share that succeeds, the causes of
// rejections, and slow kernels.
//
// Usage:
//     npm run build && node scripts/coverage.mjs FOLDER [--json] [--jobs N] [--limit SECONDS] [--filter TEXT] [--list STATUS]
// Each file runs in a child process, which is killed if a kernel exceeds the limit (60 s). Hangs
// and crashes are counted, and the other files continue.

import { fork } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    limit: { type: 'string', default: '60' },
    filter: { type: 'string', default: '' },
    list: { type: 'string' },
  },
});
const [folder] = positionals;
const jobs = Number(values.jobs);
const limitMs = 1000 * Number(values.limit);
if (
  positionals.length !== 1 ||
  !statSync(folder, { throwIfNoEntry: false })?.isDirectory() ||
  !(jobs > 0 && limitMs > 0)
) {
  console.error(
    'usage: node scripts/coverage.mjs FOLDER [--json] [--jobs N] [--limit SECONDS] [--filter TEXT] [--list STATUS]',
  );
  process.exit(2);
}
/** The time in milliseconds above which a kernel is listed as slow. */
const slowMs = 5000;

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && file.name.endsWith('.ptx'))
  .map((file) => join(file.parentPath, file.name))
  .filter((path) => path.includes(values.filter))
  .sort();
const waiting = [...files];
const results = [];
await Promise.all(Array.from({ length: jobs }, work));
results.sort((a, b) => (a.file < b.file ? -1 : 1));
report();

async function work() {
  let child;
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const result = { file: relative(folder, path), status: 'parsed', ms: 0, errors: [], entries: [] };
    let names = [];
    for (let skip = 0; ; ) {
      child ??= fork(join(import.meta.dirname, 'coverage-worker.mjs'), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const { over, at } = await follow(child, { path, skip }, (message) => {
        if (message.kind === 'parsed') {
          names = message.entries;
          Object.assign(result, { ms: Math.round(message.ms), errors: message.errors });
          if (message.errors.length > 0) result.status = 'not parsed';
        }
        if (message.kind === 'done') {
          const { kind: _, index, ms, ...entry } = message;
          result.entries.push({ name: names[index], ms: Math.round(ms), ...entry });
        }
      });
      if (over === 'end') break;
      child.kill('SIGKILL');
      child = undefined;
      if (at === undefined) {
        result.status = over;
        break;
      }
      result.entries.push({ name: names[at], ms: limitMs, status: over });
      skip = at + 1;
    }
    // A file that cannot be parsed may still have entries.
    if (result.status !== 'parsed') {
      const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      for (const [, name] of text.matchAll(/\.entry\s+([\w$%]+)/g)) {
        result.entries.push({ name, ms: 0, status: result.status, by: result.errors.slice(0, 1) });
      }
    }
    results.push(result);
    if (process.stderr.isTTY) process.stderr.write(`\r${results.length}/${files.length} files`);
  }
  child?.disconnect();
}

/**
 * Sends a file to a worker and forwards the worker's messages until the file is finished, the
 * worker crashes or the time limit is exceeded. Resolves with `over`, which says which of these
 * happened, and `at`, the entry that the worker processed last.
 */
function follow(child, order, receive) {
  return new Promise((resolve) => {
    let at;
    let timer;
    const finish = (over) => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve({ over, at });
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => finish('timed out'), limitMs);
    };
    wait();
    child.on('message', (message) => {
      wait();
      if (message.kind === 'entry') at = message.index;
      if (message.kind === 'end') finish('end');
      else if (message.kind === 'failed') finish('crashed');
      else receive(message);
    });
    child.on('exit', () => finish('crashed'));
    child.send(order);
  });
}

function count(list, keyOf) {
  const counts = new Map();
  for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}

/**
 * Returns the cause of a rejection: the code and the instruction. The instruction's address or type
 * is omitted if it is not significant.
 */
function cause({ by = [] }) {
  const [first] = by;
  return first === undefined ? 'unknown' : `${first.code} ${first.instruction}`.trim();
}

function report() {
  const entries = results.flatMap(({ file, entries: list }) => list.map((entry) => ({ file, ...entry })));
  const having = (status) => entries.filter((entry) => entry.status === status);
  const translated = having('translated');
  const times = translated.map(({ ms }) => ms).sort((a, b) => a - b);
  const bySource = {};
  for (const { file, status } of entries) {
    const source = file.split(/[\\/]/)[0];
    bySource[source] ??= { entries: 0, translated: 0 };
    bySource[source].entries++;
    if (status === 'translated') bySource[source].translated++;
  }
  const place = ({ file, name, ms, message, statements }) => ({
    file,
    entry: name,
    ...(statements === undefined ? {} : { statements }),
    ms,
    ...(message === undefined ? {} : { message }),
  });
  const document = {
    schemaVersion: 1,
    files: results.length,
    filesParsed: results.filter(({ status }) => status === 'parsed').length,
    entries: entries.length,
    ...count(entries, ({ status }) => status),
    percent: Math.round((1000 * translated.length) / Math.max(1, entries.length)) / 10,
    structuredOrThreads: translated.filter(({ reason }) => reason === undefined).length,
    medianMs: times[times.length >> 1] ?? 0,
    slowestMs: times.at(-1) ?? 0,
    over5s: entries.filter(({ ms }) => ms > slowMs).map(place),
    crashed: having('crashed').map(place),
    refusedBy: count(having('refused'), cause),
    notParsedBy: count(
      results.filter(({ status }) => status === 'not parsed'),
      ({ errors }) => cause({ by: errors }),
    ),
    bySource,
  };
  if (values.json) {
    console.log(JSON.stringify(document, null, 2));
    return;
  }
  if (values.list !== undefined) {
    for (const { file, name, status, by, message, ms } of entries) {
      if (status !== values.list) continue;
      const why = by?.[0] ? `${by[0].line}: ${by[0].code} ${by[0].instruction}: ${by[0].message}` : (message ?? '');
      console.log(`${file} ${name} ${ms} ms ${why}`);
    }
    return;
  }
  console.log(
    `${document.filesParsed} of ${document.files} files parse; ${translated.length} of ${entries.length} entries translate (${document.percent} %)`,
  );
  console.log(`median ${document.medianMs} ms, slowest ${document.slowestMs} ms`);
  for (const { file, entry, ms } of document.over5s) console.log(`over 5 s: ${file} ${entry} (${ms} ms)`);
  for (const { file, entry, message } of document.crashed) console.log(`crashed: ${file} ${entry}: ${message ?? ''}`);
  for (const [what, n] of Object.entries(document.refusedBy)) console.log(`${String(n).padStart(6)}  refused: ${what}`);
  for (const [what, n] of Object.entries(document.notParsedBy))
    console.log(`${String(n).padStart(6)}  file does not parse: ${what}`);
}
