// Writes the numbers of docs/benchmarks.md and its plots, from docs/results/h200-bench.json,
// between the page's markers. With --check it writes nothing, and fails if the page is not up to
// date. Needs a build.
//
//     node scripts/benchmark-page.mjs                  uses the existing document
//     node scripts/benchmark-page.mjs reports/b.json   replaces the document with this one first
//     node scripts/benchmark-page.mjs --portable reports/portable.json
//         first copies a run of `bench kernels --plan portable` to h200-bench-portable.json
//     node scripts/benchmark-page.mjs --software reports/swiftshader.json reports/lavapipe.json
//         first copies runs on software adapters to docs/results/software-bench.json

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ratioPlot } from '../dist/harness/bench/plot.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/benchmarks.md');
const recorded = join(root, 'docs/results/h200-bench.json');
const portable = join(root, 'docs/results/h200-bench-portable.json');
const software = join(root, 'docs/results/software-bench.json');
const image = (name) => join(root, `docs/images/h200-bench-${name}.svg`);
const begin = (part) => `<!-- bench-${part}:begin, made by scripts/benchmark-page.mjs -->`;
const end = (part) => `<!-- bench-${part}:end -->`;

/** The targets of entries, relative to native speed. */
const marks = { instructions: 0.95, exact: 0.6, fast: 0.9, plain: 0.9 };

/**
 * The reasons for entries below the target, according to the driver's machine code. The first match
 * applies.
 */
/** @type {readonly (readonly [RegExp, string])[]} */
const reasons = [
  [
    /^shfl.*:arbitrary:/,
    'one native instruction of eight cycles handles `b` and `c`. In WGSL, the clamp, the source lane and the browser’s bound take eight to twelve instructions: [below](lab-notes/performance.md#the-fewest-instructions-of-a-shuffle)',
  ],
  [
    /^shfl.*:(register|mask|groups):/,
    'four instructions compute the source lane of `bfly` and `idx`: mask, compare, select, and the browser’s bound. Their pipe executes three in the eight cycles of a native shuffle: [below](lab-notes/performance.md#the-fewest-instructions-of-a-shuffle)',
  ],
  [
    /^shfl.*:unrelated:/,
    'dispatched: the compiler cannot prove that the mask names the lanes under the guard. So a ballot precedes each shuffle, and lanes continue one by one if a lane is missing. Native hardware waits for the missing lanes by itself',
  ],
  [/^shfl.*idx.*:(dependent|predicate)/, 'the loop’s own cost, as for ballots'],
  [
    /^vote.*:(all|any|uni):/,
    'native code votes into a predicate. The driver votes into a register and compares it, in each of about forty ways to write a vote in WGSL. That is a fourth instruction on a pipe that three fill (73 %). A selection by a vote, as here, is a multiply-add with `min(ballot, 1)` on another pipe. The rest is the loop’s own cost, as for ballots. `any` has the instructions of `all` on other registers, and `uni` has one more multiply-add',
  ],
  [/^vote.*ballot.*:mask:/, 'one more instruction on the same pipe applies the mask to the ballot'],
  [/^vote.*ballot/, 'the loop’s own cost: browsers count the iterations of every loop, with five instructions each'],
  [
    /^match.all.*:(mask|groups):/,
    'finding the lowest member needs a count of ones, which runs at an eighth of the rate',
  ],
  [
    /^match.all.*:predicate:/,
    'the driver compares the ballot for the predicate, and delays two sums. Native code has one instruction for predicate and mask',
  ],
  [/^match.any.*:guard:/, 'compares bit by bit for any lanes; native code needs one round per distinct value'],
  [/^elect/, 'finding the lowest member needs a count of ones'],
  [
    /^kernel:n-body/,
    'WGSL lacks f64: each operation takes [150 to 300 instructions](lab-notes/performance.md#f64-in-integers)',
  ],
  [/^kernel:hash-table/, 'WGSL has only 32-bit atomics: a successful 64-bit compare-and-swap takes a lock'],
  [
    /^kernel:small-launches/,
    'between launches the driver waits for the writes of the previous one, and checks the bindings of each',
  ],
  [
    /^kernel:(matmul-f16|attention)/,
    'no tensor cores in WGSL: [below](lab-notes/performance.md#matrices-without-tensor-cores)',
  ],
  [
    /^kernel:copy-async/,
    'a `cp.async` is done where it stands: only copies that begin together are on their way together',
  ],
  [/^kernel:aggregate/, 'dominated by `match.any`'],
  [
    /^kernel:radix-sort/,
    'indexes of the workgroup’s memory are clamped, and its words are atomics wherever a barrier of the warp orders them',
  ],
  [/^kernel:bitonic/, 'fifteen shuffles, each with its comparison; the loop’s own cost comes on top'],
  [/^kernel:.*, .*exact/, 'the adapter flushes subnormals, so what may lose one is guarded'],
];

