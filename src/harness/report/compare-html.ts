// Writes the changes between two campaigns as one self-contained page.

import { hasWorsened, type MachineChange, type SpeedChange, type SuiteChange } from '../runs/compare-campaigns.ts';
import { escapeXml } from './escape.ts';
import { matrixStyle, textTable } from './matrix.ts';
import { htmlPage } from './page.ts';

/** Returns the page. `command` is the command line that wrote the page. */
export function compareHtmlDocument(command: string, changes: readonly MachineChange[]): string {
  return htmlPage(
    `Lanewise: changes on ${changes.length} machines`,
    matrixStyle,
    `<h1>Changes on ${changes.length} machines</h1>
<p class="verdict">${hasWorsened(changes) ? 'Something that passed before does not pass now.' : 'Everything that passed before passes now.'}</p>
<pre>${escapeXml(command)}</pre>
${changes.map(section).join('\n')}`,
  );
}

/**
 * Returns a line such as `GPU: 3 suites broken, 1 fixed, 2 still not passing, 160 pass as before`.
 */
export function changeLine({ machine, before, after, ...change }: MachineChange): string {
  if (!before) return `${machine}: only in the later campaign`;
  if (!after) return `${machine}: only in the earlier campaign`;
  const { broken, mended, stillBad, good, uncompared } = change;
  const parts = [
    `${broken.length} suites broken`,
    `${mended.length} fixed`,
    `${stillBad.length} still not passing`,
    `${good} pass as before`,
    ...(uncompared > 0 ? [`${uncompared} in one campaign only`] : []),
  ];
  return `${machine}: ${parts.join(', ')}`;
}

/** Returns a text such as `12.3 % faster`. */
export function speedText({ ratio }: SpeedChange): string {
  return `${Math.abs((ratio - 1) * 100).toFixed(1)} % ${ratio < 1 ? 'slower' : 'faster'}`;
}

function section(change: MachineChange): string {
  const { machine, traits, broken, mended, stillBad, observed, speed } = change;
  const apart = speed.filter(({ isApart }) => isApart);
  const changed = ['', 'before', 'after'];
  const parts: (readonly [title: string, table: string])[] = [
    ['Properties of the machine', rowsOf(changed, traits, ({ trait, before, after }) => [trait, before, after])],
    ['Broken', suiteTable(broken)],
    ['Fixed', suiteTable(mended)],
    ['Still not passing', suiteTable(stillBad)],
    ['Undefined lanes', rowsOf(changed, observed, ({ name, before, after }) => [name, before, after])],
    ['Speed, if the sample ranges do not overlap', rowsOf(['', ''], apart, (one) => [one.id, speedText(one)])],
  ];
  const tables = parts.flatMap(([title, table]) => (table === '' ? [] : [`<h3>${escapeXml(title)}</h3>\n${table}`]));
  return `<h2>${escapeXml(machine)}</h2>\n<p>${escapeXml(changeLine(change))}</p>\n${tables.join('\n')}`;
}

const suiteTable = (suites: readonly SuiteChange[]): string =>
  rowsOf(['suite', 'before', 'after', ''], suites, ({ id, before, after, detail }) => [id, before, after, detail]);

function rowsOf<Item>(columns: readonly string[], items: readonly Item[], cellsOf: (item: Item) => string[]): string {
  if (items.length === 0) return '';
  return textTable(
    columns,
    items.map((item) => ({ cells: cellsOf(item) })),
    columns[0] || 'Changes',
  );
}
