// Addresses of variables become numbers, conversions of addresses additions, and pointers to buffers with a binding of their own 0.
import type { Builder } from '../../ir/builder.ts';
import { replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import type { Space } from '../../ir/memory.ts';
import {
  constant,
  type Definition,
  type Func,
  type Inst,
  isDefinition,
  type Program,
  type Value,
} from '../../ir/nodes.ts';
import { type Layout, localWindow, sharedWindow, windowOf } from '../../layout.ts';

export function lowerSymbols(program: Program, builder: Builder, layout: Layout, bound: ReadonlySet<number>): void {
  for (const func of [program.kernel, ...program.functions]) lowerFunc(func, builder, layout, bound);
}

function lowerFunc(func: Func, builder: Builder, layout: Layout, bound: ReadonlySet<number>): void {
  const replaced = new IdMap<Definition, Value>();
  for (const block of func.blocks) {
    if (!block.insts.some((inst) => isLowered(inst, bound))) continue;
    const insts: Inst[] = [];
    builder.into(insts);
    for (const inst of block.insts) {
      const result = inst.results[0];
      if (result === undefined || !isLowered(inst, bound)) {
        insts.push(inst);
        continue;
      }
      builder.span = inst.span;
      builder.hint = result.hint;
      const [first] = inst.args;
      const known = first && isDefinition(first) ? (replaced.get(first) ?? first) : first;
      const value = lowered(inst, known, builder, layout);
      const [otherwise] = inst.otherwise;
      replaced.set(result, inst.when && otherwise ? builder.select(inst.when, value, otherwise) : value);
    }
    block.insts = insts;
  }
  builder.span = undefined;
  builder.hint = undefined;
  if (replaced.size === 0) return;
  replaceValues(func, replaced);
  for (const { insts } of func.blocks) {
    for (let at = 0; at < insts.length; at++) {
      const inst = insts[at];
      if (inst !== undefined) putConstantLast(inst);
    }
  }
}

/// As everywhere else, now that there are more constants.
function putConstantLast(inst: Inst): void {
  const a = inst.args[0];
  const b = inst.args[1];
  if (a?.kind !== 'constant' || b === undefined || b.kind === 'constant') return;
  if (inst.args.length === 2 && inst.operation.commutative) inst.args = [b, a];
}

function isLowered(inst: Inst, bound: ReadonlySet<number>): boolean {
  if (inst.op === 'load') return inst.attrs.place.root.kind === 'param' && bound.has(inst.attrs.place.root.param);
  return inst.op === 'symbol' || inst.op === 'cvta' || inst.op === 'isspacep';
}

function lowered(inst: Inst, a: Value | undefined, builder: Builder, layout: Layout): Value {
  const type = inst.results[0]?.type ?? 'i64';
  if (inst.op === 'symbol') {
    const { variable, offset } = inst.attrs;
    return constant(type, layout.offsetOf(variable) + offset);
  }
  if (a === undefined) return constant(type, 0);
  if (inst.op === 'cvta') {
    const window = windowOf(inst.attrs.space);
    if (window === 0) return a;
    return builder.iadd(a, constant(a.type, inst.attrs.direction === 'to-generic' ? window : -window));
  }
  return inst.op === 'isspacep' ? isInSpace(builder, inst.attrs.space, builder.resize(a, 'i32')) : constant(type, 0);
}

function isInSpace(builder: Builder, space: Space, address: Value): Value {
  const [shared, local] = [builder.i32(sharedWindow), builder.i32(localWindow)];
  switch (space) {
    case 'shared':
      return builder.and(builder.icmp('uge', address, shared), builder.icmp('ult', address, local));
    case 'local':
      return builder.icmp('uge', address, local);
    case 'global':
      return builder.icmp('ult', address, shared);
    default:
      return builder.bool(false);
  }
}
