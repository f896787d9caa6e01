// Writes the table of supported instructions, made from the ISA rows, between the markers in docs/support.md.
// With --check it writes nothing, and fails if the table there is not up to date. Needs a build.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { isaRows, specialRegisters } = await import(new URL('../dist/isa/index.js', import.meta.url).href);

const begin = '<!-- support-table:begin, made by scripts/support-table.mjs -->';
const end = '<!-- support-table:end -->';
const manual = 'https://docs.nvidia.com/cuda/parallel-thread-execution/#';

const kinds = [
  ['lane', 'Arithmetic, logic, comparison, conversion'],
  ['memory', 'Memory'],
  ['atomic', 'Atomics'],
  ['barrier', 'Barriers and fences'],
  ['control', 'Control flow'],
];

/** The whole table, as Markdown. */
function supportTable(rows, registers) {
  const warp = rows.filter(({ kind }) => kind === 'warp');
  const parts = [
    '| Warp instruction | PTX | Target | |',
    '|---|---|---|---|',
    ...warp.map(
      (row) =>
        `| [\`${cell(formsOf(row))}\`](${manual}${row.section}) | ${versions(row)} | ${row.target} | ${cell(row.doc)} |`,
    ),
    '',
    'The rest of a kernel:',
    '',
    '| | Instructions |',
    '|---|---|',
    ...kinds.map(([kind, title]) => `| ${title} | ${names(rows, kind).join(', ')} |`),
    `| Special registers | ${registers.map(({ name }) => `\`${name}\``).join(', ')}, \`WARP_SZ\` |`,
  ];
  return parts.join('\n');
}

/** `shfl.sync.{up,down,bfly,idx}.b32 d[|p], a, b, c, membermask` */
function formsOf({ syntax, where = {} }) {
  return syntax.replace(/\.(\w+)/g, (text, slot) => (where[slot] ? `.{${where[slot].join(',')}}` : text));
}

function versions({ ptx, removed }) {
  return removed ? `${ptx}, up to ${removed.ptx} on ${removed.target}` : ptx;
}

/** Each row's name with a link, once. */
function names(rows, kind) {
  const links = new Map(
    rows.filter((row) => row.kind === kind).map(({ name, section }) => [name, `[\`${name}\`](${manual}${section})`]),
  );
  return [...links.values()];
}

/** A vertical bar ends a cell, in code too. */
function cell(text) {
  return text.replaceAll('|', '\\|');
}

const path = fileURLToPath(new URL('../docs/support.md', import.meta.url));
const page = readFileSync(path, 'utf8');
const [from, to] = [page.indexOf(begin), page.indexOf(end)];
if (from < 0 || to < from) {
  process.stderr.write(`docs/support.md lacks the markers\n${begin}\n${end}\n`);
  process.exit(1);
}
const table = supportTable(isaRows, specialRegisters);
const updated = `${page.slice(0, from + begin.length)}\n${table}\n${page.slice(to)}`;
if (process.argv.includes('--check')) {
  if (updated !== page) {
    process.stderr.write(
      'The support table in docs/support.md is not up to date: run node scripts/support-table.mjs\n',
    );
    process.exit(1);
  }
} else {
  writeFileSync(path, updated);
}
