// Decodes asynchronous copies and the instructions that wait for such copies.
import type { AsyncUpdateRowName, CopyRowName } from '../../../isa/index.ts';
import { typeNamed } from '../../../isa/match.ts';
import type { Instruction } from '../../../ptx/ast.ts';
import { atomicUpdate } from '../memory/atomics.ts';
import { bitWidth, type Source } from '../memory/layout.ts';
import { updateToBarrier } from '../operations/async-update-op.ts';
import { type BulkWork, bulkReadExec, bulkToBarrier, bulkToGroup } from '../operations/bulk-op.ts';
import { commitExec, copyExec, waitExec } from '../operations/copy-op.ts';
import type { Combine } from '../state/pending-copies.ts';
import type { Exec } from '../state/state.ts';
import { access, operandOf } from './decode-access.ts';
import { type DecodeContext, readOperand } from './decode-control.ts';

/** The size of an mbarrier object in bytes. */
const objectBytes = 8;
/** The alignment and the unit of the size of bulk copies, in bytes. */
const bulkBytes = 16;

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec;

function constantOf(instruction: Instruction): number {
  const operand = operandOf(instruction, 'n');
  if (operand.kind !== 'immediate') throw new TypeError(`'n' of ${instruction.row.name} is a constant`);
  return Number(operand.bits);
}

/** Returns the optional size operand: a number of bytes, or the predicate `ignore-src`. */
function sizeOf(instruction: Instruction, context: DecodeContext): Source | undefined {
  const { size } = instruction.operands;
  if (size === undefined) return undefined;
  if (size.kind !== 'register' || size.register.type !== 'pred') return readOperand(instruction, 'size', context);
  const source = context.builder.source(size, 'pred');
  context.reads.push(source);
  return source;
}

const copy: Decoder = (instruction, context) => {
  const bytes = constantOf(instruction);
  const to = { ...access(instruction, bytes, 'store', context, 'to'), isAsync: true } as const;
  return copyExec({ to, from: access(instruction, bytes, 'load', context), size: sizeOf(instruction, context) });
};

const bulkOf = (instruction: Instruction, context: DecodeContext): BulkWork => ({
  to: { ...access(instruction, bulkBytes, 'store', context, 'to'), isAsync: true },
  from: access(instruction, bulkBytes, 'load', context),
  size: readOperand(instruction, 'n', context),
});

const toBarrier: Decoder = (instruction, context) => {
  const object = access(instruction, objectBytes, 'load', context, 'bar');
  const mask = instruction.operands.mask && readOperand(instruction, 'mask', context);
  return bulkToBarrier({ ...bulkOf(instruction, context), mask }, { ...object, strong: true });
};

/** Returns the update that a reduction applies to each element, with the size of an element. */
function combineOf({ mods, row }: Instruction): Combine {
  const type = typeNamed(mods.type ?? '');
  if (type === undefined || mods.op === undefined) throw new RangeError(`${row.name} has no type or operation`);
  return { update: atomicUpdate(mods.op, type), bytes: bitWidth(type) / 8 };
}

/** Decodes a bulk reduction, which accesses its target atomically. */
const reduction = (instruction: Instruction, context: DecodeContext): BulkWork => ({
  ...bulkOf(instruction, context),
  to: { ...access(instruction, bulkBytes, 'atomic', context, 'to'), isAsync: true },
  combine: combineOf(instruction),
});

const update: Decoder = (instruction, context) => {
  const b = operandOf(instruction, 'b');
  const parts = b.kind === 'vector' ? b.elements : [b];
  const type = typeNamed(instruction.mods.type ?? '') ?? 'b32';
  const values = parts.map((part) => context.builder.source(part, type));
  context.reads.push(...values);
  const isStore = instruction.mods.op === undefined;
  const bytes = (parts.length * bitWidth(type)) / 8;
  const to = {
    ...access(instruction, bytes, isStore ? 'store' : 'atomic', context),
    strong: !isStore,
    isAsync: true,
  } as const;
  const object = { ...access(instruction, objectBytes, 'load', context, 'bar'), strong: true };
  return updateToBarrier({ to, values, combine: isStore ? undefined : combineOf(instruction) }, object);
};

export const copyDecoders: Readonly<Record<CopyRowName | AsyncUpdateRowName, Decoder>> = {
  'cp.async': copy,
  'cp.async.policy': copy,
  'cp.async.commit_group': () => commitExec('async'),
  'cp.async.wait_group': (instruction) => waitExec('async', constantOf(instruction), false),
  'cp.async.wait_all': () => waitExec('async', 0, true),
  'cp.async.bulk.load': toBarrier,
  'cp.async.bulk.multicast': toBarrier,
  'cp.async.bulk.move': toBarrier,
  'cp.async.bulk.store': (instruction, context) => bulkToGroup(bulkOf(instruction, context)),
  'cp.reduce.async.bulk.move': (instruction, context) => {
    const object = access(instruction, objectBytes, 'load', context, 'bar');
    return bulkToBarrier(reduction(instruction, context), { ...object, strong: true });
  },
  'cp.reduce.async.bulk.store': (instruction, context) => bulkToGroup(reduction(instruction, context)),
  'st.async': update,
  'red.async': update,
  'cp.async.bulk.prefetch': () => () => {},
  'cp.async.bulk.commit_group': () => commitExec('bulk'),
  'cp.async.bulk.wait_group': (instruction) =>
    instruction.mods.read === undefined
      ? waitExec('bulk', constantOf(instruction), false)
      : bulkReadExec(constantOf(instruction)),
};
