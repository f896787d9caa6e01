// Makes mutants of rewrites of the simplifier. One constant or operation of the new value is
// changed, or the rule applies to an operation with another constant.
import type { BaseBuilder } from '../../src/translate/ir/base-builder.ts';
import { Builder, Ids } from '../../src/translate/ir/builder.ts';
import { constant, type Value } from '../../src/translate/ir/nodes.ts';
import type { IntegerRelation } from '../../src/translate/ir/operations.ts';
import { onesOf } from '../../src/translate/ir/types.ts';
import { type IntegerOp, isIntegerOp } from './rules/ir-formulas.ts';
import type { Rewrite } from './rules/simplifications.ts';

const swaps: Readonly<Partial<Record<IntegerOp, IntegerOp>>> = {
  iadd: 'isub', isub: 'iadd', and: 'or', or: 'and', xor: 'or', shlw: 'lshrw', lshrw: 'ashrw', ashrw: 'lshrw',
  zext: 'sext', sext: 'zext', umin: 'umax', umax: 'umin', smin: 'smax', smax: 'smin', ubfe: 'sbfe', sbfe: 'ubfe',
}; // biome-ignore format: pairs

const relations: Readonly<Record<IntegerRelation, IntegerRelation>> = {
  eq: 'ne', ne: 'eq', ult: 'ule', ule: 'ult', ugt: 'uge', uge: 'ugt', slt: 'sle', sle: 'slt', sgt: 'sge', sge: 'sgt',
}; // biome-ignore format: pairs

const builder: BaseBuilder = new Builder(new Ids());

/** Returns an operation without simplifying it. */
function remade(value: Value & { readonly kind: 'result' }, args: readonly Value[], op = value.inst.op): Value {
  const result = builder.make(op, value.inst.attrs as never, args).results[value.index];
  if (result === undefined) throw new Error(`${op} has no result`);
  return result;
}

const replaceAt = (args: readonly Value[], index: number, value: Value): readonly Value[] =>
  args.map((arg, at) => (at === index ? value : arg));

/** Returns copies of a value with one other constant. */
function* otherConstants(value: Value): Generator<Value> {
  if (value.kind === 'constant') {
    yield constant(value.type, value.bits ^ 1n);
    yield constant(value.type, onesOf(value.type) - value.bits);
  }
  if (value.kind !== 'result') return;
  const { args } = value.inst;
  for (const [index, arg] of args.entries())
    for (const other of otherConstants(arg)) yield remade(value, replaceAt(args, index, other));
}

/** Returns copies of a value with one other operation, or with two exchanged operands. */
function* otherOperations(value: Value): Generator<Value> {
  if (value.kind !== 'result') return;
  const { op, args } = value.inst;
  const swap = isIntegerOp(op) ? swaps[op] : undefined;
  if (swap !== undefined) yield remade(value, args, swap);
  if (op === 'icmp') {
    const [result] = builder.make(op, { relation: relations[value.inst.attrs.relation] }, args).results;
    if (result !== undefined) yield result;
  }
  const [a, b, c] = args;
  if (op === 'isub' && a !== undefined && b !== undefined) yield remade(value, [b, a]);
  if (op === 'select' && a !== undefined && b !== undefined && c !== undefined) yield remade(value, [a, c, b]);
  for (const [index, arg] of args.entries())
    for (const other of otherOperations(arg)) yield remade(value, replaceAt(args, index, other));
}

export function* mutantsOfRewrite({ op, original, result }: Rewrite): Generator<Rewrite> {
  for (const other of otherConstants(result)) yield { op, original, result: other };
  for (const other of otherOperations(result)) yield { op, original, result: other };
  for (const other of otherConstants(original)) yield { op, original: other, result };
}
