// Writes docs/reference/cli.md from the definitions of the commands. With --check it writes
// nothing, and fails if the page is not up to date. The script needs a build; `cliPage` receives
// the Commander program from its caller.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const introduction = `# Command line

\`npx lanewise <command>\` works in a checkout and wherever the package is installed. This page is
generated from the definitions of the commands by \`scripts/cli-page.mjs\`; \`npx lanewise <command>
--help\` prints the same.

Executors need optional packages: \`puppeteer\` (Firefox, and Chrome if none is installed),
\`selenium-webdriver\` (WebDriver), \`webgpu\` (Dawn) and \`koffi\` (CUDA). Outside a checkout, name the
package on the command line: \`npx -p lanewise -p webgpu lanewise validate --on dawn\`.

## Exit codes

| code | meaning |
|---:|---|
| 0 | everything agrees, or \`run FILE --on cpu\` ran the kernel on the reference alone |
| 1 | a mismatch or a finding, or nothing was checked |
| 2 | bad usage, or PTX that is invalid or not supported |
| 3 | no browser or no adapter, or the system has no more files, memory or processes |
| 4 | a device was lost, or a launch exceeded its time limit |
| 130 | interrupted by Ctrl-C, after the browsers have closed |

If several things fail, each gets its own line, and the exit code is the worst one.

## Environment variables

| variable | meaning |
|---|---|
| \`CHROME_BIN\`, \`PUPPETEER_EXECUTABLE_PATH\` | the Chrome or Chromium to start, before any other that is found |
| \`LANEWISE_CACHE\` | the folder in which \`run\` caches adapter measurements for 30 days, the runtime keeps translations, and commands keep the PTX of \`.cu\` files; \`off\` disables all |
| \`NO_COLOR\` | disables colors |
`;

/** Escapes a text for a table. A vertical bar would end the cell. */
const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
const code = (text) => `\`${cell(text)}\``;

function* leaves(command, path) {
  const commands = command.commands.filter((child) => child.name() !== 'help');
  if (commands.length === 0) yield { command, path };
  for (const child of commands) yield* leaves(child, [...path, child.name()]);
}

/** Returns the texts that `addHelpText('after', …)` has added, which are notes and examples. */
function extrasOf(command) {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  const after = text.slice(command.helpInformation().length);
  return {
    notes: after.split(/^Examples?:/m)[0].trim(),
    examples: [...after.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line]) => line),
  };
}

function optionRow(option) {
  const { flags, description, defaultValue, defaultValueDescription, argChoices, mandatory } = option;
  const known =
    defaultValueDescription ?? (defaultValue === undefined || defaultValue === false ? '' : String(defaultValue));
  const notes = [
    mandatory ? 'required' : '',
    argChoices ? `one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}` : '',
    known === '' || /\(default:/.test(description) ? '' : `default: \`${known}\``,
  ].filter((note) => note !== '');
  return `| ${code(flags)} | ${cell(description)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`} |`;
}

function section({ command, path }) {
  const lines = [`## ${path.join(' ')}`, '', `\`${['lanewise', ...path, command.usage()].join(' ')}\``, ''];
  lines.push(`${sentence(command.description())}`, '');
  if (command.registeredArguments.length > 0) {
    lines.push('| argument | |', '|---|---|');
    for (const argument of command.registeredArguments)
      lines.push(
        `| ${code(argument.name())}${argument.variadic ? ', one or more' : ''} | ${cell(argument.description)} |`,
      );
    lines.push('');
  }
  if (command.options.length > 0) {
    lines.push('| option | |', '|---|---|', ...command.options.map(optionRow), '');
  }
  const { notes, examples } = extrasOf(command);
  if (notes !== '') lines.push('```text', notes, '```', '');
  if (examples.length > 0)
    lines.push('```sh', ...examples.map((line) => line.replace(/(^|\| )lanewise /, '$1npx lanewise ')), '```', '');
  return lines;
}

function sentence(text) {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return first.endsWith('.') ? first : `${first}.`;
}

/** Returns the page for the Commander program that `createProgram` returns. */
export function cliPage(program) {
  const all = [...leaves(program, [])];
  const names = all.map(({ path }) => `[\`${path.join(' ')}\`](#${path.join('-')})`);
  return [introduction, '## Commands', '', `${names.join(', ')}.`, '', ...all.flatMap(section)].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { createProgram } = await import(new URL('../dist/cli/main.js', import.meta.url).href);
  const target = fileURLToPath(new URL('../docs/reference/cli.md', import.meta.url));
  const silent = { out: () => undefined, err: () => undefined };
  const page = cliPage(createProgram(silent, async () => undefined));
  if (!process.argv.includes('--check')) writeFileSync(target, page);
  else if (readFileSync(target, 'utf8') !== page) {
    process.stderr.write('docs/reference/cli.md is not up to date: run node scripts/cli-page.mjs\n');
    process.exitCode = 1;
  }
}
