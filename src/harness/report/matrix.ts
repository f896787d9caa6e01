// Writes results as an HTML matrix. It has one row per instruction, and the columns are executors,
// machines or forms.

import { getOrInsert } from '../../base/maps.ts';
import { escapeXml } from './escape.ts';

export interface MatrixCell {
  readonly status: 'pass' | 'fail' | 'error' | 'unsupported' | 'skipped';
  /** The text in the cell, after the sign. */
  readonly text?: string;
  /** The tooltip. */
  readonly title: string;
  /** The link to the details on the page. */
  readonly href?: string;
}

/**
 * The sign of each status. Each status has its own sign, so that color is never the only
 * distinction.
 */
export const statusSigns: Readonly<Record<MatrixCell['status'], string>> = {
  pass: '✓',
  fail: '✗',
  error: '!',
  unsupported: '–',
  skipped: '○',
};

/** The legend of the signs. */
export const signsText = Object.entries(statusSigns)
  .map(([status, sign]) => `${sign} ${status}`)
  .join(' · ');

export const matrixStyle = `
.matrix { width: auto; }
.matrix td { text-align: center; padding: 0.1rem 0.4rem; }
.matrix td.text { text-align: left; }
.matrix td.pass { background: var(--good-back); }
.matrix td.fail, .matrix td.error { background: var(--bad-back); color: var(--bad); font-weight: 700; }
.matrix td.skipped, .matrix td.unsupported { color: var(--quiet); }
.matrix.texts th { text-align: left; }
.matrix tr.marked { background: var(--panel); }
.matrix tr.marked td { font-weight: 700; }
.matrix td a { color: inherit; }
.matrix thead th.turned span { writing-mode: vertical-rl; transform: rotate(180deg); }
.matrix thead th { vertical-align: bottom; }
`;

/**
 * Returns a table. `cellOf` returns undefined for an empty cell. If `turned` is true, the headings
 * are rotated.
 */
export function matrixTable(
  rows: readonly string[],
  columns: readonly string[],
  cellOf: (row: string, column: string) => MatrixCell | undefined,
  { turned = false, corner = 'instruction', label = 'Results' } = {},
): string {
  const head = columns
    .map((column) => `<th scope="col"${turned ? ' class="turned"' : ''}><span>${escapeXml(column)}</span></th>`)
    .join('');
  const body = rows.map((row) => {
    const cells = columns.map((column) => cellText(cellOf(row, column))).join('');
    return `<tr><th scope="row">${escapeXml(row)}</th>${cells}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeXml(label)}"><table class="matrix"><thead><tr><th scope="col">${escapeXml(corner)}</th>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}

/** Returns a table of texts, with a heading for each column. `marked` rows are highlighted. */
export function textTable(
  columns: readonly string[],
  rows: readonly { readonly cells: readonly string[]; readonly marked?: boolean }[],
  label: string,
): string {
  const head = columns.map((column) => `<th scope="col">${escapeXml(column)}</th>`).join('');
  const body = rows.map(({ cells: [name = '', ...cells], marked }) => {
    const own = cells.map((cell) => `<td class="text">${escapeXml(cell)}</td>`).join('');
    return `<tr${marked ? ' class="marked"' : ''}><th scope="row">${escapeXml(name)}</th>${own}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeXml(label)}"><table class="matrix texts"><thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}

/**
 * Returns the matrix of suites, instruction by form, from the ids of the suites. Returns '' if an
 * id has no form, as in case files.
 */
export function formMatrix(cells: readonly (readonly [id: string, cell: MatrixCell])[], label: string): string {
  const places = cells.map(([id, cell]) => ({ cell, ...splitSuiteId(id) }));
  if (places.some(({ form }) => form === '')) return '';
  const instructions = [...new Set(places.map(({ instruction }) => instruction))];
  const forms = [...new Set(places.map(({ form }) => form))];
  // Ids that are not suites would produce an almost empty table.
  if (instructions.length * forms.length > maxEmptiness * places.length) return '';
  const byPlace = new Map<string, Map<string, MatrixCell>>();
  for (const { instruction, form, cell } of places) {
    const row = getOrInsert(byPlace, instruction, () => new Map<string, MatrixCell>());
    const known = row.get(form);
    if (known === undefined || severity.indexOf(cell.status) < severity.indexOf(known.status)) row.set(form, cell);
  }
  return matrixTable(instructions, forms, (instruction, form) => byPlace.get(instruction)?.get(form), {
    turned: true,
    label,
  });
}

/**
 * The maximum ratio of all cells to nonempty cells. In the table of a validation, the ratio is
 * about six.
 */
const maxEmptiness = 100;
/** The statuses, the most severe first. If a cell has two results, the more severe is shown. */
const severity: readonly MatrixCell['status'][] = ['fail', 'error', 'unsupported', 'pass', 'skipped'];

function cellText(cell: MatrixCell | undefined): string {
  if (!cell) return '<td></td>';
  const text = [statusSigns[cell.status], ...(cell.text === undefined ? [] : [escapeXml(cell.text)])].join(' ');
  const content = cell.href === undefined ? text : `<a href="${escapeXml(cell.href)}">${text}</a>`;
  return `<td class="${cell.status}" title="${escapeXml(cell.title)}">${content}</td>`;
}

/** Splits a suite's id, `row:modifiers:form` or `row:form`, into the instruction and the form. */
export function splitSuiteId(id: string): { readonly instruction: string; readonly form: string } {
  const parts = id.split(':');
  return {
    instruction: parts.slice(0, -1).join(' ') || id,
    form: parts.length > 1 ? (parts[parts.length - 1] ?? '') : '',
  };
}
