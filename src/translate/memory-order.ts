// Warns if a kernel orders memory for all blocks. WGSL guarantees no such order: the shader only
// waits for its accesses (`emit/program/ordered-accesses.ts`). Ordered memory has words as elements,
// so the shader loads the words of a weak 64-bit load one after the other.
import type { Diagnostic } from '../ptx/ast.ts';
import type { AccessInst } from './analysis/accesses.ts';
import { compileDiagnostics } from './diagnostics.ts';
import { isWideScope } from './ir/access-orders.ts';
import type { Order } from './ir/memory.ts';
import type { Inst, Program } from './ir/nodes.ts';
import { widthOf } from './ir/types.ts';

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
  const { order, scope } = inst.attrs;
  return isWideScope(scope) && reachesGlobal(inst) ? words[order] : undefined;
}

/** Whether an access may reach memory that all blocks share and may write. */
function reachesGlobal({ attrs }: AccessInst): boolean {
  const { root } = attrs.place;
  return root.kind === 'address' && (root.space === 'global' || root.space === 'generic');
}

/** Whether a 64-bit load may return words of two stores if it races with one. */
const mayTear = (inst: Inst): boolean =>
  inst.op === 'load' && inst.attrs.order === 'weak' && widthOf(inst.attrs.type) > 32 && reachesGlobal(inst);

/**
 * Returns a warning for each PTX instruction that orders memory beyond WGSL's guarantees, and then
 * for the first weak 64-bit load. The program must be unchanged since its translation from PTX.
 */
export function memoryOrderWarnings(program: Program): readonly Diagnostic[] {
  const found = new Map<number, Diagnostic>();
  const insts = [program.kernel, ...program.functions].flatMap(({ blocks }) => blocks.flatMap((block) => block.insts));
  for (const inst of insts) {
    const what = lacking(inst);
    if (what === undefined || inst.span === undefined || found.has(inst.span.start)) continue;
    found.set(inst.span.start, compileDiagnostics.unordered(what, testsOf(what))(inst.span));
  }
  const torn = found.size === 0 ? undefined : insts.find(mayTear)?.span;
  if (torn) found.set(torn.start, compileDiagnostics.mayTear(torn));
  return [...found.values()].sort((a, b) => a.span.start - b.span.start);
}
