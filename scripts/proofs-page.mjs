// Writes the tables of docs/proofs.md from docs/results/proofs.json. With --record it first updates
// that file from the verdicts of the last runs. With --check it writes nothing, and fails if the
// page is out of date.
//
//     npm run prove && npm run prove:faults && node scripts/proofs-page.mjs --record

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrapped } from './wrapped.mjs';

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const results = pathOf('docs/results/proofs.json');
const page = pathOf('docs/proofs.md');
const begin = '<!-- proofs:begin, made by scripts/proofs-page.mjs -->';
const end = '<!-- proofs:end -->';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Returns a record of the verdicts of files, in which verdicts of the last runs replace older ones. */
function record() {
  const folder = pathOf('reports/proofs/');
  const { version } = read(pathOf('node_modules/z3-solver/package.json'));
  const { files, rules, mutants } = read(results);
  const inFile = groupsBy('file', [...rules, ...mutants]);
  for (const name of readdirSync(folder).sort()) {
    const file = name.replace('.json', '');
    const { commit, start, end, ms, cores, records } = read(folder + name);
    const [date, seconds] = [new Date(end).toISOString().slice(0, 10), Math.round(ms / 1000)];
    files[file] = { commit, date, start, end, seconds, cores };
    inFile.set(
      file,
      records.map((each) => ({ file, ...each })),
    );
  }
  const document = {
    what: 'verdicts on the WGSL of each instruction and on rules of the compiler, for all operands',
    command: 'npm run prove; npm run prove:faults',
    solver: `z3-solver ${version}`,
    files,
  };
  // One line for each rule.
  const lines = (areMutants) =>
    [...inFile]
      .filter(([file]) => file.startsWith('mutants') === areMutants)
      .flatMap(([, list]) => list.map((each) => `    ${JSON.stringify(each)}`))
      .join(',\n');
  const head = JSON.stringify(document, null, 2).replace(/\n}$/, '');
  writeFileSync(results, `${head},\n  "rules": [\n${lines(false)}\n  ],\n  "mutants": [\n${lines(true)}\n  ]\n}\n`);
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

/** For each operation, the numbers of claims about its results, and the method. */
function addressTable(rules) {
  const facts = ['value', 'level', 'interval', 'index'];
  const cell = (rule) => (rule === undefined ? '' : `${rule.claims}, ${wordsOf(rule)}`);
  return [
    `| operation | ${facts.join(' | ')} |`,
    `|---|${facts.map(() => '---|').join('')}`,
    ...[...byRow(rules)].map(([row, list]) => {
      const cells = facts.map((fact) => cell(list.find(({ rule }) => rule === `${row}: ${fact}`)));
      return `| \`${row}\` | ${cells.join(' | ')} |`;
    }),
  ];
}

function controlTable(rules) {
  const plans = [...groupsBy('row', rules).keys()];
  return [
    `| kernel | ${plans.join(' | ')} |`,
    `|---|${plans.map(() => '---|').join('')}`,
    ...[...groupsBy('rule', rules)].map(([name, list]) => {
      const found = plans.map((plan) => list.find(({ row }) => row === plan));
      // Absent: the WGSL for the plan has no active masks.
      return `| \`${name}\` | ${found.map((rule) => (rule === undefined ? '' : wordsOf(rule))).join(' | ')} |`;
    }),
  ];
}

/** Returns the lines of a section; none if the record has no verdicts for it. */
const section = (rules, lines) => (rules.length === 0 ? [] : [...lines(), '']);

function groupsBy(key, list) {
  const groups = new Map();
  for (const each of list) groups.set(each[key], [...(groups.get(each[key]) ?? []), each]); // Absent: the first one.
  return groups;
}
const byRow = (rules) => groupsBy('row', rules);

const isOfMasks = (plan) => plan.startsWith('masks: ');

