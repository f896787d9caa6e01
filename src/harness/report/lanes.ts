// Writes the lanes of failed cases as HTML tables.
import { type CaseRun, groupRuns, laneTable, type TableCell } from '../compare/lane-table.ts';
import { escapeXml } from './escape.ts';

export const laneTableStyle = `
.case { margin: 0.75rem 0; min-width: 0; }
.lanes { width: auto; }
.lanes caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
.lanes { font-size: 12px; }
.lanes th, .lanes td { padding: 0.1rem 0.45rem; }
.lanes thead th { vertical-align: bottom; }
.lanes td { font-family: ui-monospace, monospace; white-space: nowrap; }
.lanes tr.differs { background: var(--bad-back); }
.lanes td.differs { color: var(--bad); font-weight: 700; }
.lanes td.undefined { color: var(--quiet); font-style: italic; }
`;

/**
 * Returns one table per case, under the instruction in PTX. Runs of the same case share a table.
 */
export function laneTables(runs: readonly CaseRun[]): string {
  return groupRuns(runs).map(caseTable).join('\n');
}

function caseTable([first, ...others]: readonly CaseRun[]): string {
  if (!first) return '';
  const { failing } = first;
  const { caption, columns, rows } = laneTable([first, ...others]);
  const on = [first, ...others].map((run) => run.on).join(', ');
  const head = columns.map((column) => `<th scope="col">${escapeXml(column)}</th>`).join('');
  const body = rows.map(({ differs, cells: [lane, ...cells] }) => {
    const row = [`<th scope="row">${escapeXml(lane?.text ?? '')}</th>`, ...cells.map(cellText)].join('');
    return `<tr${differs ? ' class="differs"' : ''}>${row}</tr>`;
  });
  return `<div class="case">
<pre>${escapeXml(failing.instruction)}</pre>
<div class="scroll" tabindex="0" role="region" aria-label="${escapeXml(`Lanes of ${failing.case} on ${on}`)}">
<table class="lanes"><caption>${escapeXml(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div></div>`;
}

function cellText({ text, verdict }: TableCell): string {
  const style = verdict === undefined || verdict === 'agrees' ? '' : ` class="${verdict}"`;
  return `<td${style}>${escapeXml(text)}</td>`;
}
