// Writes the tables of docs/proofs.md from docs/results/proofs.json. With --record it first makes
// that file from the verdicts of the last `npm run prove`. With --check it writes nothing, and fails
// if the page is out of date. If the file is edited to combine several runs, its field `runs`
// describes them.
//
//     npm run prove && node scripts/proofs-page.mjs --record

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { wrapped } from './wrapped.mjs';

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const results = pathOf('docs/results/proofs.json');
const page = pathOf('docs/proofs.md');
const begin = '<!-- proofs:begin, made by scripts/proofs-page.mjs -->';
const end = '<!-- proofs:end -->';

function record() {
  const folder = pathOf('reports/proofs/');
  const read = (file) => JSON.parse(readFileSync(folder + file, 'utf8'));
  const files = readdirSync(folder).sort();
  const areMutants = (file) => file.startsWith('mutants');
  const rules = files.filter((file) => !areMutants(file)).flatMap(read);
  const mutants = files.filter(areMutants).flatMap(read);
  const { version } = JSON.parse(readFileSync(pathOf('node_modules/z3-solver/package.json'), 'utf8'));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const [{ model }] = cpus();
  const document = {
    what: 'verdicts on the WGSL of each instruction, for all operands',
    command: 'npm run prove',
    date: new Date().toISOString().slice(0, 10),
    commit,
    solver: `z3-solver ${version}`,
    machine: { cpu: model, cores: cpus().length },
  };
  // One line for each rule.
  const lines = (list) => list.map((each) => `    ${JSON.stringify(each)}`).join(',\n');
  const head = JSON.stringify(document, null, 2).replace(/\n}$/, '');
  writeFileSync(results, `${head},\n  "rules": [\n${lines(rules)}\n  ],\n  "mutants": [\n${lines(mutants)}\n  ]\n}\n`);
}

const isProved = ({ verdict }) => verdict === 'proved';

/** Returns the verdict and its method in the words of the page. */
function wordsOf({ verdict, by }) {
  if (verdict !== 'proved') return verdict === 'refuted' ? '**wrong**' : 'not proved';
  return methods.get(by) ?? by;
}

/** The words for each method. Other methods, such as an induction, are their own words. */
const methods = new Map([
  ['diagrams', 'diagrams'],
  ['solver', 'Z3'],
]);

function warpTable(rules) {
  const plans = [...new Set(rules.map(({ plan }) => plan))];
  const names = [...new Set(rules.map(({ rule }) => rule))];
  const cell = (rule, plan) => {
    const found = rules.find((each) => each.rule === rule && each.plan === plan);
    return found === undefined ? '' : wordsOf(found);
  };
  return [
    `| instruction | ${plans.join(' | ')} |`,
    `|---|${plans.map(() => '---|').join('')}`,
    ...names.map((rule) => `| \`${rule}\` | ${plans.map((plan) => cell(rule, plan)).join(' | ')} |`),
  ];
}

function laneTable(rules) {
  const count = (forms, is) => String(forms.filter(is).length);
  return [
    '| instruction | forms | by diagrams | by Z3 | not proved |',
    '|---|---|---|---|---|',
    ...[...byRow(rules)].map(([row, forms]) => {
      const open = forms.filter((form) => !isProved(form)).map(({ rule }) => `\`${rule}\``);
      const counts = ['diagrams', 'solver'].map((by) => count(forms, (form) => isProved(form) && form.by === by));
      return `| \`${row}\` | ${forms.length} | ${counts.join(' | ')} | ${open.join(', ')} |`;
    }),
  ];
}

const sumOf = (list, key) => list.reduce((sum, each) => sum + each[key], 0);

