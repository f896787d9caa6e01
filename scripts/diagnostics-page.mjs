// Writes docs/reference/diagnostics.md: every code with its messages and hints, from the tables of
// the sources, and its meaning, from diagnostic-meanings.mjs. With --check it writes nothing, and
// fails if the page is not up to date. The script needs a build; `diagnosticsPage` receives the
// tables from its caller.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groups, meanings } from './diagnostic-meanings.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = {
  front: ['src/ptx/diagnostics/diagnostics.ts', 'src/ptx/diagnostics/fragment-diagnostics.ts'],
  compiler: ['src/translate/diagnostics.ts'],
  llvm: ['src/nvptx/diagnostics.ts'],
  litmus: ['src/memory-model/diagnostics.ts'],
};
/** Files that create diagnostics with a code written in the call. */
const others = [
  'src/runtime/check/limits.ts',
  'src/runtime/launch/compile-limit.ts',
  'src/harness/executors/block-memory-limit.ts',
  'src/runtime/launch/dispatch.ts',
  'src/build/build-kernels.ts',
];
const read = (file) => readFileSync(join(root, file), 'utf8');

/**
 * Returns the types of each constructor's parameters: `{ duplicate: ['Span', 'string', 'Span'] }`.
 */
function signatures(files) {
  const found = {};
  for (const text of files.map(read)) {
    for (const [, name, list] of text.matchAll(/^ {2}(\w+):\s*\(([\s\S]*?)\)\s*=>/gm))
      found[name] = [...list.matchAll(/\w+\s*:\s*([^,[\]]*(?:\[[^\]]*\])*)/g)].map(([, type]) => type.trim());
  }
  return found;
}

const span = { start: 0, end: 0 };
/** The value of numbers in messages. It is printed as an ellipsis. */
const anyNumber = { toString: () => '…', valueOf: () => Number.NaN };

/**
 * Returns lists of arguments for a constructor, by the types of its parameters. A boolean or
 * optional text has two values.
 */
function argumentsFor(types) {
  const choices = types.map((type) => {
    if (type === 'Span') return [span];
    if (type.startsWith('readonly [Span')) return [[span, span]];
    if (type === 'number') return [anyNumber];
    if (type === 'boolean') return [true, false];
    if (type.startsWith('readonly string[]')) return [['…']];
    if (type.startsWith('Diagnostic')) return [[]];
    if (type === 'string | undefined') return ['…', undefined];
    if (type === 'string') return ['…'];
    throw new Error(`a diagnostic has a parameter of type ${type}`);
  });
  return choices.reduce((lists, values) => lists.flatMap((list) => values.map((value) => [...list, value])), [[]]);
}

const plain = (text) => text?.replaceAll('NaN', '…').replaceAll('`{}`', '`{…}`');

/** Returns the diagnostics of a table's constructors as `{ code, severity, message, hint }`. */
function samples(table, files) {
  const types = signatures(files);
  return Object.entries(table).flatMap(([name, make]) => {
    const missing = types[name] === undefined && make.length > 1;
    if (missing) throw new Error(`the parameters of the diagnostic ${name} were not found`);
    return argumentsFor(types[name] ?? ['Span']).map((list) => {
      const made = make(...list);
      return typeof made === 'function' ? made(span) : made;
    });
  });
}

/** Returns the codes of the literal diagnostics in the other files, all of which are errors. */
function literalCodes() {
  return others.flatMap((file) =>
    [...read(file).matchAll(/(?:code: |report\(\s*)'(LW\d+)'/g)].map(([, code]) => ({ code, severity: 'error' })),
  );
}

/**
 * Returns a page from the tables. Throws an error for a code without a meaning, and for a meaning
 * without a code.
 */
export function diagnosticsPage({ diagnostics, compileDiagnostics, llvmDiagnostics, litmusDiagnostics, findingKinds }) {
  const all = [
    ...samples(diagnostics, sources.front),
    ...samples(compileDiagnostics, sources.compiler),
    ...samples(llvmDiagnostics, sources.llvm),
    ...samples(litmusDiagnostics, sources.litmus),
    ...literalCodes(),
    ...Object.entries(findingKinds).map(([code, { severity, hint }]) => ({ code, severity, hint })),
  ];
  const byCode = new Map();
  for (const { code, severity, message, hint } of all) {
    const entry = byCode.get(code) ?? { severities: new Set(), messages: new Set(), hints: new Set() };
    byCode.set(code, entry);
    entry.severities.add(severity);
    if (message !== undefined) entry.messages.add(plain(message));
    if (hint !== undefined) entry.hints.add(plain(hint));
  }
  const unexplained = [...byCode.keys()].filter((code) => !(code in meanings));
  if (unexplained.length > 0) throw new Error(`diagnostic-meanings.mjs lacks ${unexplained.join(', ')}`);
  const gone = Object.keys(meanings).filter((code) => !byCode.has(code));
  if (gone.length > 0) throw new Error(`diagnostic-meanings.mjs has codes that no table has: ${gone.join(', ')}`);
  return [
    '# Diagnostics',
    '',
    'Every message has a stable code, a place in the source and, if possible, a hint. `…` stands for the',
    'names and numbers of the message. `scripts/diagnostics-page.mjs` generates this page from the tables',
    'of the sources.',
    '',
    ...groups.flatMap(({ prefix, title, about }) =>
      section(
        title,
        about,
        [...byCode].filter(([code]) => code.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    ),
  ].join('\n');
}

function section(title, about, entries) {
  return [`## ${title}`, '', ...(about === undefined ? [] : [about, '']), ...entries.flatMap(entryOf)];
}

const capitalized = (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

function entryOf([code, { severities, messages, hints }]) {
  return [
    `### ${code}`,
    '',
    `*${[...severities].sort().map(capitalized).join(' or ')}.* ${meanings[code]}`,
    '',
    ...[...messages].map((message) => `- ${message}`),
    ...[...hints].map((hint) => `- hint: ${hint}`),
    ...(messages.size + hints.size === 0 ? [] : ['']),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = (file) => import(new URL(`../dist/${file}`, import.meta.url).href);
  const page = diagnosticsPage({
    ...(await dist('ptx/diagnostics/diagnostics.js')),
    ...(await dist('translate/diagnostics.js')),
    ...(await dist('nvptx/diagnostics.js')),
    ...(await dist('memory-model/diagnostics.js')),
    ...(await dist('cpu-ref/interpreter/state/findings.js')),
  });
  const target = join(root, 'docs/reference/diagnostics.md');
  if (!process.argv.includes('--check')) writeFileSync(target, page);
  else if (readFileSync(target, 'utf8') !== page) {
    process.stderr.write('docs/reference/diagnostics.md is not up to date: run node scripts/diagnostics-page.mjs\n');
    process.exitCode = 1;
  }
}
