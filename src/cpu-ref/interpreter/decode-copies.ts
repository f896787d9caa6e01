// Decodes asynchronous copies, and waits for them.
import type { CopyRowName } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import { commitExec, copyExec, waitExec } from './copy-op.ts';
import { access, operandOf } from './decode-access.ts';
import { type DecodeContext, readOperand } from './decode-control.ts';
import type { Source } from './layout.ts';
import type { Exec } from './state.ts';

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec;

function constantOf(instruction: Instruction): number {
  const operand = operandOf(instruction, 'n');
  if (operand.kind !== 'immediate') throw new TypeError(`'n' of ${instruction.row.name} is a constant`);
  return Number(operand.bits);
}

/// A predicate's own, or a word.
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
  const to = access(instruction, bytes, 'store', context, 'to');
  return copyExec({ to, from: access(instruction, bytes, 'load', context), size: sizeOf(instruction, context) });
};

export const copyDecoders: Readonly<Record<CopyRowName, Decoder>> = {
  'cp.async': copy,
  'cp.async.policy': copy,
  'cp.async.commit_group': () => commitExec,
  'cp.async.wait_group': (instruction) => waitExec(constantOf(instruction), false),
  'cp.async.wait_all': () => waitExec(0, true),
};
