// Writes the tables of supported instructions, from the ISA rows and the manual's list of
// instructions, between the markers in docs/reference/instructions.md. With --check it writes
// nothing, and fails if the page is not up to date. Needs a build.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { refusedForms } from './refused-forms.mjs';

const dist = (file) => import(new URL(`../dist/${file}`, import.meta.url).href);
const { isaRows, specialRegisters } = await dist('isa/index.js');
const { manualInstructions, manualNameOf } = await dist('isa/manual.js');
const { patternOf } = await dist('isa/match.js');
const { approximate } = await dist('cpu-ref/index.js');
const { unsupportedModifiers, unsupportedTypes } = await dist('ptx/parse/known-opcodes.js');
const { wideModifiers } = await dist('ptx/parse/wide-opcodes.js');

const begin = '<!-- support-table:begin, made by scripts/support-table.mjs -->';
const end = '<!-- support-table:end -->';
const manual = 'https://docs.nvidia.com/cuda/parallel-thread-execution/#';

/** Returns all tables as Markdown. */
function supportTables() {
  const warp = isaRows.filter(({ kind }) => kind === 'warp');
  return [
    '## Warp instructions',
    '',
    '| Warp instruction | PTX | Target | |',
    '|---|---|---|---|',
    ...warp.map(
      (row) =>
        `| [\`${cell(formsOf(row))}\`](${manual}${row.section}) | ${versions(row)} | ${row.target} | ${cell(row.doc)} |`,
    ),
    '',
    ...manualTables(),
    '## Special registers',
    '',
    `${specialRegisters.map(({ name }) => `\`${name}\``).join(', ')}, \`WARP_SZ\`.`,
    '',
    '## Modifiers that are refused',
    '',
    'No supported form has these modifiers of PTX. A form with one of them is refused at its line, even',
    'if the tables list its instruction.',
    '',
    '| Instruction | Modifiers |',
    '|---|---|',
    `| any instruction with a type, if no form above has that type | ${modifiers(unsupportedTypes)} |`,
    ...Object.entries(unsupportedModifiers)
      .map(([word, list]) => [word, neverTaken(word, list)])
      .filter(([word, list]) => word !== '*' && list !== '')
      .map(([word, list]) => `| \`${word}\` | ${modifiers(list)} |`),
    '',
    'The parser splits these into forms above: `ld` and `st` of 256 bits (`.v8` of 32 bits or `.v4` of',
    '64 bits, in global memory) and of `.b128`, and `mov` of whole vectors and of `.b128`.',
  ].join('\n');
}

/**
 * Returns all instructions of the manual by chapter, with their rows. Throws an error for a row
 * that is not a form of any instruction.
 */
function manualTables() {
  const left = new Set(isaRows);
  const lines = [];
  let chapter;
  let refused = 0;
  for (const instruction of manualInstructions()) {
    if (instruction.chapter !== chapter) {
      chapter = instruction.chapter;
      lines.push('', `### ${chapter}`, '', '| Instruction | PTX | Results | Forms |', '|---|---|---|---|');
    }
    const rows = isaRows.filter((row) => isFormOf(row, instruction));
    const link = `[\`${instruction.name}\`](${manual}${instruction.section})`;
    if (rows.length === 0) {
      refused++;
      lines.push(`| ${link} | ${instruction.ptx} | **refused** | |`);
    }
    for (const [index, row] of rows.entries()) {
      left.delete(row);
      lines.push(`| ${index === 0 ? link : ''} | ${versions(row)} | ${answers(row)} | ${forms(row)} |`);
    }
  }
  if (left.size > 0) throw new Error(`the list of the manual lacks ${[...left].map(({ name }) => name).join(', ')}`);
  const total = manualInstructions().length;
  return [
    '## Instructions of the PTX 9 manual',
    '',
    `All ${total}, by chapter: ${total - refused} have forms that run, ${refused} have none.`,
    ...lines,
    '',
  ];
}

/**
 * Whether a row is a form of an instruction of the manual. The sections must be equal and, if
 * several instructions share a section, also the words.
 */
