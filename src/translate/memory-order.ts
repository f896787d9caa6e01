// Warns if a kernel orders memory for all blocks. WGSL guarantees no such order: the shader only
// waits for its accesses (`emit/program/ordered-accesses.ts`).
import type { Diagnostic } from '../ptx/ast.ts';
import { compileDiagnostics } from './diagnostics.ts';
import { isWideScope } from './ir/access-orders.ts';
import type { Order } from './ir/memory.ts';
import type { Inst, Program } from './ir/nodes.ts';

const words: Readonly<Partial<Record<Order, string>>> = {
  acquire: 'an acquire',
  release: 'a release',
  acq_rel: 'an acquire and release',
  sc: 'a fence',
};

/** The shapes of litmus tests that show the order: message passing, and for fences store buffering. */
const testsOf = (what: string): string => (what === words.sc ? 'MP SB' : 'MP');

/**
 * Returns the part of an instruction that WGSL lacks; undefined if WGSL supports the whole
 * instruction.
 */
function lacking(inst: Inst): string | undefined {
  if (inst.op === 'fence') return isWideScope(inst.attrs.scope) ? 'a fence' : undefined;
  if (inst.op !== 'load' && inst.op !== 'store' && inst.op !== 'atomic') return undefined;
  const { order, scope, place } = inst.attrs;
  const isLocal = place.root.kind === 'address' && (place.root.space === 'shared' || place.root.space === 'local');
  return isWideScope(scope) && !isLocal ? words[order] : undefined;
}

/**
 * Returns a warning for each PTX instruction that orders memory beyond WGSL's guarantees. The
 * program must be unchanged since its translation from PTX.
 */
export function memoryOrderWarnings(program: Program): readonly Diagnostic[] {
  const found = new Map<number, Diagnostic>();
  for (const func of [program.kernel, ...program.functions]) {
    for (const inst of func.blocks.flatMap(({ insts }) => insts)) {
      const what = lacking(inst);
      if (what === undefined || inst.span === undefined || found.has(inst.span.start)) continue;
      found.set(inst.span.start, compileDiagnostics.unordered(what, testsOf(what))(inst.span));
    }
  }
  return [...found.values()].sort((a, b) => a.span.start - b.span.start);
}
