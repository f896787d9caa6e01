// Writes results as one self-contained page.

import { hasFailed, type Result, totals } from '../runs/results.ts';
import { escapeXml, wellFormed } from './escape.ts';
import type { ToolRecord } from './json.ts';
import { laneTableStyle, laneTables } from './lanes.ts';
import { formMatrix, type MatrixCell, matrixStyle, signsText, statusSigns } from './matrix.ts';
import { htmlPage } from './page.ts';
import { describeExecutor, describeFirst, grouped } from './text.ts';

/**
 * Returns the page. `command` is the command line that produced the results, and can reproduce
 * them.
 */
export function htmlDocument(tool: ToolRecord, command: string, results: readonly Result[]): string {
  const executors = [...new Map(results.map(({ executor }) => [executor.name, executor])).values()];
  const sums = totals(results);
  const bad = results.filter(hasFailed);
  const verdict =
    bad.length === 0 && sums.compared > 0
      ? `All ${grouped(sums.compared)} lane results agree with the reference.`
      : `${grouped(sums.mismatches)} mismatches; ${bad.length} of ${results.length} suites did not pass.`;
  const sections = executors.map(
    (executor) => `<h2>${escapeXml(executor.name)}</h2>
<p>${escapeXml(describeExecutor(executor))}</p>
${matrixOf(
  results.filter((result) => result.executor.name === executor.name),
  executor.name,
)}
<details><summary>Every suite</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Every suite on ${escapeXml(executor.name)}"><table><thead><tr>${suiteColumns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>
${results
  .filter((result) => result.executor.name === executor.name)
  .map(tableRow)
  .join('\n')}
</tbody></table></div>
</details>`,
  );
  return htmlPage(
    'Lanewise results',
    matrixStyle + laneTableStyle,
    `<h1>Lanewise results</h1>
<p class="verdict">${escapeXml(verdict)}</p>
<p>${escapeXml(`${tool.name} ${tool.version}, Node ${tool.node}, ${tool.platform}`)}</p>
<pre>${escapeXml(command)}</pre>
${sections.join('\n')}
${bad.length > 0 ? `<h2>Failures</h2>\n${bad.map(failure).join('\n')}` : ''}`,
  );
}

const suiteColumns = ['suite', 'status', 'cases', 'lanes compared', 'undefined', 'mismatches', 'ms'];

/** Returns the matrix of instructions by form, for results of suites. */
function matrixOf(results: readonly Result[], name: string): string {
  const table = formMatrix(
    results.map((result) => [result.id, cellOf(result)]),
    `Instructions by form on ${name}`,
  );
  return table === '' ? '' : `<p>${signsText}</p>\n${table}`;
}

function cellOf(result: Result): MatrixCell {
  const { id, status, compared, mismatches, skipped } = result;
  const title = `${id}: ${grouped(compared)} lane results compared, ${grouped(mismatches)} mismatches`;
  return {
    status: skipped === undefined ? status : 'skipped',
    title,
    ...(hasFailed(result) ? { href: `#${anchorOf(result)}` } : {}),
  };
}

function tableRow(result: Result): string {
  const { id, cases, compared, undefined: undefinedCount, mismatches, ms, skipped } = result;
  const status = skipped === undefined ? result.status : 'skipped';
  const cells = [status, ...[cases, compared, undefinedCount, mismatches].map(grouped), ms.toFixed(1)];
  return `<tr class="${status}"><th scope="row">${escapeXml(id)}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function failure(result: Result): string {
  const text = [...(result.first ? [describeFirst(result.first)] : []), result.message].filter(Boolean).join('\n');
  const head = `${statusSigns[result.status]} ${result.id} on ${result.executor.name}: ${result.status}`;
  return `<h3 id="${escapeXml(anchorOf(result))}">${escapeXml(head)}</h3>
<pre>${escapeXml(text)}</pre>
${laneTables((result.lanes ?? []).map((failing) => ({ on: result.executor.name, failing })))}`;
}

function anchorOf({ id, executor }: Result): string {
  return encodeURIComponent(wellFormed(`${executor.name}:${id}`));
}
