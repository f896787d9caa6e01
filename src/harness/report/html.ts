// Results as one self-contained page.

import { hasFailed, type Result, totals } from '../runs/results.ts';
import { escapeXml, wellFormed } from './escape.ts';
import type { ToolRecord } from './json.ts';
import { laneTableStyle, laneTables } from './lanes.ts';
import { formMatrix, type MatrixCell, matrixStyle, signsText, statusSigns } from './matrix.ts';
import { describeExecutor, describeFirst, grouped } from './text.ts';

/// Pages run nothing and load nothing, whatever got into them; their style is in them.
export const contentPolicyTag =
  '<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">';

/// Shared by every page that is written.
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --text: #18202b; --panel: #f1f4f8; --line: #cfd6df; --quiet: #505c6b; --link: #1d56ac;
  --good-back: #dcf2e2; --bad: #a61b1b; --bad-back: #fbe3e1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #10151c; --text: #e3e9f1; --panel: #1c2530; --line: #344152; --quiet: #a5b1c0; --link: #82b1f7;
    --good-back: #16361f; --bad: #ff9d94; --bad-back: #47201d;
  }
}
body { background: var(--back); color: var(--text); font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 84rem; padding: 0 1rem; }
a { color: var(--link); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td.text { text-align: left; }
th:first-child { font-family: ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.5rem; background: var(--panel); }
.scroll { overflow-x: auto; }
.fail td, .error td, .unsupported td { color: var(--bad); font-weight: 600; }
.skipped td { color: var(--quiet); }
.verdict { font-size: 1.2rem; }
`;

/// `command` is what produced the results, and what shows them again.
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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${contentPolicyTag}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lanewise results</title>
<style>${pageStyle}${matrixStyle}${laneTableStyle}</style>
</head>
<body>
<main>
<h1>Lanewise results</h1>
<p class="verdict">${escapeXml(verdict)}</p>
<p>${escapeXml(`${tool.name} ${tool.version}, Node ${tool.node}, ${tool.platform}`)}</p>
<pre>${escapeXml(command)}</pre>
${sections.join('\n')}
${bad.length > 0 ? `<h2>Failures</h2>\n${bad.map(failure).join('\n')}` : ''}
</main>
</body>
</html>
`;
}

const suiteColumns = ['suite', 'status', 'cases', 'lanes compared', 'undefined', 'mismatches', 'ms'];

/// Instruction by form, where the results are of suites.
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
