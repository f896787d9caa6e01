import { expect, it } from 'vitest';
import { choosePlan, type PlanKind, planFor, planOfKind } from '../../../src/base/lane-plan.ts';

const measured = (subgroupSize: number, ...explicitSizes: number[]) => ({
  subgroupSize,
  subgroupId: true,
  explicitSizes,
});
const asked = (size: number) => planFor(size, { sizeControl: true });

it.each([
  ["the adapter's own size is a warp", measured(32, 16, 32), planFor(32)],
  ['a warp can be requested', measured(64, 32, 64), asked(32)],
  ['the adapter returns another size', measured(64), planFor(64)],
  ['the size varies, and one can be requested', measured(0, 8, 16), asked(8)],
  ['no usable subgroups', measured(0), planFor(0)],
])('chooses a plan: %s', (_, subgroups, plan) => {
  expect(choosePlan(subgroups)).toEqual(plan);
});

it.each([
  ['native', measured(64, 32, 64), asked(32)],
  ['wide', measured(64, 32, 64), planFor(64)],
  ['wide', measured(32, 32), undefined],
  ['narrow', measured(32, 8, 16, 32), asked(16)],
  ['narrow', measured(0), undefined],
  ['portable', measured(32), planFor(0)],
] satisfies [PlanKind, ReturnType<typeof measured>, unknown][])('plan %s on %o', (kind, subgroups, plan) => {
  expect(planOfKind(kind, subgroups)).toEqual(plan);
});
