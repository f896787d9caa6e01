// Passes constants to hardware operations as values that the driver does not know. A driver that
// unrolls a loop sees the zero that a sum begins with. It then folds `x + 0.0` to `x` and `fma(x,
// y, 0.0)` to `x * y`, so a negative zero keeps its sign (seen on an H200).
//
// Drivers also fold `x - x` to zero for every x, and round a product of two constants before an
// addition.
import { at, get } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { type ArgumentEdge, incomingEdges } from '../graph/index.ts';
import { passing } from '../graph/known-zeros.ts';
import type { Builder } from '../ir/builder.ts';
import { IdSet } from '../ir/id-map.ts';
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
} from '../ir/nodes.ts';
import { unknownZero } from '../ir/unknown-zero.ts';

/** Creates values that replace constants of a function, and that compilers do not know. */
export class HiddenConstants {
  /** The instructions to insert at the start of the function. */
  readonly insts: Inst[] = [];
  private readonly builder: Builder;
  private readonly made = new Map<bigint, Value>();
  /** The hidden f32 values, by the word that contains their bits. */
  private readonly floats = new Map<Value, Value>();
  private zero: Value | undefined;

  constructor(builder: Builder) {
    this.builder = builder;
  }

  /** Returns a hidden value with these bits. */
  of(bits: bigint, type: 'f32' | 'i32' = 'f32'): Value {
    const { builder } = this;
    return builder.within(this.insts, () => {
      this.zero ??= unknownZero(builder);
      const { zero } = this;
      const word = getOrInsert(this.made, bits, () => builder.xor(zero, builder.i32(bits)));
      return type === 'i32' ? word : getOrInsert(this.floats, word, () => builder.bitcast(word, 'f32'));
    });
  }

  /**
   * Hides the constants that one of these values may be: the arguments of parameters, or the
   * operands of selections.
   */
  hideIn(func: Func, values: Iterable<Value>): void {
    const { params, selects } = givers(func, values);
    const hide = (value: Value): Value => {
      const bits = constantOf(value);
      return bits === undefined ? value : this.of(bits, value.type === 'i32' ? 'i32' : 'f32');
    };
    for (const inst of selects) inst.args = inst.args.map((arg, index) => (index === 0 ? arg : hide(arg)));
    if (params.size === 0) return;
    const edge = ({ to, args }: Edge): Edge => ({
      to,
      args: args.map((arg, index) => {
        const param = to.params[index];
        return param !== undefined && params.has(param) ? hide(arg) : arg;
      }),
    });
    for (const block of func.blocks) block.end = mapTerminator(block.end, (value) => value, edge);
  }
}

/**
 * Returns the parameters and selections that pass a constant to one of the values, through
 * bitcasts, sign changes and selections.
 */
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
    if (next.kind === 'result' && passing.has(next.inst.op)) {
      open.push(...next.inst.args);
      continue;
    }
    const given =
      next.kind === 'param' ? argumentsOf(next, incoming) : next.inst.op === 'select' ? next.inst.args.slice(1) : [];
    open.push(...given);
    // Hide only i32 and f32, because shared guards compute no other types.
    if (next.type !== 'i32' && next.type !== 'f32') continue;
    if (given.some((value) => constantOf(value) !== undefined)) {
      if (next.kind === 'param') params.add(next);
      else selects.push(next.inst);
    }
  }
  return { params, selects };
}

function argumentsOf(param: Param, incoming: { get(block: Block): ArgumentEdge[] | undefined }): readonly Value[] {
  const index = param.block.params.indexOf(param);
  return get(incoming, param.block, 'the edges into a block').map(({ args }) =>
    at(args, index, 'an argument of an edge'),
  );
}
