// Shrinks a results document (`validate --json`, `run --json`, reports/validate.json) for the
// repository: the adapter once, and one line for each result.
//
// Usage:
//     node scripts/summarize-results.mjs results.json 'command that made it' [driver] > docs/results/name.json

import { readFileSync } from 'node:fs';

const [file, command, driver] = process.argv.slice(2);
if (!file || !command) {
  console.error("usage: node scripts/summarize-results.mjs results.json 'command' [driver]");
  process.exit(2);
}
const document = JSON.parse(readFileSync(file, 'utf8'));
const { results, ...rest } = document;
const executors = new Map();
const total = { results: 0, compared: 0, undefined: 0, mismatches: 0 };
for (const { executor, adapter, lanePlan } of results) {
  if (!executors.has(executor)) executors.set(executor, { adapter, lanePlan });
}
const lines = results.map(({ id, executor, status, compared, undefined: unspecified, mismatches, message }) => {
  total.results += 1;
  total.compared += compared;
  total.undefined += unspecified;
  total.mismatches += mismatches;
  return [
    id,
    executor,
    status,
    compared,
    unspecified,
    mismatches,
    ...(message && status !== 'pass' ? [message.split('\n')[0]] : []),
  ];
});
const head = {
  ...rest,
  command,
  ...(driver ? { driver } : {}),
  date: new Date().toISOString().slice(0, 10),
  total,
  executors: Object.fromEntries(executors),
  columns: ['id', 'executor', 'status', 'compared', 'undefined', 'mismatches', 'message'],
};
const body = lines.map((line) => `    ${JSON.stringify(line)}`).join(',\n');
console.log(`${JSON.stringify(head, null, 2).slice(0, -2)},\n  "results": [\n${body}\n  ]\n}`);
