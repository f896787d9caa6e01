// Shows the lanes of failed cases in the same way as reports of the command line.
import { type CaseLanes, laneTable } from '../../src/harness/compare/lane-table.ts';
import { el } from '../dom.ts';

/** Returns one table for each case, below the PTX line of the case. */
export function caseTables(cases: readonly CaseLanes[]): HTMLElement[] {
  return cases.map((failing) => {
    const { caption, columns, rows } = laneTable([{ on: '', failing }]);
    const head = el('tr', {}, ...columns.map((column) => el('th', { scope: 'col' }, column)));
    const body = rows.map(({ differs, cells: [lane, ...cells] }) =>
      el(
        'tr',
        { class: differs ? 'differs' : undefined },
        el('th', { scope: 'row' }, lane?.text),
        ...cells.map(({ text, verdict }) => el('td', { class: verdict === 'agrees' ? undefined : verdict }, text)),
      ),
    );
    const table = el('table', { class: 'lanes failing' }, el('caption', {}, caption), el('thead', {}, head));
    table.append(el('tbody', {}, ...body));
    const label = `Lanes of ${failing.case}`;
    return el(
      'div',
      {},
      el('pre', { tabindex: 0 }, failing.instruction),
      el('div', { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': label }, table),
    );
  });
}
