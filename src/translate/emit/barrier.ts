// Block barriers at places that the whole workgroup reaches.
import type { Instruction } from '../../ptx/ast.ts';
import { operandType } from '../operand-types.ts';
import { readOperand, writeResult } from './operands.ts';
import type { Scope } from './scope.ts';
import { warpWriter } from './warp.ts';

/// Whether WGSL's barrier is this barrier: all threads of the block take part, and wait.
export function isWholeBarrier(instruction: Instruction, threads: number): boolean {
  const { a, b } = instruction.operands;
  if (instruction.row.name.endsWith('.arrive') || instruction.guard) return false;
  if (a !== undefined && a.kind !== 'immediate') return false;
  return b === undefined || (b.kind === 'immediate' && b.bits === BigInt(threads));
}

/// `active`: WGSL of whether a lane is there; undefined where all are.
export function emitBarrier(
  scope: Scope,
  instruction: Instruction,
  active: ((slot: string) => string) | undefined,
): void {
  const { row, operands } = instruction;
  const wait = () => {
    scope.out.line('workgroupBarrier();');
    if (scope.options.exchangesInBuffers) scope.out.line('storageBarrier();');
    scope.uses.memories.add('barrier');
  };
  if (!row.name.includes('.red')) return wait();
  const { c, d, p } = operands;
  const destination = d ?? p;
  if (c === undefined || destination?.kind !== 'register') return wait();
  scope.uses.declarations.set('barrier_count', 'var<workgroup> barrier_count: atomic<u32>;');
  scope.uses.specials.add('thread');
  // `and` is true when nobody says no: count those instead.
  const negate = instruction.mods.op === 'and';
  const predicate = (slot: string) => {
    const own = `${negate ? '!' : ''}${readOperand(scope, c, 'pred', slot).code}`;
    return active ? `${active(slot)} && ${own}` : own;
  };
  scope.out.line('if (thread == 0u) { atomicStore(&barrier_count, 0u); }');
  wait();
  const { slots } = scope.options;
  if (slots === 1) {
    scope.out.line(`if (${predicate('s')}) { atomicAdd(&barrier_count, 1u); }`);
  } else {
    const lanes = warpWriter(scope, { active: undefined }).ballot('lanes', predicate);
    scope.uses.specials.add('lane');
    const first = scope.options.plan.kind === 'portable' ? '' : 'if (subgroup_lane == 0u) ';
    scope.out.line(`${first}{ atomicAdd(&barrier_count, countOneBits(${lanes})); }`);
  }
  wait();
  const count = scope.options.names.fresh('count');
  scope.out.line(`let ${count} = atomicLoad(&barrier_count);`);
  wait();
  const value = row.name.includes('popc') ? count : negate ? `${count} == 0u` : `${count} != 0u`;
  const type = operandType(instruction, d ? 'd' : 'p');
  // Lanes that are elsewhere may still need the register.
  const write = () => {
    if (active) scope.out.open(`if (${active('s')})`);
    writeResult(scope, destination.register, { code: value, type: type === 'pred' ? 'bool' : 'u32' }, type);
    if (active) scope.out.close();
  };
  if (slots === 1) return write();
  scope.out.open(`for (var s = 0u; s < ${slots}u; s++)`);
  write();
  scope.out.close();
}
