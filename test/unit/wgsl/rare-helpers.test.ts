// The helpers that a page loads on use.
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

test.each([
  ['add.rn.f64', true],
  ['cvt.rn.f32.f64', true],
  ['rcp.approx.ftz.f64', true],
  ['tanh.approx.f16x2', true],
  ['ex2.approx.ftz.bf16', true],
  ['add.rn.f32', false],
  ['ex2.approx.ftz.f32', false],
  ['ld.global.b64', false],
])('a module with %s needs rare helpers: %s', (opcode, isNeeded) => {
  expect(needsRareHelpers(`${opcode} d, a;`)).toBe(isNeeded);
});
