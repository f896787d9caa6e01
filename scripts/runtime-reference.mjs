// Writes docs/reference/runtime.md: what `lanewise/runtime` exports, from its sources and their docstrings, with links to the examples of docs/guides/run-cuda-in-a-page.md
// that use it. With --check it writes nothing, and fails if what is there is not up to date. It reads the sources as the formatter leaves them:
// declarations begin at the margin, members two spaces further in.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'src/runtime';
const target = 'docs/reference/runtime.md';
const read = (file) => readFileSync(join(root, file), 'utf8');
const guide = read('docs/guides/run-cuda-in-a-page.md');

/** The names that a module exports, each with its file. */
function exportsOf(file) {
  return [...read(file).matchAll(/^export (?:type )?\{([^}]*)\} from '([^']*)';/gm)].flatMap(([, names, from]) =>
    names.split(',').flatMap((name) => {
      const plain = name.replace('type ', '').trim();
      return plain === '' ? [] : [{ name: plain, file: join(dirname(file), from) }];
    }),
  );
}

/** A declaration's lines with the docstring in front of it; through `index.ts` of a folder to where it is. */
function declarationOf({ name, file }) {
  const lines = read(file).split('\n');
  const start = lines.findIndex((line) =>
    new RegExp(`^export (?:class|interface|type|function|const) ${name}\\b`).test(line),
  );
  if (start === -1) {
    const further = exportsOf(file).find((other) => other.name === name);
    if (!further) throw new Error(`${file} does not export ${name}`);
    return declarationOf(further);
  }
  const ends = / \{$/.test(lines[start]) ? /^\}/ : /;$/;
  const length = lines.slice(start).findIndex((line) => ends.test(line));
  return { name, file, doc: docBefore(lines, start), lines: lines.slice(start, start + length + 1) };
}

/** The docstring that ends on the line before `at`, its lines joined to paragraphs. */
function docBefore(lines, at) {
  if (!/\*\/$/.test(lines[at - 1] ?? '')) return '';
  let first = at - 1;
  while (!/^\s*\/\*\*/.test(lines[first])) first -= 1;
  const text = lines
    .slice(first, at)
    .map((line) =>
      line
        .replace(/^\s*(?:\/\*\*|\*(?!\/)) ?/, '')
        .replace(/ ?\*\/$/, '')
        .trim(),
    )
    .filter((line) => line !== '');
  return text.join('\n').replace(/\n(?!- )/g, ' ');
}

/** Public members: signature and docstring. */
function* membersOf(lines) {
  for (let at = 1; at < lines.length - 1; at++) {
    if (
      !/^ {2}[a-zA-Z]/.test(lines[at]) ||
      /^ {2}(?:constructor\b|private\b|(?:readonly |get |async )*#)/.test(lines[at])
    )
      continue;
    let end = at;
    while (!/^ {2}\S.*(?: \{|;)$/.test(lines[end])) end += 1;
    const text = lines
      .slice(at, end + 1)
      .map((line) => line.trim())
      .join(' ');
    const signature = text
      .replace(/^(static )?async /, '$1')
      .replace(/(?: \{|;)$/, '')
      .replace(/^(readonly \w+(?:: [^=]*?)?) = .*$/, '$1')
      .replace(/\( /g, '(')
      .replace(/,? \)/g, ')');
    const doc = docBefore(lines, at);
    if (!/@internal\b/.test(doc))
      yield { signature, doc, name: /^(?:static |readonly |get |async )*(\w+)/.exec(text)?.[1] ?? '' };
    at = end;
  }
}

const anchorOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');

/** Where an example of the guide calls it; undefined where none does. */
function exampleOf(name) {
  const call = new RegExp(`\\.${name}\\(`);
  for (const section of guide.split(/^## /m)) {
    const title = section.split('\n')[0];
    const examples = [...section.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code);
    if (examples.some((code) => call.test(code)))
      return section.startsWith('# ')
        ? '../guides/run-cuda-in-a-page.md'
        : `../guides/run-cuda-in-a-page.md#${anchorOf(title)}`;
  }
  return undefined;
}

function entryOf({ name, file, doc, lines }) {
  const [, kind, rest] = /^export (\w+) \w+(.*)/.exec(lines[0]) ?? [];
  const source = `[${relative(folder, file)}](${relative(dirname(target), file)})`;
  const heading = [`## ${name}`, '', `${kind === 'const' ? 'constant' : kind}, ${source}`, ''];
  const about = doc === '' ? [] : [doc, ''];
  if (kind === 'type' || kind === 'function' || kind === 'const') {
    const text = lines
      .join('\n')
      .replace(/^export /, '')
      .replace(/ \{\n[\s\S]*$/, kind === 'function' ? '' : '$&');
    return [...heading, ...about, '```ts', text, '```', ''];
  }
  const base = / extends ([^{]*?) \{/.exec(rest ?? '')?.[1];
  const members = [...membersOf(lines)].map((member) => {
    const example = kind === 'class' && member.signature.includes('(') ? exampleOf(member.name) : undefined;
    const text = [member.doc, example ? `([example](${example}))` : ''].filter((part) => part !== '').join(' ');
    return `- \`${member.signature}\`${text === '' ? '' : `  \n  ${text.replace(/\n/g, '\n  ')}`}`;
  });
  return [...heading, ...(base ? [`Extends \`${base}\`.`, ''] : []), ...about, ...members, ''];
}

const entries = exportsOf(`${folder}/index.ts`)
  .map(declarationOf)
  .sort((a, b) => (a.name < b.name ? -1 : 1));
const text = [
  '# Reference of `lanewise/runtime`',
  '',
  'Made from the sources by `scripts/runtime-reference.mjs`. [Run CUDA in a page](../guides/run-cuda-in-a-page.md) shows how to use it, in examples that the tests run.',
  '',
  entries.map(({ name }) => `[\`${name}\`](#${anchorOf(name)})`).join(', '),
  '',
  ...entries.flatMap(entryOf),
].join('\n');

if (!process.argv.includes('--check')) writeFileSync(join(root, target), text);
else if (read(target) !== text) {
  console.error(`${target} is not up to date: run \`node scripts/runtime-reference.mjs\``);
  process.exitCode = 1;
}
