// Writes the results of several machines as one self-contained page.
import { groupBy } from '../../base/group-by.ts';
import { differencesOf } from '../runs/differences.ts';
import {
  anyFailed,
  type Machine,
  type MachineResult,
  resultsOf,
  suiteIds,
  type UnevenSuite,
  unevenSuites,
  worstOf,
} from '../runs/merge-results.ts';
import { escapeXml, wellFormed } from './escape.ts';
import { laneTableStyle, laneTables } from './lanes.ts';
import { formMatrix, type MatrixCell, matrixStyle, matrixTable, signsText, splitSuiteId, textTable } from './matrix.ts';
import { htmlPage } from './page.ts';
import { differenceSections, observedSection, speedSection } from './side-sections.ts';
import { grouped } from './text.ts';

/** Returns the page. `command` is the command line that wrote the page. */
export function mergeHtmlDocument(command: string, machines: readonly Machine[]): string {
  const names = machines.map(({ name }) => name);
  const byName = new Map(machines.map((machine) => [machine.name, machine]));
  const ids = suiteIds(machines);
  const instructions = [...new Set(ids.map((id) => splitSuiteId(id).instruction))];
  const byInstruction = new Map(
    machines.map((machine) => [machine.name, groupBy(resultsOf(machine), ({ id }) => splitSuiteId(id).instruction)]),
  );
  const overview = matrixTable(
    instructions,
    names,
    (instruction, name) => summaryCell(byInstruction.get(name)?.get(instruction) ?? []),
    { label: 'Instructions by machine' },
  );
  const forms = machines.map(formSection).filter((section) => section !== '');
  const uneven = unevenSuites(machines);
  const shown = shownSuites(uneven, machines);
  const differences = matrixTable(
    shown,
    names,
    (id, name) => {
      const result = worstOf(byName.get(name)?.results.get(id) ?? []);
      return result && resultCell(result);
    },
    { corner: 'suite', label: 'Suites that did not pass everywhere, by machine' },
  );
  return htmlPage(
    `Lanewise: results of ${machines.length} machines`,
    matrixStyle + laneTableStyle + sideStyle,
    `<h1>Results of ${machines.length} machines</h1>
<p class="verdict">${escapeXml(verdictOf(machines))}</p>
<pre>${escapeXml(command)}</pre>
<h2>Machines</h2>
${machineTable(machines)}
<h2>Instructions</h2>
<p>${signsText}; the number counts the compared lane results.</p>
${overview}
${differenceSections(machines)}
${observedSection(machines)}
${speedSection(machines)}
${uneven.length === 0 ? '' : `<h2>Suites that did not pass everywhere</h2>\n${restText(uneven.length - shown.length)}${differences}\n${shown.map((id) => details(id, machines)).join('\n')}`}
${forms.length === 0 ? '' : `<h2>Instructions by form</h2>\n${forms.join('\n')}`}`,
  );
}

/**
 * The maximum number of rows in the table of suites that did not pass everywhere. Each row has a
 * cell for every machine.
 */
const maxSuites = 1_000;

/**
 * Returns the suites of the table of suites that did not pass everywhere. Suites that failed on a
 * machine precede suites that are missing or skipped on a machine.
 */
function shownSuites(uneven: readonly UnevenSuite[], machines: readonly Machine[]): string[] {
  const ids = uneven.map(({ id }) => id);
  if (ids.length <= maxSuites) return ids;
  const failed = new Set(differencesOf(machines).flatMap(({ suites }) => suites));
  return [...ids.filter((id) => failed.has(id)), ...ids.filter((id) => !failed.has(id))].slice(0, maxSuites);
}

function restText(more: number): string {
  return more === 0 ? '' : `<p>The document of <code>--json</code> contains ${grouped(more)} more.</p>\n`;
}

/** Returns a line that summarizes the results of all machines. */
export function verdictOf(machines: readonly Machine[]): string {
  const all = machines.flatMap(resultsOf);
  const compared = all.reduce((sum, result) => sum + result.compared, 0);
  if (compared === 0) return 'Nothing was checked.';
  const bad = unevenSuites(machines).length;
  return anyFailed(machines)
    ? `${bad} of ${suiteIds(machines).length} suites did not pass everywhere.`
    : `All ${grouped(compared)} lane results of ${machines.length} machines agree with the reference.`;
}

/**
 * Returns the anchor of a suite on the page. A lone surrogate becomes U+FFFD, because a URL cannot
 * contain it.
 */
function anchor(id: string): string {
  return encodeURIComponent(wellFormed(id));
}

/** Returns the cell of one suite on one machine, with a link to its details. */
function resultCell({ id, status, compared, mismatches, detail }: MachineResult): MatrixCell {
  const counts = `${grouped(compared)} lane results compared, ${grouped(mismatches)} mismatches`;
  const title = [`${id}: ${status}`, counts, detail].filter((text) => text !== '').join('\n');
  return { status, title, ...(detail === '' || status === 'pass' ? {} : { href: `#${anchor(id)}` }) };
}

/** Returns a cell with the most severe status among an instruction's forms. */
function summaryCell(results: readonly MachineResult[]): MatrixCell | undefined {
  if (results.length === 0) return undefined;
  const sum = (key: 'compared' | 'mismatches'): number => results.reduce((total, result) => total + result[key], 0);
  const title = `${results.length} suites, ${grouped(sum('compared'))} lane results, ${grouped(sum('mismatches'))} mismatches`;
  return { status: worstOf(results)?.status ?? 'skipped', text: grouped(sum('compared')), title };
}

/**
 * Returns a table with a row for each machine, and a column for each property that at least one
 * machine has.
 */
function machineTable(machines: readonly Machine[]): string {
  const facts = [...new Set(machines.flatMap((machine) => machine.facts.map(([name]) => name)))];
  const rows = machines.map((machine) => {
    const values = new Map(machine.facts);
    return { cells: [machine.name, machine.file, ...facts.map((name) => values.get(name) ?? '')] };
  });
  return textTable(['', 'file', ...facts], rows, 'Machines');
}

function formSection(machine: Machine): string {
  const { name } = machine;
  const forms = formMatrix(
    resultsOf(machine).map((result) => [result.id, resultCell(result)]),
    `Instructions by form on ${name}`,
  );
  return forms === '' ? '' : `<details><summary>${escapeXml(name)}</summary>\n<p>${signsText}</p>\n${forms}</details>`;
}

/**
 * Returns the details of a suite. If machines fail the same case, which is usual with one seed,
 * they share the table of the case.
 */
function details(id: string, machines: readonly Machine[]): string {
  const parts = machines.flatMap(({ name, results }) =>
    (results.get(id) ?? []).flatMap(({ detail }) =>
      detail === '' ? [] : [`<div><h4>${escapeXml(name)}</h4>\n<pre>${escapeXml(detail)}</pre></div>`],
    ),
  );
  if (parts.length === 0) return '';
  const runs = machines.flatMap(({ name, results }) =>
    (results.get(id) ?? []).flatMap(({ lanes }) => lanes.map((failing) => ({ on: name, failing }))),
  );
  return `<h3 id="${anchor(id)}">${escapeXml(id)}</h3>
<div class="machines">${parts.join('\n')}</div>
${laneTables(runs)}`;
}

const sideStyle = `
.machines { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.machines > div { min-width: 0; max-width: 100%; }
`;
