// Lowers addresses to arithmetic. The address of a variable becomes a number, an address conversion
// becomes an addition, and a pointer to a buffer with its own binding becomes 0.
import { at } from '../../../base/invariants.ts';
import type { Variable } from '../../../ptx/ast.ts';
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
import { inSpace, type Layout, localWindow, sharedWindow, windowOf } from '../../layout.ts';

/** A range of generic addresses, from `start` on. */
interface Range {
  readonly start: number;
  readonly bytes: number;
}

interface Addresses {
  readonly layout: Layout;
  readonly bound: ReadonlySet<number>;
  /** The ranges of constant variables and of copies of parameters. Their spaces have no windows. */
  readonly constants: readonly Range[];
  readonly params: readonly Range[];
}

export function lowerSymbols(program: Program, builder: Builder, layout: Layout, bound: ReadonlySet<number>): void {
  const constants = rangesOf(inSpace(program.variables, 'const'), layout, 0);
  const { paramCopies = [] } = program;
  const params = rangesOf(paramCopies, layout, localWindow);
  const addresses: Addresses = { layout, bound, constants, params };
  for (const func of [program.kernel, ...program.functions]) lowerFunc(func, builder, addresses);
}

/** Returns the ranges of variables. Adjacent variables form one range. */
function rangesOf(variables: readonly Variable[], { offsetOf }: Layout, window: number): Range[] {
  const ranges: Range[] = [];
  for (const variable of [...variables].sort((a, b) => offsetOf(a) - offsetOf(b))) {
    const start = window + offsetOf(variable);
    const end = start + variable.bytes;
    const last = ranges.at(-1);
    if (last && start - (last.start + last.bytes) < 16)
      ranges[ranges.length - 1] = { ...last, bytes: end - last.start };
    else ranges.push({ start, bytes: variable.bytes });
  }
  return ranges;
}

function lowerFunc(func: Func, builder: Builder, addresses: Addresses): void {
  const { bound } = addresses;
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
      const value = lowered(inst, known, builder, addresses);
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

/** Moves a new constant operand to the end, where other passes expect it. */
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

function lowered(inst: Inst, a: Value | undefined, builder: Builder, addresses: Addresses): Value {
  const { type } = at(inst.results, 0, 'the result of an instruction');
  if (inst.op === 'symbol') {
    const { variable, offset } = inst.attrs;
    return constant(type, addresses.layout.offsetOf(variable) + offset);
  }
  if (a === undefined) return constant(type, 0);
  if (inst.op === 'cvta') {
    const window = windowOf(inst.attrs.space);
    if (window === 0) return a;
    return builder.iadd(a, constant(a.type, inst.attrs.direction === 'to-generic' ? window : -window));
  }
  return inst.op === 'isspacep'
    ? isInSpace(builder, inst.attrs.space, builder.resize(a, 'i32'), addresses)
    : constant(type, 0);
}

function isInSpace(builder: Builder, space: Space, address: Value, { constants, params }: Addresses): Value {
  const [shared, local] = [builder.i32(sharedWindow), builder.i32(localWindow)];
  const isIn = (ranges: readonly Range[]): Value =>
    ranges
      .map(({ start, bytes }) => builder.icmp('ult', builder.iadd(address, builder.i32(-start)), builder.i32(bytes)))
      .reduce<Value>((found, next) => builder.or(found, next), builder.bool(false));
  const except = (found: Value, ranges: readonly Range[]): Value =>
    ranges.length === 0 ? found : builder.and(found, builder.not(isIn(ranges)));
  switch (space) {
    case 'shared':
      return builder.and(builder.icmp('uge', address, shared), builder.icmp('ult', address, local));
    case 'local':
      return except(builder.icmp('uge', address, local), params);
    case 'global': {
      // In PTX, the window of parameters is part of global memory.
      const found = except(builder.icmp('ult', address, shared), constants);
      return params.length === 0 ? found : builder.or(found, isIn(params));
    }
    case 'const':
      return isIn(constants);
    case 'param':
      return isIn(params);
    default:
      return builder.bool(false);
  }
}
