// Writes docs/reference/undefined-lanes.md, the observed values of lanes that PTX leaves undefined,
// from docs/results/*-observed.json.
//
// Usage:
//     node scripts/observed.mjs [report.json NAME 'command that made it' [driver]]
// With a report (of `validate --json`, or reports/validate.json) it first writes
// docs/results/NAME-observed.json. --docs FOLDER replaces docs.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { docs: { type: 'string', default: 'docs' } },
});
const [report, name, command, driver] = positionals;
if (report !== undefined && (!name || !command)) {
  console.error("usage: node scripts/observed.mjs [report.json NAME 'command' [driver]]");
  process.exit(2);
}
const results = join(values.docs, 'results');
const suffix = '-observed.json';

const kinds = ['zero', 'own value', 'source value', 'reference value', 'other'];
const columns = { cuda: 'native', chrome: 'Chrome', dawn: 'Dawn' };

/** Returns the observed values of a report: the adapters, and an entry for each suite and cause. */
function extract(document) {
  const executors = {};
  const rows = new Map();
  for (const { id, executor, adapter, lanePlan, observed, skipped } of document.results) {
    executors[executor] ??= { ...describe(adapter), ...(lanePlan ? { lanePlan } : {}) };
    for (const [cause, counts] of Object.entries(observed ?? {})) {
      const key = `${id}\n${cause}`;
      if (!rows.has(key)) rows.set(key, { suite: id, cause, gives: {} });
      rows.get(key).gives[executor] = counts;
    }
    if (!observed && skipped !== undefined) executors[executor].notRun = [...(executors[executor].notRun ?? []), id];
  }
  const { seed, exhaustive, started } = document.run;
  return {
    head: { tool: document.tool, command, ...(driver ? { driver } : {}), date: started.slice(0, 10), seed, exhaustive },
    executors,
    rows: [...rows.values()],
  };
}

function describe(adapter) {
  const { description, vendor, host, subgroupSize } = adapter ?? {};
  return { adapter: description || vendor || 'unknown', host, subgroupSize };
}

function extractText({ head, executors, rows }) {
  const body = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  return `${JSON.stringify({ ...head, executors }, null, 2).slice(0, -2)},\n  "rows": [\n${body}\n  ]\n}\n`;
}

/**
 * Returns the instruction of a suite, such as `shfl.sync` for `shfl.sync:up:guard`. The names of
 * special registers are included.
 */
const instructionOf = (suite) => {
  const [row, register] = suite.split(':');
  return row === 'special' ? `%${register}` : row;
};

function tableOf(file) {
  const { executors, rows, driver: version, date, command: how } = file;
  const names = Object.keys(columns).filter((key) => executors[key]);
  const sums = new Map();
  for (const { suite, cause, gives } of rows) {
    const key = `\`${instructionOf(suite)}\` | ${cause}`;
    if (!sums.has(key)) sums.set(key, { suites: [], gives: {} });
    const sum = sums.get(key);
    sum.suites.push(suite);
    for (const [executor, counts] of Object.entries(gives)) {
      sum.gives[executor] ??= {};
      for (const [kind, count] of Object.entries(counts))
        sum.gives[executor][kind] = (sum.gives[executor][kind] ?? 0) + count;
    }
  }
  const cell = (executor, { suites, gives }) => {
    if (gives[executor]) return contents(gives[executor]);
    return suites.every((suite) => executors[executor].notRun?.includes(suite)) ? 'not run' : '';
  };
  const machines = names.map((key) => {
    const { adapter, host, subgroupSize } = executors[key];
    return `${columns[key]}: ${[adapter, subgroupSize ? `subgroups of ${subgroupSize}` : '', host].filter(Boolean).join(', ')}`;
  });
  return [
    `## ${executors[names[0]].adapter}`,
    '',
    `${date}${version ? `, driver ${version}` : ''}; \`${how}\``,
    '',
    ...machines.map((line) => `- ${line}`),
    '',
    `| instruction | the lane, or its source | ${names.map((key) => columns[key]).join(' | ')} |`,
    `|---|---|${names.map(() => '---|').join('')}`,
    ...[...sums].map(([key, sum]) => `| ${key} | ${names.map((executor) => cell(executor, sum)).join(' | ')} |`),
    '',
  ].join('\n');
}

/**
 * Describes the observed values. Returns a kind, such as `source value`, if all lanes have this
 * kind. Otherwise returns the counts of the kinds, ordered from the most frequent.
 */
function contents(counts) {
  const present = kinds.filter((kind) => counts[kind]);
  const grouped = (count) => count.toLocaleString('en-US');
  if (present.length === 1) return `${present[0]} (${grouped(counts[present[0]])})`;
  return present
    .sort((x, y) => counts[y] - counts[x])
    .map((kind) => `${kind} ${grouped(counts[kind])}`)
    .join(', ');
}

const introduction = `# Values of undefined lanes

PTX leaves some results undefined: a shuffle from an inactive lane, or the result of a lane that is
not in its own \`membermask\`. \`lanewise validate\` does not compare these results. It records their
values, and this page summarizes the records. The values are observations, not promises. The Chrome
and Dawn columns show the combined effect of the translation and the driver, and a translated kernel
must not rely on them.

Each cell counts lane results by the value found. A result counts as the first kind that it fits:

- \`zero\`;
- \`own value\`: the lane's first operand;
- \`source value\`: the first operand of the lane that the shuffle reads;
- \`reference value\`: the result that the CPU reference computes from the participating lanes;
- \`other\`.

\`not run\` has two causes: the card lacks the instruction, or the kernel would end with an illegal
instruction because a lane is not in its own \`membermask\`.

\`scripts/observed.mjs\` generates this page from [docs/results](../results), whose files contain the
counts of each suite (instruction, modifiers, form).
`;

if (report !== undefined) {
  const document = JSON.parse(readFileSync(report, 'utf8'));
  writeFileSync(join(results, `${name}${suffix}`), extractText(extract(document)));
}
const files = readdirSync(results)
  .filter((file) => file.endsWith(suffix))
  .sort();
const tables = files.map((file) => tableOf(JSON.parse(readFileSync(join(results, file), 'utf8'))));
mkdirSync(join(values.docs, 'reference'), { recursive: true });
writeFileSync(join(values.docs, 'reference/undefined-lanes.md'), [introduction, ...tables].join('\n'));
