// Results as an HTML matrix: an instruction a row, and what it is compared across as columns.
import { escapeXml } from './report-junit.ts';

export interface MatrixCell {
  readonly status: 'pass' | 'fail' | 'error' | 'unsupported' | 'skipped';
  /// In the cell, beside the sign.
  readonly text?: string;
  /// Told when pointed at.
  readonly title: string;
}

/// Each status has a sign of its own: colour says nothing alone.
export const statusSigns: Readonly<Record<MatrixCell['status'], string>> = {
  pass: '✓',
  fail: '✗',
  error: '!',
  unsupported: '–',
  skipped: '○',
};

export const matrixStyle = `
.matrix-scroll { overflow-x: auto; }
.matrix { width: auto; }
.matrix td { text-align: center; padding: 0.1rem 0.4rem; }
.matrix td.text { text-align: left; }
.matrix td.pass { background: #2a92; }
.matrix td.fail, .matrix td.error { background: #d334; font-weight: 700; }
.matrix td.skipped, .matrix td.unsupported { opacity: 0.65; }
.matrix thead th.turned span { writing-mode: vertical-rl; transform: rotate(180deg); }
.matrix thead th { vertical-align: bottom; }
`;

/// `cellOf` gives undefined where there is nothing. `turned` writes the headings upwards.
export function matrixTable(
  rows: readonly string[],
  columns: readonly string[],
  cellOf: (row: string, column: string) => MatrixCell | undefined,
  { turned = false, corner = 'instruction' } = {},
): string {
  const head = columns
    .map((column) => `<th scope="col"${turned ? ' class="turned"' : ''}><span>${escapeXml(column)}</span></th>`)
    .join('');
  const body = rows.map((row) => {
    const cells = columns.map((column) => cellText(cellOf(row, column))).join('');
    return `<tr><th scope="row">${escapeXml(row)}</th>${cells}</tr>`;
  });
  return `<div class="matrix-scroll"><table class="matrix"><thead><tr><th scope="col">${escapeXml(corner)}</th>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}

function cellText(cell: MatrixCell | undefined): string {
  if (!cell) return '<td></td>';
  const text = [statusSigns[cell.status], ...(cell.text === undefined ? [] : [escapeXml(cell.text)])].join(' ');
  return `<td class="${cell.status}" title="${escapeXml(cell.title)}">${text}</td>`;
}

/// A suite's id is `row:modifiers:form`, or `row:form`: the instruction, and the form.
export function splitSuiteId(id: string): { readonly instruction: string; readonly form: string } {
  const parts = id.split(':');
  return {
    instruction: parts.slice(0, -1).join(' ') || id,
    form: parts.length > 1 ? (parts[parts.length - 1] ?? '') : '',
  };
}
