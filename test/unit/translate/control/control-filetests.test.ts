// The passes over the control tree on text. Each `.control` file under test/filetests holds cases:
// a line `; control: <pass>`, IR or a control tree, `; --- after`, and the resulting tree or the
// verifier's message. `UPDATE=1` writes the second half of each case.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCase } from '../../../filetests/control-cases.ts';
import { casesOf, printCases } from '../../../filetests/file-cases.ts';

const folder = join(import.meta.dirname, '../../../filetests');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.control'));

it.each(['structure', 'lower-control', 'verify-control'])('there are cases for %s', (name) => {
  expect(files.some((file) => file.startsWith(name))).toBe(true);
});

describe.each(files)('%s', (file) => {
  const path = join(folder, file);
  const cases = casesOf(readFileSync(path, 'utf8'), 'control');
  if (process.env.UPDATE) {
    const updated = cases.map((each) => ({ ...each, results: new Map([['after', runCase(each)]]) }));
    writeFileSync(path, printCases(updated, 'control'));
  }
  it.each(cases)('$title', (each) => {
    expect(runCase(each)).toBe(process.env.UPDATE ? runCase(each) : each.results.get('after'));
  });
});
