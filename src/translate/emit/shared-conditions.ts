// Conditions that lanes decide together: over a subgroup, and over the workgroup.
import type { Scope } from './scope.ts';
import { warpWriter } from './warp.ts';

/// WGSL of whether the predicate holds in any lane of the subgroup; the same in all of it.
export function anyInSubgroup(scope: Scope, predicate: (slot: string) => string): string {
  const { plan, slots } = scope.options;
  if (slots > 1) return ballotIsNotEmpty(scope, predicate);
  return plan.kind === 'native' || plan.kind === 'wide' ? `subgroupAny(${predicate('s')})` : predicate('s');
}

/// WGSL of whether the predicate holds in any lane of the block; uniform in the workgroup by WGSL's own analysis.
export function anyInBlock(scope: Scope, predicate: (slot: string) => string): string {
  const { uses, options } = scope;
  const own = options.slots === 1 ? predicate('s') : ballotIsNotEmpty(scope, predicate);
  uses.specials.add('thread');
  uses.declarations.set(
    'any_in_block',
    `var<workgroup> block_flag: u32;

// Whether the condition holds in any invocation of the workgroup; WGSL takes the result for uniform, as barriers demand.
fn any_in_block(condition: bool, thread: u32) -> bool {
  if (thread == 0u) { block_flag = 0u; }
  workgroupBarrier();
  if (condition) { block_flag = 1u; }
  return workgroupUniformLoad(&block_flag) != 0u;
}`,
  );
  return `any_in_block(${own}, thread)`;
}

function ballotIsNotEmpty(scope: Scope, predicate: (slot: string) => string): string {
  return `${warpWriter(scope, { active: undefined }).ballot('any', predicate)} != 0u`;
}
