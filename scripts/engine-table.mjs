// Returns the table of engines by lane plan in docs/measurements.md, from the records in
// docs/results.
//
// The table includes a record if it names its `executors` (adapter and lane plan of each). It also
// needs `results` in columns, as scripts/summarize-results.mjs writes them, or a `total` for each
// executor. Of several records with the same kind, engine, adapter and lane plan, the latest one
// counts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'docs/results';
const grouped = (count) => count.toLocaleString('en-US');

/** Returns the sums of an executor, or undefined if the record does not contain them. */
function sumsOf({ total, columns, results }, executor) {
  const own = total?.[executor];
  if (own) {
    const { suites, passed, laneResults, mismatches, notRun = 0 } = own;
    return { all: suites, passed, compared: laneResults, mismatches, notRun };
  }
  if (!Array.isArray(columns) || !Array.isArray(results)) return undefined;
  const rows = results
    .map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])))
    .filter((row) => row.executor === executor);
  const sum = (name) => rows.reduce((count, row) => count + row[name], 0);
  const passed = rows.filter(({ status }) => status === 'pass').length;
  return { all: rows.length, passed, compared: sum('compared'), mismatches: sum('mismatches'), notRun: 0 };
}

/**
 * Returns the kind of a record: runs of case files, or validation suites. Suites of a fleet, suites
 * with `--exhaustive`, and brief runs of suites are separate kinds.
 */
function kindOf({ command, what, run }) {
  const text = [command, what].flat().join(' ');
  if (/\brun\b/.test(text)) return 'cases';
  if (/\bfleet\b/.test(text)) return 'suites of a fleet';
  if (/--exhaustive/.test(text)) return 'suites, exhaustively';
  return run?.brief ? 'suites, some of every instruction' : 'suites';
}

function engineOf(executor, { host = '' }) {
  const [, browser, version] = /^(?:Headless)?(\w+)\/(\d+)/i.exec(host) ?? [];
  if (browser) {
    const name = `${browser[0].toUpperCase()}${browser.slice(1)} ${version}`;
    return executor === 'webdriver' ? `${name}, by WebDriver` : name;
  }
  return host.split(', ')[0];
}

function adapterName({ architecture = '', device = '', description = '' }) {
  const known = /h100|h200|swiftshader|llvmpipe|lavapipe/i
    .exec(`${architecture} ${device} ${description}`)?.[0]
    .toLowerCase();
  const names = {
    h100: 'NVIDIA H100',
    h200: 'NVIDIA H200',
    swiftshader: 'SwiftShader',
    llvmpipe: 'lavapipe',
    lavapipe: 'lavapipe',
  };
  return names[known] ?? (description || device || architecture);
}

function planOf(lanePlan, { subgroupSize }) {
  if (!lanePlan) return 'PTX itself';
  return lanePlan === 'portable' ? 'portable' : `${lanePlan}, subgroups of ${subgroupSize}`;
}

function outcome({ kind, all, passed, compared, mismatches, notRun }, file) {
  const of = `${grouped(passed)} of ${grouped(all)} ${kind}${notRun > 0 ? ` (${grouped(notRun)} not run)` : ''}`;
  const lanes = kind === 'cases' ? '' : `, ${grouped(compared)} lane results, ${grouped(mismatches)} different`;
  return `[${of}](results/${file})${lanes}`;
}

const order = ['Chrome', 'Firefox', 'Safari', 'Dawn', 'CUDA'];
const plans = ['native', 'wide', 'narrow', 'portable', 'PTX'];
const rank = (list, text) => list.findIndex((name) => text.startsWith(name)) >>> 0;

/** Returns the rows of all engines as Markdown for a page in docs. */
export function engineTable() {
  const found = new Map();
  for (const file of readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const record = JSON.parse(readFileSync(join(root, folder, file), 'utf8'));
    if (!record.executors || Array.isArray(record.executors)) continue;
    for (const [executor, { adapter, lanePlan }] of Object.entries(record.executors)) {
      const sums = sumsOf(record, executor);
      if (!sums || sums.all === 0 || typeof adapter !== 'object' || adapter === null) continue;
      const kind = kindOf(record);
      const place = [engineOf(executor, adapter), adapterName(adapter), planOf(lanePlan, adapter)];
      const key = JSON.stringify([place, kind]);
      const known = found.get(key);
      if (!known || known.date <= record.date) {
        found.set(key, { place, kind, date: record.date, text: outcome({ kind, ...sums }, file) });
      }
    }
  }
  const rows = new Map();
  for (const item of found.values()) {
    const key = item.place.join(' | ');
    rows.set(key, [...(rows.get(key) ?? []), item]);
  }
  const sorted = [...rows].sort(([, [a]], [, [b]]) => {
    const [x, y] = [a, b].map(({ place: [engine, adapter, plan] }) => [
      rank(order, engine),
      rank(plans, plan),
      adapter,
    ]);
    return x[0] - y[0] || x[1] - y[1] || x[2].localeCompare(y[2]) || a.place[0].localeCompare(b.place[0]);
  });
  return [
    '| engine | adapter | lane plan | passed | when |',
    '|---|---|---|---|---|',
    ...sorted.map(([key, items]) => {
      const dates = [...new Set(items.map(({ date }) => date))].sort();
      const texts = items.sort((a, b) => a.kind.localeCompare(b.kind)).map(({ text }) => text);
      return `| ${key} | ${texts.join('; ')} | ${dates.at(-1)} |`;
    }),
  ].join('\n');
}
