// Prints `N passed, N failed, N skipped` from files with Vitest's JSON. A run without a result or
// without tests counts as a failure.

import { existsSync, readFileSync } from 'node:fs';

function countsOf(path) {
  const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  const passed = report?.numPassedTests ?? 0;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  // A file that could not be loaded has no failed tests.
  const broken = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const counted = (report?.numFailedTests ?? 0) + broken.length;
  const failed = counted === 0 && (!report?.success || passed === 0) ? 1 : counted;
  return { passed, failed, skipped };
}

const counts = process.argv.slice(2).map(countsOf);
const sum = (name) => counts.reduce((total, each) => total + each[name], 0);
const failed = counts.length === 0 ? 1 : sum('failed');
process.stdout.write(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped\n`);
process.exitCode = failed > 0 ? 1 : 0;