function rewriteTable(rules) {
  return [
    '| operation | shapes | claims | by diagrams | with Z3 | not proved | example |',
    '|---|---|---|---|---|---|---|',
    ...[...byRow(rules)].map(([row, shapes]) => {
      const counts = ['diagrams', 'solver'].map(
        (by) => shapes.filter((each) => isProved(each) && each.by === by).length,
      );
      const open = shapes.filter((each) => !isProved(each)).length;
      const [{ rule }] = shapes.toSorted((a, b) => b.claims - a.claims);
      const cells = [
        `\`${row}\``,
        shapes.length,
        sumOf(shapes, 'claims'),
        ...counts,
        open,
        `\`${rule.replace('->', '→')}\``,
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ];
}

function byRow(rules) {
  const groups = new Map();
  for (const rule of rules) groups.set(rule.row, [...(groups.get(rule.row) ?? []), rule]); // Absent: the first one.
  return groups;
}

/** The outcomes of the changes of shaders. */
function mutantTable(mutants) {
  const outcomes = ['refuted', 'not confirmed', 'not decided', 'proved'];
  const groups = Object.entries({
    'lane instructions': (plan) => plan === '',
    'warp instructions': (plan) => plan !== '' && plan !== 'simplifier',
    'rewrites of the simplifier': (plan) => plan === 'simplifier',
  });
  const row = (name, list) =>
    `| ${name} | ${outcomes.map((outcome) => list.filter((each) => each.outcome === outcome).length).join(' | ')} |`;
  return [
    '| changes of | refuted and confirmed | refuted, not confirmed | not decided | proved: without effect |',
    '|---|---|---|---|---|',
    ...groups.map(([name, is]) =>
      row(
        name,
        mutants.filter(({ plan }) => is(plan)),
      ),
    ),
  ];
}

/** Why the rules without a proof have none, with the number of rules. */
function reasons(rules) {
  const counts = new Map();
  for (const { by } of rules.filter((rule) => !isProved(rule))) counts.set(by, (counts.get(by) ?? 0) + 1); // Absent: none yet.
  return [...counts].map(([reason, count]) => `${count} because of ${reason}`).join(', ');
}

function tables() {
  const { rules, mutants, runs, date, commit, solver, machine } = JSON.parse(readFileSync(results, 'utf8'));
  const warp = rules.filter(({ plan }) => !['', 'constant', 'simplifier'].includes(plan));
  const rewrites = rules.filter(({ plan }) => plan === 'simplifier');
  const lane = rules.filter(({ plan }) => plan === '');
  const constants = rules.filter(({ plan }) => plan === 'constant');
  const withEffect = mutants.filter(({ outcome }) => outcome !== 'proved');
  const refuted = withEffect.filter(({ outcome }) => outcome === 'refuted');
  const share = (list) => `${list.filter(isProved).length} of ${list.length}`;
  const seconds = Math.round(rules.reduce((sum, { ms }) => sum + ms, 0) / 1000);
  return [
    '## Results',
    '',
    wrapped(
      `The ${runs === undefined ? 'run' : 'record'} of ${date} (commit \`${commit}\`, ${solver}, ${machine.cores} cores) contains proofs of ${share(lane)} forms of lane instructions for all operands${warp.length > 0 ? `, and of ${share(warp)} warp instructions by lane plan` : ''}. No proof found operands with a wrong result. The times of the proofs add up to ${seconds} s. Not proved: ${reasons(rules)}.`,
    ),
    '',
    ...(runs === undefined
      ? []
      : ['The record is assembled from several runs:', '', ...runs.map((each) => wrapped(`- ${each}`)), '']),
    ...(warp.length > 0 ? ['### Warp instructions', '', ...warpTable(warp), ''] : []),
    '### Lane instructions',
    '',
    'Each form has its operands in registers. `lop3` is proved for each of its 256 tables.',
    '',
    ...laneTable(lane),
    '',
    '### Lane instructions with a constant',
    '',
    `The last operand of these forms is a constant. ${share(constants)} forms are proved for all other`,
    'operands and each of up to 23 constants. The simplifier rewrites many of them. Divisors are',
    'powers of two.',
    '',
    ...laneTable(constants),
    '',
    '### The simplifier',
    '',
    wrapped(
      `${share(rewrites)} shapes of rewrites are proved for all operands. A shape is an operation and the value that replaces it, without their constants and types. \`v0\` is any value. The shapes stand for ${sumOf(rewrites, 'claims')} claims about types and constants.`,
    ),
    '',
    ...rewriteTable(rewrites),
    '',
    '### Changed shaders and rewrites',
    '',
    wrapped(
      `Proofs show that ${mutants.length - withEffect.length} of ${mutants.length} changes have no effect. They refute ${refuted.length} of the other ${withEffect.length} (${((100 * refuted.length) / withEffect.length).toFixed(1)} %), with operands that the test interpreter confirms. For rewrites, the constant folding of the compiler confirms them. The record lists each change.`,
    ),
    '',
    ...mutantTable(mutants),
  ].join('\n');
}

if (process.argv.includes('--record')) record();
const text = readFileSync(page, 'utf8');
const updated = `${text.slice(0, text.indexOf(begin) + begin.length)}\n${tables()}\n${text.slice(text.indexOf(end))}`;
if (!process.argv.includes('--check')) writeFileSync(page, updated);
else if (updated !== text) {
  process.stderr.write('docs/proofs.md is out of date: run node scripts/proofs-page.mjs\n');
  process.exitCode = 1;
}
