// Converts a loop to loop-closed form: code after the loop reads the loop's values through
// parameters of a block at the only exit. So the loop can be copied without changes to other code.
import { forEachOperand, forEachOwnValue } from '../../graph/index.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import {
  type Block,
  type Definition,
  type Edge,
  edgesOf,
  type Func,
  isDefinition,
  type Value,
} from '../../ir/nodes.ts';

/**
 * Inserts a block on the edge by which `from` leaves the loop. Returns the edge to the inserted
 * block.
 */
export function closeLoop(func: Func, b: Builder, loop: ReadonlySet<Block>, from: Block, exit: Edge): Edge {
  const defined = new Set<Definition>();
  for (const block of loop) {
    for (const param of block.params) defined.add(param);
    for (const { results } of block.insts) for (const result of results) defined.add(result);
  }
  const outside = readOutside(func, loop, defined);
  for (const arg of exit.args) if (isDefinition(arg) && defined.has(arg)) outside.add(arg);
  const landing = b.block();
  const params = new Map<Definition, Value>();
  for (const value of outside) params.set(value, b.param(landing, value.type, value.hint));
  const inside = new Map([...loop].map((block) => [block, { insts: block.insts, end: block.end }]));
  // Empty the blocks of the loop during the replacement, so that uses inside the loop do not
  // change.
  for (const block of loop) Object.assign(block, { insts: [], end: { kind: 'exit', span: undefined } });
  replaceValues(func, params);
  for (const [block, content] of inside) Object.assign(block, content);
  landing.end = {
    kind: 'jump',
    to: { to: exit.to, args: exit.args.map((arg) => (isDefinition(arg) ? (params.get(arg) ?? arg) : arg)) },
    span: from.end.span,
  };
  func.blocks = [...func.blocks, landing];
  return { to: landing, args: [...outside] };
}

function readOutside(func: Func, loop: ReadonlySet<Block>, defined: ReadonlySet<Definition>): Set<Definition> {
  const found = new Set<Definition>();
  const read = (value: Value) => {
    if (isDefinition(value) && defined.has(value)) found.add(value);
  };
  for (const block of func.blocks) {
    if (loop.has(block)) continue;
    for (const inst of block.insts) forEachOperand(inst, read);
    forEachOwnValue(block.end, read);
    for (const { args } of edgesOf(block.end)) args.forEach(read);
  }
  return found;
}
