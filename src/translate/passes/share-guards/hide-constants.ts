// Drivers that unroll a loop see the zero that a sum begins with, and then take `x + 0.0` for `x` and `fma(x, y, 0.0)` for `x * y`: a negative zero keeps its sign
// (seen on an H200). So constants which compilers have such rules for come to hardware's operations as values that only hardware knows.
import { isDelicate } from '../../analysis/quanta.ts';
import { type ArgumentEdge, incomingEdges } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { IdSet } from '../../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  type Edge,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  type Param,
  type Value,
} from '../../ir/nodes.ts';

/// Hides such constants wherever one of these values may be one: as parameters are given them, or as they are chosen. The result belongs to the function's
/// beginning.
export function hideConstants(func: Func, builder: Builder, values: Iterable<Value>): readonly Inst[] {
  const { params, selects } = givers(func, values);
  if (params.size + selects.length === 0) return [];
  const hidden = new Map<bigint, Value>();
  const insts: Inst[] = [];
  let zero: Value | undefined;
  const hide = (value: Value): Value => {
    const bits = constantOf(value);
    if (bits === undefined || !isDelicate(value)) return value;
    const { list } = builder;
    builder.into(insts);
    zero ??= unknownZero(builder);
    const made = hidden.get(bits) ?? builder.bitcast(builder.or(zero, builder.i32(bits)), 'f32');
    builder.into(list);
    hidden.set(bits, made);
    return made;
  };
  for (const inst of selects) inst.args = inst.args.map((arg, index) => (index === 0 ? arg : hide(arg)));
  const edge = ({ to, args }: Edge): Edge => ({
    to,
    args: args.map((arg, index) => {
      const param = to.params[index];
      return param !== undefined && params.has(param) ? hide(arg) : arg;
    }),
  });
  for (const block of func.blocks) block.end = mapTerminator(block.end, (value) => value, edge);
  return insts;
}

/// No square has the bits 1 and 4 set: squares are 0, 1 or 4, modulo 8. No compiler is known to know.
function unknownZero(builder: Builder): Value {
  const [block] = builder.emit('special', { name: '%ctaid.x', type: 'i32' }, []);
  if (block === undefined) throw new RangeError('a special register has a value');
  const square = builder.imul(block, block);
  const never = builder.icmp('eq', builder.and(square, builder.i32(5)), builder.i32(5));
  return builder.select(never, builder.i32(1), builder.i32(0));
}

/// Parameters that are given a constant of that kind on their way to one of the values, and choices of one.
function givers(
  func: Func,
  values: Iterable<Value>,
): { readonly params: IdSet<Param>; readonly selects: readonly Inst[] } {
  const incoming = incomingEdges(func);
  const seen = new IdSet<Definition>();
  const params = new IdSet<Param>();
  const selects: Inst[] = [];
  const open = [...values];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isDefinition(next) || seen.has(next)) continue;
    seen.add(next);
    const given =
      next.kind === 'param' ? argumentsOf(next, incoming) : next.inst.op === 'select' ? next.inst.args.slice(1) : [];
    if (given.some(isDelicate)) {
      if (next.kind === 'param') params.add(next);
      else selects.push(next.inst);
    }
    open.push(...given);
  }
  return { params, selects };
}

function argumentsOf(param: Param, incoming: { get(block: Block): ArgumentEdge[] | undefined }): readonly Value[] {
  const index = param.block.params.indexOf(param);
  return (incoming.get(param.block) ?? []).flatMap(({ args }) => args[index] ?? []);
}