/** The outcomes of the changes of shaders. */
function mutantTable(mutants) {
  const outcomes = ['refuted', 'not confirmed', 'not decided', 'proved'];
  const groups = Object.entries({
    'lane instructions': (plan) => plan === '',
    'warp instructions': (plan) => !['', 'simplifier', 'addresses'].includes(plan) && !isOfMasks(plan),
    'active masks': isOfMasks,
    'rewrites of the simplifier': (plan) => plan === 'simplifier',
    'facts about addresses': (plan) => plan === 'addresses',
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

/** Describes the runs: the processor time, the time on the clock, and the commit of each group of files. */
function runs({ files, solver }) {
  const list = Object.entries(files).map(([name, file]) => ({ name, ...file, areFaults: name.startsWith('mutants') }));
  return [...groupsBy('commit', list)].flatMap(([commit, group]) => {
    const inRun = (areFaults) => group.filter((file) => file.areFaults === areFaults);
    return [false, true].flatMap((areFaults) => describe(inRun(areFaults), commit, areFaults));
  });

  function describe(group, commit, areFaults) {
    const [first] = group;
    if (first === undefined) return [];
    const command = areFaults ? 'npm run prove:faults' : 'npm run prove';
    const isAll = group.length === list.filter((file) => file.areFaults === areFaults).length;
    const names = isAll ? '' : ` of ${group.map(({ name }) => `\`${name}\``).join(', ')}`;
    const place = `on ${first.date} at commit \`${commit}\` (${solver}`;
    // Older records have no times.
    if (first.start === undefined) return [wrapped(`- \`${command}\`${names} ran ${place}).`)];
    const [start, end] = [Math.min(...group.map((file) => file.start)), Math.max(...group.map((file) => file.end))];
    return [
      wrapped(
        `- \`${command}\`${names} ran ${place}, ${first.cores} cores). Its processes used ${sumOf(group, 'seconds')} s of processor time (user and system) in ${Math.round((end - start) / 1000)} s.`,
      ),
    ];
  }
}

/** Why verdicts of earlier runs no longer count, with their files. */
function stale({ files }) {
  const groups = groupsBy(
    'stale',
    Object.entries(files).map(([name, { stale }]) => ({ name, stale })),
  );
  return [...groups]
    .filter(([reason]) => reason !== undefined)
    .map(([reason, list]) => wrapped(`- ${list.map(({ name }) => `\`${name}\``).join(', ')}: ${reason}`));
}

function tables() {
  const document = read(results);
  const { rules, mutants } = document;
  const isOf =
    (...plans) =>
    ({ plan }) =>
      plans.includes(plan);
  const others = ['', 'constant', 'simplifier', 'addresses', 'quanta', 'control'];
  const [lane, constants, rewrites, addresses, quanta, control] = others.map((plan) => rules.filter(isOf(plan)));
  const warp = rules.filter((rule) => !isOf(...others)(rule));
  const withEffect = mutants.filter(({ outcome }) => outcome !== 'proved');
  const refuted = withEffect.filter(({ outcome }) => outcome === 'refuted');
  const share = (list) => `${list.filter(isProved).length} of ${list.length}`;
  return [
    '## Results',
    '',
    wrapped(
      `[The record](results/proofs.json) contains proofs of ${share(lane)} forms of lane instructions for all operands, and of ${share(warp)} warp instructions by lane plan. No proof found operands with a wrong result. Not proved: ${reasons(rules)}.`,
    ),
    '',
    ...runs(document),
    ...stale(document),
    '',
    '### Warp instructions',
    '',
    ...warpTable(warp),
    '',
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
    ...section(addresses, () => [
      '### Affine forms of addresses',
      '',
      wrapped(
        `${share(addresses)} rules are proved. A rule is an operation, and a fact about its result: its value, its level, its interval, or the index that replaces it. The rules stand for ${sumOf(addresses, 'claims')} claims about types, constants and ranges.`,
      ),
      '',
      ...addressTable(addresses),
    ]),
    ...section(quanta, () => [
      '### Quanta of floats',
      '',
      '| rule | proved by |',
      '|---|---|',
      ...quanta.map((rule) => `| ${rule.rule} | ${wordsOf(rule)} |`),
    ]),
    ...section(control, () => [
      '### Active masks of structured kernels',
      '',
      wrapped(
        `${share(control)} kernels by lane plan are proved for all conditions in all lanes. Each loop has two iterations.`,
      ),
      '',
      ...controlTable(control),
    ]),
    '### Changed shaders, rewrites and facts',
    '',
    wrapped(
      `Proofs show that ${mutants.length - withEffect.length} of ${mutants.length} changes have no effect. They refute ${refuted.length} of the other ${withEffect.length} (${((100 * refuted.length) / withEffect.length).toFixed(1)} %), with operands that the test interpreter confirms. For rewrites and facts about addresses, the constant folding of the compiler confirms them. The record lists each change.`,
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