/** @param {readonly string[]} args */
function main([given, ...others]) {
  const check = given === '--check';
  if (given === '--software') writeSoftware(others);
  else if (given === '--portable') writeFileSync(portable, compact(JSON.parse(readFileSync(others[0], 'utf8'))));
  else if (given !== undefined && !check) writeFileSync(recorded, compact(JSON.parse(readFileSync(given, 'utf8'))));
  const document = JSON.parse(readFileSync(recorded, 'utf8'));
  const results = entriesOf(document);
  const parts = {
    run: runText(document, 'h200-bench.json'),
    means: meansText(results),
    kernels: kernelsTable(results),
    instructions: instructionsTable(results),
    below: belowTable(results),
    tool: toolTable(document),
    software: softwareTable(),
    portable: portableTable(),
  };
  let text = readFileSync(page, 'utf8');
  for (const [part, lines] of Object.entries(parts)) text = replaced(text, part, lines);
  const files = [[page, text], ...plots(results)];
  const stale = files.filter(([path, content]) => !existsSync(path) || readFileSync(path, 'utf8') !== content);
  if (check && stale.length > 0) {
    process.stderr.write(`${stale.map(([path]) => path).join(', ')}: run \`node scripts/benchmark-page.mjs\`\n`);
    process.exitCode = 1;
    return;
  }
  for (const [path, content] of stale) writeFileSync(path, content);
}

/**
 * Returns a document with one line for each result, which is 20 times smaller than indented JSON.
 */
function compact({ results, ...rest }) {
  const lines = results.map((result) => `    ${JSON.stringify(result)}`);
  const head = JSON.stringify({ ...rest, results: [] }, null, 2);
  return `${head.replace(/"results": \[\]\n\}$/, () => `"results": [\n${lines.join(',\n')}\n  ]\n}`)}\n`;
}

/**
 * Keeps the outcome and speed of runs on software adapters. Documents of one adapter with different
 * kernels count as one run.
 */
function writeSoftware(files) {
  const runs = new Map();
  for (const file of files) {
    const { run, machine, executors, results } = JSON.parse(readFileSync(file, 'utf8'));
    const rates = results.flatMap(({ id, status, unit, rate }) => (status === 'measured' ? [{ id, unit, rate }] : []));
    const adapter = executors[0]?.adapter;
    const known = runs.get(adapter?.description) ?? {
      started: run.started,
      cpu: machine.cpu,
      cores: machine.cores,
      adapter,
      results: [],
    };
    const others = rates.filter(({ id }) => known.results.every((one) => one.id !== id));
    runs.set(adapter?.description, { ...known, results: [...known.results, ...others] });
  }
  const text = [...runs.values()].map((run) => compact({ ...run })).join(',\n');
  writeFileSync(
    software,
    `{ "schemaVersion": 1, "what": "bench kernels on software adapters", "runs": [\n${text}] }\n`,
  );
}

/**
 * Returns the native result and the other results by series, for each id. Documents of schema
 * version 1 measured the forms with invariant operands.
 */
