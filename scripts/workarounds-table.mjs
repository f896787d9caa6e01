// Writes the registry of workarounds as tables between the markers in
// docs/lab-notes/native-compiler.md (drivers) and docs/lab-notes/wgsl-compilers.md (WGSL
// compilers). With --check it writes nothing, and fails if a page is not up to date. Needs a build.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const { registry } = await import(new URL('../dist/base/workaround-registry.js', import.meta.url).href);
const begin = '<!-- workarounds:begin, made by scripts/workarounds-table.mjs -->';
const end = '<!-- workarounds:end -->';

const pages = [
  { path: 'docs/lab-notes/native-compiler.md', rows: registry.filter(({ compilers }) => compilers === undefined) },
  { path: 'docs/lab-notes/wgsl-compilers.md', rows: registry.filter(({ compilers }) => compilers !== undefined) },
];

function table(path, rows) {
  const lines = rows.map((row) => {
    const { id, title, problem, drivers, compilers, seen, evidence, effect, kernels, retry } = row;
    const concerned = [...(drivers ?? []), ...(compilers ?? [])];
    const [file, anchor] = evidence.split('#');
    const own = file === path ? '' : relative(dirname(path), file);
    const link = `[evidence](${own}${anchor === undefined ? '' : `#${anchor}`})`;
    const shown = kernels.map((kernel) => `\`${kernel}\``).join(', ');
    const where = concerned.length === 0 ? 'any' : concerned.join(', ');
    return `| \`${id}\` | ${title}. | ${problem} ${seen}; ${link}. | ${where} | ${effect} | ${shown} | ${retry} |`;
  });
  return [
    '| id | the translator | without it | concerns | effect | kernels | try without it |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

for (const { path, rows } of pages) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const page = readFileSync(file, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) {
    process.stderr.write(`${path} lacks the markers\n${begin}\n${end}\n`);
    process.exit(1);
  }
  const updated = `${page.slice(0, from + begin.length)}\n${table(path, rows)}\n${page.slice(to)}`;
  if (!process.argv.includes('--check')) writeFileSync(file, updated);
  else if (updated !== page) {
    process.stderr.write(`${path} is not up to date: run node scripts/workarounds-table.mjs\n`);
    process.exitCode = 1;
  }
}
