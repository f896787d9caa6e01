// Statements to basic blocks. Calls have been inlined; guarded branches become two-way terminators.
import type { Diagnostic, Instruction, Module, PtxFunction, Statement, Variable } from '../ptx/ast.ts';
import { TranslateError } from './diagnostics.ts';
import { inlineCalls } from './inline-calls.ts';
import { type Block, type Kernel, renumber, type Terminator } from './ir.ts';
import { layOut } from './layout.ts';
import { simplifyControlFlow } from './simplify-control-flow.ts';

/// The control-flow graph of `entry`. Throws the diagnostic of the first reachable instruction that is not supported.
export function buildKernel(module: Module, entry: PtxFunction, dynamicShared: number): Kernel {
  const { body, variables } = inlineCalls(module, entry);
  const blocks = renumber(splitBlocks(body));
  const moduleVariables = module.variables.filter((variable) => variable.space !== 'param');
  const all = [...moduleVariables, ...variables];
  return {
    name: entry.name,
    source: module.source,
    params: entry.params.filter((param): param is Variable => 'space' in param),
    variables: all,
    layout: layOut(all, dynamicShared),
    blocks: simplifyControlFlow(rejectUnsupported(blocks)),
  };
}

/// An instruction the parser could not match to a row; carried to here so that unreachable ones do no harm.
interface Placeholder {
  readonly diagnostic: Diagnostic;
}

type Pending = (at: (label: string) => number, next: number, add: (end: Terminator) => number) => Terminator;

function splitBlocks(body: readonly Statement[]): (Block & { refused?: Placeholder })[] {
  const blocks: (Block & { refused?: Placeholder })[] = [];
  const starts = new Map<string, number>();
  const ends: Pending[] = [];
  let code: Instruction[] = [];
  let refused: Placeholder | undefined;

  const close = (end: Pending) => {
    ends.push(end);
    blocks.push({ code, end: { kind: 'exit' }, ...(refused ? { refused } : {}) });
    code = [];
    refused = undefined;
  };

  for (const statement of body) {
    if (statement.kind === 'label') {
      // A label that follows a terminator starts a block already.
      if (code.length > 0 || refused) close((_, next) => ({ kind: 'jump', to: next }));
      starts.set(statement.name, blocks.length);
    } else if (statement.kind === 'unsupported') {
      refused ??= { diagnostic: statement.diagnostic };
    } else {
      const end = terminatorOf(statement);
      if (end) close(end);
      else code.push(statement);
    }
  }
  close(() => ({ kind: 'exit' }));

  const add = (end: Terminator) => blocks.push({ code: [], end }) - 1;
  const at = (label: string) => starts.get(label) ?? 0;
  ends.forEach((end, id) => {
    const block = blocks[id];
    if (block) block.end = end(at, id + 1, add);
  });
  return blocks;
}

function terminatorOf(instruction: Instruction): Pending | undefined {
  const { row, operands, guard, span } = instruction;
  const guarded = (end: Terminator, next: number, add: (end: Terminator) => number): Terminator =>
    guard ? { kind: 'branch', guard, then: end.kind === 'jump' ? end.to : add(end), else: next, span } : end;
  if (row.name === 'bra') {
    const target = operands.target;
    if (target?.kind !== 'label') return undefined;
    return (at, next, add) => guarded({ kind: 'jump', to: at(target.target) }, next, add);
  }
  if (row.name === 'brx.idx') {
    const list = operands.list;
    const selector = operands.a;
    if (list?.kind !== 'labels' || selector === undefined) return undefined;
    return (at, next, add) => guarded({ kind: 'switch', selector, targets: list.targets.map(at), span }, next, add);
  }
  if (row.name === 'ret' || row.name === 'exit') return (_, next, add) => guarded({ kind: 'exit' }, next, add);
  if (row.name === 'trap') return (_, next, add) => guarded({ kind: 'trap', span }, next, add);
  return undefined;
}

function rejectUnsupported(blocks: readonly (Block & { refused?: Placeholder })[]): Block[] {
  for (const { refused } of blocks) if (refused) throw new TranslateError(refused.diagnostic);
  return [...blocks];
}
