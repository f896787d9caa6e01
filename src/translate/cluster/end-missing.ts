// Ends the lanes that fill the last warp of a block, if a workgroup runs several blocks.
import type { Instruction, Module, PtxFunction, SpecialOperand } from '../../ptx/ast.ts';
import { makeInstruction, registerOperand, wordOperand } from '../../ptx/make-instruction.ts';
import { threadOfBlock } from '../build/cluster-specials.ts';

/** Returns the module, in which the lanes from lane `threads` of a block on exit at once. */
export function endMissingLanes(module: Module, { name, span }: PtxFunction, threads: number): Module {
  const isMissing = registerOperand({ name: '$missing', type: 'pred', span }, span);
  const lane: SpecialOperand = { kind: 'special', name: threadOfBlock, type: 'u32', span };
  const value = registerOperand({ name: '$thread', type: 'u32', span }, span);
  const guard = { register: isMissing.register, negated: false, span };
  const added: readonly Instruction[] = [
    makeInstruction('mov.u32', { d: value, a: lane }, span),
    makeInstruction('setp.ge.u32', { p: isMissing, a: value, b: wordOperand(threads, span) }, span),
    makeInstruction('exit', {}, span, guard),
  ];
  const functions = module.functions.map((fn) => (fn.name === name ? { ...fn, body: [...added, ...fn.body] } : fn));
  return { ...module, functions };
}