function entriesOf({ schemaVersion, results }) {
  const entries = new Map();
  for (const result of results) {
    const id = schemaVersion === 1 ? result.id.replace(/:(register|mask|guard|groups):/, ':$1-invariant:') : result.id;
    const entry = entries.get(id) ?? { id, section: result.section, series: new Map(), away: false };
    entry.away ||= result.compiledAway === true;
    entry.series.set(result.series, result);
    entries.set(id, entry);
  }
  return [...entries.values()];
}

function runText({ run, machine, executors, tool }, file, more = '') {
  const { name = 'an unknown GPU', driver_version: driver = 'unknown' } = machine.gpu ?? {};
  const hosts = executors.flatMap(({ name: on, adapter }) => (on === 'cuda' ? [] : (adapter?.host ?? [])));
  const commit = tool.commit ? `, commit \`${tool.commit}\`` : '';
  const options = `--on ${executors.map((one) => one.name).join(',')} --float ${run.float}${more}`;
  return [
    `${name}, driver ${driver}, ${hosts.join(', ')}, Lanewise ${tool.version}${commit}, ${run.started.slice(0, 10)}: \`npx lanewise ${['bench', ...run.query].join(' ')} ${options}\` took ${Math.round(run.ms / 1000)} s.`,
    `The document is [results/${file}](results/${file}).`,
  ];
}

const percent = (ratio) =>
  ratio === undefined || ratio === null ? '' : `${(ratio * 100).toFixed(ratio < 0.1 ? 1 : 0)} %`;
const isInvariant = (id) => id.includes('-invariant:');

