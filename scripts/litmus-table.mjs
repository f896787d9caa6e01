// Writes the tables of docs/design/memory-model.md from the records docs/results/*-litmus.json: the
// guarantees and the forward progress of each adapter. With --check it writes nothing, and fails if
// the page is not up to date.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const page = fileURLToPath(new URL('docs/design/memory-model.md', root));
const records = ['h200', 'software'].map((name) => fileURLToPath(new URL(`docs/results/${name}-litmus.json`, root)));
const begin = '<!-- litmus:begin, made by scripts/litmus-table.mjs -->';
const end = '<!-- litmus:end -->';

/** The tests of `test/memory-model/guarantees.litmus` for each guarantee. */
const guarantees = {
  'message passing between blocks': [
    'flag-between-blocks', 'volatile-flag-between-blocks', 'last-block', 'lock', 'barrier-then-flag', 'relay',
  ],
  'flags between warps': ['flag-between-warps', 'flag-between-warps-in-global-memory'],
  'store buffering': ['both-announce'],
  'load buffering': ['no-load-from-the-future'],
  'independent reads of independent writes': ['two-readers-agree'],
  'coherent loads': ['coherent-loads'],
  'accesses of mixed sizes': ['mixed-sizes', 'mixed-sizes-of-stores'],
  '64-bit cells with locks': ['whole-64-bit-words', 'atomic-64-bit-additions', 'locked-64-bit-value'],
  'torn values of racing weak 64-bit loads': ['racing-64-bit-load'],
  'the same beside fences': ['racing-64-bit-load-beside-fences'],
  'torn values of racing strong vectors': ['racing-pair', 'racing-16-bytes', 'racing-volatile-vector'],
  'a value and its flag, loaded at once': ['racing-value-and-flag'],
  'barrier of a block': ['barrier-orders-shared-memory', 'barrier-orders-global-memory'],
  'barrier of a grid': ['grid-barrier'],
  '`mbarrier`': ['barrier-object'],
  '`cp.async`': ['async-copy', 'async-copy-with-barrier-object'],
}; // biome-ignore format: one line per guarantee

function update(isCheck) {
  const adapters = records.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).adapters);
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} lacks the markers\n${begin}\n${end}`);
  const body = `${guaranteeTable(adapters)}\n\n${progressTable(adapters)}`;
  const updated = `${text.slice(0, from + begin.length)}\n${body}\n${text.slice(to)}`;
  if (!isCheck) writeFileSync(page, updated);
  else if (updated !== text) {
    process.stderr.write('docs/design/memory-model.md is not up to date: run node scripts/litmus-table.mjs\n');
    process.exitCode = 1;
  }
}

function guaranteeTable(adapters) {
  const known = new Set(Object.values(guarantees).flat());
  for (const { name, guarantees: own } of adapters) {
    const other = Object.keys(own).find((test) => !known.has(test));
    if (other !== undefined) throw new Error(`${name}: the table lacks ${other}`);
  }
  const rows = Object.entries(guarantees).map(([what, tests]) => [
    what,
    ...adapters.map(({ guarantees: own }) => cell(tests.map((test) => own[test]))),
  ]);
  return table(['guarantee', ...adapters.map(({ name }) => name)], rows);
}

/** The instances with a forbidden outcome, of all instances. */
function cell(results) {
  const counts = results.filter(Array.isArray);
  if (counts.length === 0) return 'not run';
  const [instances, forbidden] = [0, 1].map((part) => counts.reduce((sum, count) => sum + count[part], 0));
  const missing = results.length - counts.length;
  const text = `${forbidden.toLocaleString('en-US')} of ${short(instances)}`;
  return missing === 0 ? text : `${text}; ${missing} not run`;
}

const short = (count) =>
  count >= 1e6 ? `${Math.round(count / 1e6).toLocaleString('en-US')} M` : count.toLocaleString('en-US');

function progressTable(adapters) {
  const tests = [...new Set(adapters.flatMap(({ progress }) => Object.keys(progress)))];
  const verdict = (gaveUp) =>
    gaveUp === undefined ? '' : gaveUp === 0 ? 'yes' : typeof gaveUp === 'number' ? 'no' : 'no answer';
  const rows = tests.map((test) => [`\`${test}\``, ...adapters.map(({ progress }) => verdict(progress[test]))]);
  return table(['progress', ...adapters.map(({ name }) => name)], rows);
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replace(/^\| (---.*) \|$/m, (_, dashes) => `|${dashes.replaceAll(' ', '')}|`);

update(process.argv.includes('--check'));
