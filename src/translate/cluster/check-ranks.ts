// Adds checks of the block ranks that `mapa` names. A shader reports a rank that the cluster lacks.
import type { CallOperand, Instruction, Module, Operand, Statement } from '../../ptx/ast.ts';
import { makeInstruction, registerOperand, wordOperand } from '../../ptx/make-instruction.ts';
import { isRankInstruction } from './rank-instructions.ts';

/** Adds the checks to all functions of a module. `blocks`: the number of blocks of a cluster. */
export function checkRanks(module: Module, blocks: number): Module {
  const functions = module.functions.map((fn) => {
    if (!fn.body.some(isRankInstruction)) return fn;
    const body = fn.body.flatMap((statement, number) =>
      isRankInstruction(statement) ? checked(statement, blocks, `$rank${number}`) : [statement],
    );
    return { ...fn, body };
  });
  return { ...module, functions };
}

/**
 * Returns a `mapa` with a check after it. The thread continues after the report, so that no other
 * thread waits for it.
 */
function checked(instruction: Instruction, blocks: number, prefix: string): readonly Statement[] {
  const { guard, span, operands } = instruction;
  const { b } = operands;
  const limit = wordOperand(blocks, span);
  if (b === undefined || (b.kind === 'immediate' && b.bits < BigInt(blocks))) return [instruction];
  const added: Statement[] = [instruction];
  const add = (opcode: string, own: Readonly<Record<string, Operand>>, when?: Instruction['guard']) =>
    added.push(makeInstruction(opcode, own, span, when));
  const rank = registerOperand({ name: prefix, type: 'u32', span }, span);
  const isOutside = registerOperand({ name: `${prefix}_outside`, type: 'pred', span }, span);
  if (guard !== undefined) add('mov.u32', { d: rank, a: wordOperand(0, span) });
  add('mov.u32', { d: rank, a: b }, guard);
  add('setp.ge.u32', { p: isOutside, a: rank, b: limit });
  const service = 'rank fault';
  const callee: CallOperand = { kind: 'call', callee: service, service, results: [], args: [rank, limit], span };
  add('call', { callee }, { register: isOutside.register, negated: false, span });
  return added;
}
