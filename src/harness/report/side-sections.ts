// Writes the sections of a page that compares several machines: traits that the differences have in
// common, values of undefined lanes, and speed.

import { rateText } from '../../base/rate.ts';
import { becauseText, type Difference, differencesOf } from '../runs/differences.ts';
import { traitNames } from '../runs/machine-traits.ts';
import { type Machine, worstOf } from '../runs/merge-results.ts';
import { meanSpeeds, observedRows, observedText, speedRows } from '../runs/side-by-side.ts';
import { escapeXml } from './escape.ts';
import { type MatrixCell, matrixTable, textTable } from './matrix.ts';

/** The maximum number of names in a cell. The cell also states the number of omitted names. */
const maxNames = 8;
/** The maximum number of rows in a table of suites by trait. */
const maxRows = 100;

/** Returns the section about suites that did not pass; '' if every suite passed. */
export function differenceSections(machines: readonly Machine[]): string {
  const differences = differencesOf(machines);
  if (differences.length === 0) return '';
  const table = textTable(
    ['suites', 'did not pass on', 'passed on', 'only where they did not pass'],
    differences.map((difference) => ({
      cells: [
        some(difference.suites),
        some(difference.failing),
        difference.passing.length === 0 ? 'none' : some(difference.passing),
        becauseText(difference),
      ],
    })),
    'Suites that did not pass, by machines',
  );
  return `<h2>Common traits of differences</h2>\n${table}\n${traitSections(machines, differences)}`;
}

/** Returns tables of suites that did not pass, by each trait whose value several machines share. */
function traitSections(machines: readonly Machine[], differences: readonly Difference[]): string {
  const suites = differences.flatMap(({ suites: own }) => own).slice(0, maxRows);
  return traitNames
    .flatMap((trait) => {
      const values = [...new Set(machines.map(({ traits }) => traits.get(trait) ?? 'unknown'))];
      if (values.length < 2 || values.length === machines.length) return [];
      const cellOf = (id: string, value: string): MatrixCell | undefined =>
        shareCell(
          id,
          machines.filter(({ traits }) => (traits.get(trait) ?? 'unknown') === value),
        );
      const table = matrixTable(suites, values, cellOf, { corner: 'suite', label: `Suites by ${trait}` });
      return [`<details><summary>By ${escapeXml(trait)}</summary>\n${table}</details>`];
    })
    .join('\n');
}

/** Returns the cell with the most severe status of some machines, and the number that passed. */
function shareCell(id: string, machines: readonly Machine[]): MatrixCell | undefined {
  const worst = worstOf(machines.flatMap(({ results }) => results.get(id) ?? []));
  if (!worst) return undefined;
  const passed = machines.filter(({ results }) => worstOf(results.get(id) ?? [])?.status === 'pass').length;
  const text = `${passed} of ${machines.length}`;
  return { status: worst.status, text, title: `${id}: ${text} machines passed` };
}

/** Returns the section about undefined lanes; '' if none was observed. */
export function observedSection(machines: readonly Machine[]): string {
  const rows = observedRows(machines);
  if (rows.length === 0) return '';
  const table = textTable(
    ['lanes undefined by PTX', ...machines.map(({ name }) => name)],
    rows.map(({ name, values }) => {
      const texts = values.map((counts) => (counts ? observedText(counts) : ''));
      const different = new Set(texts.filter((text) => text !== ''));
      return { cells: [name, ...texts], marked: different.size > 1 };
    }),
    'Values of lanes that PTX leaves undefined',
  );
  return `<h2>Values of undefined lanes</h2>
<p>These are not failures. Rows in which machines differ are highlighted.</p>
${table}`;
}

/** Returns the section about speed; '' if nothing was measured. */
export function speedSection(machines: readonly Machine[]): string {
  const rows = speedRows(machines);
  if (rows.length === 0) return '';
  const software = machines.filter(({ facts }) =>
    facts.some(([name, value]) => name === 'software' && value === 'yes'),
  );
  const body = rows.map(({ name, values }) => {
    const fastest = Math.max(...values.map((rate) => rate?.median ?? 0));
    const cells = values.map((rate) =>
      rate === undefined ? '' : `${rateText(rate.median, rate.unit)} (${percent(rate.median / fastest)})`,
    );
    return { cells: [name, ...cells] };
  });
  const means = meanSpeeds(rows);
  const last = means
    ? [{ cells: [`geometric mean of ${means.entries}`, ...means.means.map(percent)], marked: true }]
    : [];
  const table = textTable(['', ...machines.map(({ name }) => name)], [...body, ...last], 'Speed by machine');
  const note =
    software.length === 0
      ? ''
      : `<p>Software adapters, whose rates do not predict those of a GPU: ${escapeXml(some(software.map(({ name }) => name)))}.</p>\n`;
  return `<h2>Speed</h2>
<p>Medians; in parentheses, the share of the fastest machine's rate.</p>
${note}${table}`;
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(0)} %`;

function some(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join('; ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}