function isFormOf(row, { name, section }) {
  if (row.section !== section) return false;
  if (manualInstructions().filter((other) => other.section === section).length === 1) return true;
  const { word, parts } = patternOf(row);
  const fixed = parts.flatMap((part) => (part.slot || part.optional ? [] : [part.name]));
  return manualNameOf([word, ...fixed]) === name;
}

/**
 * Describes the accuracy of a row's results. PTX bounds the error of some instructions, in some
 * cases only for certain operands. A hint has no result.
 */
function answers(row) {
  if (row.doc.includes('without effect on results')) return 'a hint';
  if (isSum(row)) return '[a sum](#matrix-products)';
  const bounds = approximate[row.name];
  return bounds === undefined ? 'exact' : `within ${[...new Set(bounds.map(boundText))].join(' or ')}`;
}

/**
 * Whether a row is a floating-point matrix product other than f64. The manual does not define the
 * order of the additions of these products.
 */
function isSum({ name }) {
  return /^(w?mma\.)+(quad|f16|f32|bf16|tf32|fp8)$/.test(name);
}

function boundText({ ulp, relative, absolute }) {
  if (ulp !== undefined) return `${ulp} ulp`;
  const exponent = Math.round(10 * Math.log2(relative ?? absolute)) / 10;
  return `2^${exponent}${relative === undefined ? '' : ' of the result'}`;
}

function forms(row) {
  const refused = refusedForms(row).map((form) => `\`${form}\``);
  return `\`${cell(formsOf(row))}\`${refused.length === 0 ? '' : `; refused: ${refused.join(', ')}`}`;
}

/**
 * Returns the forms of a row, such as
 * `shfl.sync.{up,down,bfly,idx}.b32 d[|p], a, b, c, membermask`.
 */
function formsOf({ syntax, where = {} }) {
  return syntax.replace(/\.(\w+)/g, (text, slot) => valuesText(where[slot]) ?? text);
}

/** The maximum number of values that a list shows in full. */
const mostShown = 18;

function valuesText(values) {
  if (values === undefined) return undefined;
  if (values.length === 1) return `.${values[0]}`;
  const shown = values.length > mostShown ? [...values.slice(0, 3), '…', values.at(-1)] : values;
  return `.{${shown.join(',')}}`;
}

function versions({ ptx, removed }) {
  return removed ? `${ptx}, up to ${removed.ptx} on ${removed.target}` : ptx;
}

/**
 * Returns the modifiers of an instruction that no form supports. Modifiers with separate rows, and
 * modifiers of instructions that the front end splits, are not included.
 */
function neverTaken(word, list) {
  const taken = new Set([
    ...(wideModifiers[word] ?? []),
    ...isaRows.flatMap(({ name }) => (name.startsWith(`${word}.`) ? name.split('.').slice(1) : [])),
  ]);
  return list
    .split(' ')
    .filter((modifier) => !taken.has(modifier))
    .join(' ');
}

function modifiers(list) {
  return list
    .split(/\s+/)
    .map((word) => `\`.${word}\``)
    .join(' ');
}

/** Escapes a text for a table. A vertical bar would end the cell, even in code. */
function cell(text) {
  return text.replaceAll('|', '\\|');
}

const path = fileURLToPath(new URL('../docs/reference/instructions.md', import.meta.url));
const page = readFileSync(path, 'utf8');
const [from, to] = [page.indexOf(begin), page.indexOf(end)];
if (from < 0 || to < from) {
  process.stderr.write(`docs/reference/instructions.md lacks the markers\n${begin}\n${end}\n`);
  process.exit(1);
}
const table = supportTables();
const updated = `${page.slice(0, from + begin.length)}\n${table}\n${page.slice(to)}`;
if (process.argv.includes('--check')) {
  if (updated !== page) {
    process.stderr.write(
      'The support table in docs/reference/instructions.md is not up to date: run node scripts/support-table.mjs\n',
    );
    process.exit(1);
  }
} else {
  writeFileSync(path, updated);
}
