// The tables of docs/benchmarks.md.

import { entriesOf, isInvariant, nativeOf, othersOf } from './benchmark-documents.mjs';
import { reasons } from './benchmark-reasons.mjs';

/** The target of each kind of entries, relative to native speed. */
const marks = { instructions: 0.95, exact: 0.6, fast: 0.9, plain: 0.9 };

export function runText({ run, machine, executors, tool }, file, more = '') {
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

function meanOf(ratios) {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

/** Matches kernels that natively use features that WGSL lacks: tensor cores and f64. */
const lacking = /^kernel:(matmul-f16|attention|n-body-f64)/;

/**
 * Returns the series of a section with the ratios of their entries. A kernel without f32 is the
 * same in both float modes, and is included in both.
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

export function meansText(entries) {
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
    'Kernels without f32 are the same in both float modes, and the means of both modes include them. WGSL lacks tensor cores and f64, so only the second mean includes kernels that need these.',
    '',
    ...(away.length > 0
      ? [`No mean includes these entries, because one of the compilers removes them: ${away.join(', ')}.`]
      : []),
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

export function kernelsTable(entries) {
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
export function instructionsTable(entries) {
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

export function belowTable(entries) {
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
  // Write one row for all entries with the same reason.
  const byReason = new Map();
  for (const [name, ratio, reason] of rows) byReason.set(reason, [...(byReason.get(reason) ?? []), `${name} ${ratio}`]);
  const joined = [...byReason].map(([reason, list]) => [list.join(', '), reason]);
  return table(['below its mark', 'why'], joined);
}

/** Returns the times of the tool itself, if the run measured them. */
export function toolTable({ toolResults = [] }) {
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
export function portableTable(document) {
  return [
    ...runText(document, 'h200-bench-portable.json', ' --plan portable'),
    '',
    ...kernelsTable(entriesOf(document)),
  ];
}

/** Returns a table with a column for each software adapter. */
export function softwareTable({ runs }) {
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