function meanOf(ratios) {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

/** Kernels of features that WGSL lacks: tensor cores, and f64. */
const lacking = /^kernel:(matmul-f16|attention|n-body-f64)/;

/**
 * Returns the series of a section with the ratios of their entries. A kernel without f32 is the
 * same in both float modes, and counts in both.
 */
function seriesOf(section, entries) {
  const modes = section === 'kernels' ? ['exact', 'fast'] : [undefined];
  const machines = new Set(entries.flatMap((entry) => othersOf(entry).map(({ machine }) => machine)));
  return [...machines].flatMap((machine) =>
    modes.map((mode) => ({
      name: mode === undefined ? machine : `${machine} ${mode}`,
      mark: marks[mode ?? section],
      ratios: entries.flatMap(({ id, series }) => {
        const own = series.get(`${machine} ${mode}`);
        const ratio = (own ?? series.get(machine))?.ofNative;
        return typeof ratio === 'number' ? [{ id, ratio }] : [];
      }),
    })),
  );
}

function meansText(entries) {
  const list = (all) =>
    all.length === 0 ? '' : `${meanOf(all.map(({ ratio }) => ratio)).toFixed(2)} over ${all.length}`;
  const rows = ['instructions', 'kernels'].flatMap((section) => {
    const own = entries.filter((entry) => entry.section === section && !entry.away);
    return seriesOf(section, own).flatMap(({ name, ratios, mark }) => {
      if (ratios.length === 0) return [];
      const varying = ratios.filter(({ id }) => !isInvariant(id));
      const usual = varying.filter(({ id }) => !lacking.test(id));
      return [
        [
          section,
          name,
          list(usual),
          usual.length < varying.length ? list(varying) : '',
          varying.length < ratios.length ? list(ratios) : '',
          `${usual.filter(({ ratio }) => ratio >= mark).length} of ${usual.length} at ${mark} or more`,
        ],
      ];
    });
  });
  const away = entries.filter((entry) => entry.away).map(({ id }) => `\`${id}\``);
  return [
    ...table(
      ['section', 'on', 'geometric mean, of native', 'with matrices and f64', 'with invariant forms', 'entries'],
      rows,
    ),
    '',
    'Kernels without f32 are the same in both float modes, and count in both. WGSL has no tensor cores and no f64: kernels of those are in the second mean only.',
    '',
    ...(away.length > 0 ? [`In no mean, since a compiler leaves them out: ${away.join(', ')}.`] : []),
  ];
}

/** @param {{ rate?: any, unit?: string, status?: string }} [measured] */
function rate({ rate: found, unit, status } = {}) {
  if (!found) return status ?? '';
  if (unit === 'keys') return `${(found.median / 1e6).toFixed(0)} Mkeys/s`;
  if (unit === 'launches') return `${(found.median / 1e3).toFixed(0)} klaunches/s`;
  const names = { bytes: 'GB/s', flop: 'Gflop/s', 'lane operations': 'Gop/s' };
  return `${(found.median / 1e9).toFixed(0)} ${names[unit]}`;
}

const nativeOf = ({ series }) => [...series.values()].find(({ machine }) => machine === 'cuda');
const othersOf = ({ series }) => [...series.values()].filter(({ machine }) => machine !== 'cuda');

function kernelsTable(entries) {
  const rows = entries
    .filter(({ section }) => section === 'kernels')
    .flatMap((entry) =>
      othersOf(entry).map((result, index) => [
        index === 0 ? `\`${entry.id.replace('kernel:', '')}\`` : '',
        result.series,
        rate(result),
        index === 0 ? rate(nativeOf(entry)) : '',
        percent(result.ofNative),
        percent(result.ofCub),
      ]),
    );
  return table(['kernel', 'on', 'rate', 'native', 'of native', 'of CUB'], rows);
}

const forms = ['immediate', 'predicate', 'register', 'arbitrary', 'mask', 'guard', 'groups'];

/** Returns a table with a row for each instruction and a column for each form. */
function instructionsTable(entries) {
  const rows = new Map();
  for (const entry of entries.filter(({ section }) => section === 'instructions')) {
    const parts = entry.id.split(':');
    const chain = parts.pop();
    const form = parts.pop();
    const name = parts.join(':');
    for (const result of othersOf(entry)) {
      const key = `${name} ${result.series}`;
      const row = rows.get(key) ?? { name, series: result.series, native: '', cells: new Map() };
      if (form === 'immediate' && chain === 'independent') row.native = rate(nativeOf(entry));
      const cell = result.status !== 'measured' ? result.status : percent(result.ofNative) || rate(result);
      row.cells.set(chain === 'dependent' ? 'dependent' : form, entry.away ? `(${cell})` : cell);
      rows.set(key, row);
    }
  }
  const list = [...rows.values()];
  const isOne = new Set(list.map(({ series }) => series)).size === 1;
  const columns = ['immediate', 'dependent', ...forms.slice(1)];
  const staying = ['register', 'mask', 'guard', 'groups'];
  const label = ({ name, series }) => `\`${name}\`${isOne ? '' : ` ${series}`}`;
  const withStaying = list.filter(({ cells }) => staying.some((form) => cells.has(`${form}-invariant`)));
  return [
    ...table(
      ['', 'native', ...columns.map((name) => `\`${name}\``)],
      list.map((row) => [label(row), row.native, ...columns.map((name) => row.cells.get(name) ?? '')]),
    ),
    '',
    'With operands that stay the same for the whole loop:',
    '',
    ...table(
      ['', ...staying.map((name) => `\`${name}-invariant\``)],
      withStaying.map((row) => [label(row), ...staying.map((form) => row.cells.get(`${form}-invariant`) ?? '')]),
    ),
  ];
}

function belowTable(entries) {
  const rows = entries.flatMap((entry) =>
    entry.away || isInvariant(entry.id)
      ? []
      : othersOf(entry).flatMap((result) => {
          const kind = entry.section === 'instructions' ? 'instructions' : (result.series.split(' ')[1] ?? 'plain');
          if (typeof result.ofNative !== 'number' || result.ofNative >= marks[kind]) return [];
          const name = `${entry.id}, ${result.series}`;
          const reason = reasons.find(([pattern]) => pattern.test(name))?.[1] ?? 'not looked into';
          return [
            [
              `\`${entry.id.replace('kernel:', '')}\`${entry.section === 'kernels' ? ` ${result.series}` : ''}`,
              percent(result.ofNative),
              reason,
            ],
          ];
        }),
  );
  // One row for all entries with the same reason.
  const byReason = new Map();
  for (const [name, ratio, reason] of rows) byReason.set(reason, [...(byReason.get(reason) ?? []), `${name} ${ratio}`]);
  const joined = [...byReason].map(([reason, list]) => [list.join(', '), reason]);
  return table(['below its mark', 'why'], joined);
}

/** Returns the times of the tool itself, if the run measured them. */
function toolTable({ toolResults = [] }) {
  const rows = toolResults.map(({ id, machine, unit, value, note }) => [
    `\`${id}\``,
    machine,
    unit === 'ms' ? `${value.median.toFixed(1)} ms` : `${(value.median / 1e6).toFixed(0)} M/s`,
    note,
  ]);
  return rows.length === 0 ? ['That run did not measure the tool.'] : table(['', 'on', 'median', ''], rows);
}

/**
 * Returns the table of kernels without subgroups. The main table has their speed with subgroups.
 */
function portableTable() {
  const document = JSON.parse(readFileSync(portable, 'utf8'));
  return [
    ...runText(document, 'h200-bench-portable.json', ' --plan portable'),
    '',
    ...kernelsTable(entriesOf(document)),
  ];
}

/** Returns a table with a column for each software adapter. */
function softwareTable() {
  if (!existsSync(software)) return [];
  const { runs } = JSON.parse(readFileSync(software, 'utf8'));
  const ids = [...new Set(runs.flatMap(({ results }) => results.map(({ id }) => id)))];
  const cell = (run, id) => {
    const { unit, rate: found } = run.results.find((result) => result.id === id) ?? {};
    return found ? softRate(found.median, unit) : '';
  };
  const [first] = runs;
  return [
    `${first.cpu}, ${first.cores} cores, ${first.started.slice(0, 10)}; software, all of them:`,
    '',
    ...table(
      ['kernel', ...runs.map(({ adapter }) => adapter.description || adapter.device)],
      ids.map((id) => [`\`${id.replace('kernel:', '')}\``, ...runs.map((run) => cell(run, id))]),
    ),
  ];
}

function softRate(median, unit) {
  const [scale, name] = {
    bytes: [1e6, 'MB/s'],
    flop: [1e6, 'Mflop/s'],
    keys: [1e3, 'kkeys/s'],
    launches: [1, 'launches/s'],
  }[unit];
  return `${Number((median / scale).toPrecision(3))} ${name}`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}

function plots(entries) {
  const bars = (section, accept) =>
    entries
      .filter((entry) => entry.section === section && !entry.away && accept(entry.id))
      .flatMap((entry) =>
        othersOf(entry).flatMap(({ series, ofNative }) =>
          typeof ofNative === 'number' ? [{ name: entry.id.replace('kernel:', ''), series, ratio: ofNative }] : [],
        ),
      );
  const drawn = [
    ['instructions', 'instructions: speed relative to native PTX', bars('instructions', (id) => !isInvariant(id))],
    [
      'invariant',
      'instructions with operands that stay: speed relative to native PTX',
      bars('instructions', isInvariant),
    ],
    ['kernels', 'kernels: speed relative to native PTX', bars('kernels', () => true)],
  ];
  return drawn.flatMap(([name, title, list]) => {
    const plot = ratioPlot(title, list);
    return plot === undefined ? [] : [[image(name), plot]];
  });
}

function replaced(text, part, lines) {
  const [from, to] = [text.indexOf(begin(part)), text.indexOf(end(part))];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no part ${part}`);
  return `${text.slice(0, from)}${begin(part)}\n${lines.join('\n')}\n${text.slice(to)}`;
}

main(process.argv.slice(2));
