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
import { compact, entriesOf, isInvariant, othersOf, softwareDocument } from './benchmark-documents.mjs';
import {
  belowTable,
  instructionsTable,
  kernelsTable,
  meansText,
  portableTable,
  runText,
  softwareTable,
  toolTable,
} from './benchmark-tables.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/benchmarks.md');
const recorded = join(root, 'docs/results/h200-bench.json');
const portable = join(root, 'docs/results/h200-bench-portable.json');
const software = join(root, 'docs/results/software-bench.json');
const image = (name) => join(root, `docs/images/h200-bench-${name}.svg`);
const begin = (part) => `<!-- bench-${part}:begin, made by scripts/benchmark-page.mjs -->`;
const end = (part) => `<!-- bench-${part}:end -->`;
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** @param {readonly string[]} args */
function main([given, ...others]) {
  const check = given === '--check';
  if (given === '--software') writeFileSync(software, softwareDocument(others));
  else if (given === '--portable') writeFileSync(portable, compact(read(others[0])));
  else if (given !== undefined && !check) writeFileSync(recorded, compact(read(given)));
  const document = read(recorded);
  const results = entriesOf(document);
  const parts = {
    run: runText(document, 'h200-bench.json'),
    means: meansText(results),
    kernels: kernelsTable(results),
    instructions: instructionsTable(results),
    below: belowTable(results),
    tool: toolTable(document),
    software: existsSync(software) ? softwareTable(read(software)) : [],
    portable: portableTable(read(portable)),
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
      'instructions with invariant operands: speed relative to native PTX',
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
