// Prints `N passed, N failed, N skipped` from Vitest's JSON. A run without a result or without
// tests counts as a failure.

import { existsSync, readFileSync } from 'node:fs';

const [path = ''] = process.argv.slice(2);
const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
const passed = report?.numPassedTests ?? 0;
const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
// A file that could not be loaded has no failed tests.
const broken = (report?.testResults ?? []).filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
);
const counted = (report?.numFailedTests ?? 0) + broken.length;
const failed = counted === 0 && (!report?.success || passed === 0) ? 1 : counted;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 ? 1 : 0;
