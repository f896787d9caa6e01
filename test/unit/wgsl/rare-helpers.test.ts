// The helpers that a page loads on use.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commonHelpers } from '../../../src/wgsl/helpers/common.ts';
import type { Helper } from '../../../src/wgsl/helpers/helper.ts';
import { helperNames, needsRareHelpers } from '../../../src/wgsl/helpers/library.ts';
import { rareHelpers } from '../../../src/wgsl/helpers/rare.ts';

test('the names of all helpers are known without them', () => {
  expect(helperNames).toEqual([...Object.keys(commonHelpers), ...Object.keys(rareHelpers)]);
});

test('a common helper calls no rare helper', () => {
  const common: Readonly<Record<string, Helper>> = commonHelpers;
  const callees = Object.values(common).flatMap(({ uses = [] }) => uses);
  expect(callees.filter((name) => Object.hasOwn(rareHelpers, name))).toEqual([]);
});

test('a module whose shader names a rare helper is known to need them', () => {
  const folder = join(import.meta.dirname, '../../filetests/wgsl');
  const rare = new RegExp(`\\b(${Object.keys(rareHelpers).join('|')})\\(`);
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const using = texts.filter((text) => rare.test(text));
  expect(using.length).toBeGreaterThan(0);
  for (const text of using) expect(needsRareHelpers(text)).toBe(true);
});
