// Results as one self-contained page.
import type { ToolRecord } from './report-json.ts';
import { escapeXml } from './report-junit.ts';
import { type MatrixCell, matrixStyle, matrixTable, splitSuiteId, statusSigns } from './report-matrix.ts';
import { describeExecutor, describeFirst, grouped } from './report-text.ts';
import { hasFailed, type Result, totals } from './results.ts';

/// Shared by every page that is written.
export const pageStyle = `
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child, td.text { text-align: left; }
th:first-child, td:first-child { font-family: ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.5rem; background: #8882; }
.fail td, .error td, .unsupported td { color: #c33; font-weight: 600; }
.skipped td { opacity: 0.6; }
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
${matrixOf(results.filter((result) => result.executor.name === executor.name))}
<details><summary>Every suite</summary>
<table><thead><tr><th>suite</th><th>status</th><th>cases</th><th>lanes compared</th><th>undefined</th><th>mismatches</th><th>ms</th></tr></thead>
<tbody>
${results
  .filter((result) => result.executor.name === executor.name)
  .map(tableRow)
  .join('\n')}
</tbody></table>
</details>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lanewise results</title>
<style>${pageStyle}${matrixStyle}</style>
</head>
<body>
<h1>Lanewise results</h1>
<p class="verdict">${escapeXml(verdict)}</p>
<p>${escapeXml(`${tool.name} ${tool.version}, Node ${tool.node}, ${tool.platform}`)}</p>
<pre>${escapeXml(command)}</pre>
${bad.length > 0 ? `<h2>Failures</h2>\n${bad.map(failure).join('\n')}` : ''}
${sections.join('\n')}
</body>
</html>
`;
}

/// Instruction by form, where the results are of suites.
function matrixOf(results: readonly Result[]): string {
  const places = results.map((result) => ({ result, ...splitSuiteId(result.id) }));
  if (places.some(({ form }) => form === '')) return '';
  const instructions = [...new Set(places.map(({ instruction }) => instruction))];
  const forms = [...new Set(places.map(({ form }) => form))];
  const byPlace = new Map(places.map(({ instruction, form, result }) => [`${instruction}|${form}`, result]));
  const signs = Object.entries(statusSigns).map(([status, sign]) => `${sign} ${status}`);
  const table = matrixTable(instructions, forms, (instruction, form) => cellOf(byPlace.get(`${instruction}|${form}`)), {
    turned: true,
  });
  return `<p>${signs.join(' · ')}</p>\n${table}`;
}

function cellOf(result: Result | undefined): MatrixCell | undefined {
  if (!result) return undefined;
  const { id, status, compared, mismatches, skipped } = result;
  const title = `${id}: ${grouped(compared)} lane results compared, ${grouped(mismatches)} mismatches`;
  return { status: skipped === undefined ? status : 'skipped', title };
}

function tableRow(result: Result): string {
  const { id, cases, compared, undefined: undefinedCount, mismatches, ms, skipped } = result;
  const status = skipped === undefined ? result.status : 'skipped';
  const cells = [status, ...[cases, compared, undefinedCount, mismatches].map(grouped), ms.toFixed(1)];
  return `<tr class="${status}"><td>${escapeXml(id)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function failure(result: Result): string {
  const text = [...(result.first ? [describeFirst(result.first)] : []), result.message].filter(Boolean).join('\n');
  return `<h3>${escapeXml(`${result.id} on ${result.executor.name}: ${result.status}`)}</h3>\n<pre>${escapeXml(text)}</pre>`;
}
