// Writes docs/reference/api.md and docs/reference/runtime.md: the exports of the entry points, from
// their docstrings. With --check it writes nothing, and fails if a page is not up to date.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publicSymbols } from './public-api.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'docs/reference';
const read = (file) => readFileSync(join(root, file), 'utf8');

const inLibrary = publicSymbols('lanewise');
const libraryNames = new Set(inLibrary.map(({ name }) => name));
const pages = {
  'api.md': {
    title: 'Reference of `lanewise` and `lanewise/node`',
    guide: 'docs/guides/use-the-library.md',
    parts: [
      { heading: '`lanewise`', about: 'Safe for browsers and workers.', symbols: inLibrary },
      {
        heading: '`lanewise/node`',
        about: 'All of `lanewise`, and:',
        symbols: publicSymbols('lanewise/node').filter(({ name }) => !libraryNames.has(name)),
      },
    ],
  },
  'runtime.md': {
    title: 'Reference of `lanewise/runtime`',
    guide: 'docs/guides/run-cuda-in-a-page.md',
    parts: [
      {
        heading: '`lanewise/runtime`',
        about: 'Safe for browsers and workers; in Node, devices come from Dawn.',
        symbols: publicSymbols('lanewise/runtime'),
      },
    ],
  },
};

const anchorOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');

/**
 * Converts a docstring to Markdown, in which each paragraph is one line. The example has a title.
 */
function markdownOf(doc) {
  const [text, example] = doc.split(/\n*@example\n/);
  const paragraphs = text.replace(/([^\n])\n(?!\n|- )/g, '$1 ').replace(/^(.*[^\n])\n- /, '$1\n\n- ');
  return example ? `${paragraphs}\n\n${example}` : paragraphs;
}

/** Returns a link to the first example of a guide that calls a method, or '' if there is none. */
function exampleLink(guide, name) {
  const call = new RegExp(`\\.${name}\\(`);
  for (const section of read(guide).split(/^## /m)) {
    const examples = [...section.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code);
    if (!examples.some((code) => call.test(code))) continue;
    const anchor = section.startsWith('# ') ? '' : `#${anchorOf(section.split('\n')[0])}`;
    return ` ([example](${relative(folder, guide)}${anchor}))`;
  }
  return '';
}

/**
 * Removes the type parameters after a name. For example, `class Kernel<Args extends object>`
 * becomes `class Kernel`.
 */
function withoutTypeParameters(signature) {
  const start = signature.search(/(?<=^\w+ \w+)</);
  let depth = 0;
  for (let at = start; at >= 0 && at < signature.length; at++) {
    depth += signature[at] === '<' ? 1 : signature[at] === '>' ? -1 : 0;
    if (depth === 0) return signature.slice(0, start) + signature.slice(at + 1);
  }
  return signature;
}

function* sectionOf({ name, kind, file, doc, signature, members }, guide) {
  yield* [`### ${name}`, '', `${kind}, [${file}](${relative(folder, file)})`, '', markdownOf(doc), ''];
  const base = / extends ([^{]*)$/.exec(withoutTypeParameters(signature))?.[1];
  if (kind === 'const') return;
  if (kind !== 'class' && kind !== 'interface') yield* ['```ts', signature, '```', ''];
  else if (base) yield* [`Extends \`${base.trim()}\`.`, ''];
  for (const member of members) {
    const link = kind === 'class' && member.isCallable ? exampleLink(guide, member.name) : '';
    const declaration = member.signature.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/,? \)/g, ')');
    yield `- \`${declaration}\`  \n  ${markdownOf(member.doc).replace(/\n/g, '\n  ')}${link}`;
  }
  if (members.length > 0) yield '';
}

for (const [name, { title, guide, parts }] of Object.entries(pages)) {
  const link = `[${read(guide).split('\n')[0].replace(/^# /, '')}](${relative(folder, guide)})`;
  const lines = [
    `# ${title}`,
    '',
    `\`scripts/api-reference.mjs\` generates this page from the docstrings. ${link} shows the use, with examples that the tests run.`,
    '',
  ];
  for (const { heading, about, symbols } of parts) {
    const names = symbols.map((symbol) => `[\`${symbol.name}\`](#${anchorOf(symbol.name)})`).join(', ');
    lines.push(`## ${heading}`, '', about, '', names, '');
    for (const symbol of symbols) lines.push(...sectionOf(symbol, guide));
  }
  const text = lines.join('\n');
  const target = join(folder, name);
  if (!process.argv.includes('--check')) writeFileSync(join(root, target), text);
  else if (read(target) !== text) {
    console.error(`${target} is not up to date: run \`node scripts/api-reference.mjs\``);
    process.exitCode = 1;
  }
}
