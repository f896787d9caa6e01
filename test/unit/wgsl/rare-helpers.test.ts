// The helpers that a page loads only when a module needs them.
import { expect, test } from 'vitest';
import { commonHelpers } from '../../../src/wgsl/helpers/common.ts';
import { elementaryHelpers } from '../../../src/wgsl/helpers/elementary.ts';
import type { Helper } from '../../../src/wgsl/helpers/helper.ts';
import { helperNames } from '../../../src/wgsl/helpers/library.ts';
import { rareHelpers } from '../../../src/wgsl/helpers/rare.ts';

const onUse = { ...elementaryHelpers, ...rareHelpers };

test('the names of all helpers are known without them', () => {
  expect(helperNames).toEqual([...Object.keys(commonHelpers), ...Object.keys(onUse)]);
});

test('a common helper calls no helper that a page loads on use', () => {
  const common: Readonly<Record<string, Helper>> = commonHelpers;
  const callees = Object.values(common).flatMap(({ uses = [] }) => uses);
  expect(callees.filter((name) => Object.hasOwn(onUse, name))).toEqual([]);
});
