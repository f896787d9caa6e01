// Executes a function of the IR in one thread, with the folds of its operations. Prelude functions
// are implemented here separately, with BigInt.
import {
  type Block,
  type Definition,
  type Edge,
  type Func,
  isDefinition,
  type Value,
} from '../../src/translate/ir/nodes.ts';
import { type HelperCall, type HelperType, type OpName, operations } from '../../src/translate/ir/operations.ts';
import type { Type } from '../../src/translate/ir/types.ts';

type Helper = (args: readonly bigint[]) => bigint;

const folded =
  (op: OpName, ...types: readonly Type[]): Helper =>
  (args) => {
    const [bits] = operations[op].fold?.(args, types, {} as never) ?? [];
    if (bits === undefined) throw new Error(`${op} folds nothing`);
    return bits;
  };
const wide = (op: OpName): Helper => folded(op, 'i64', 'i64');
const word = (op: OpName): Helper => folded(op, 'i32', 'i32');
const below =
  (width: number, signed: boolean): Helper =>
  ([a = 0n, b = 0n]) => {
    const number = (bits: bigint) => (signed ? BigInt.asIntN(width, bits) : bits);
    return number(a) < number(b) ? 1n : 0n;
  };

/** The functions by name. Arguments and results of 64 bits are whole numbers, not pairs. */
const helpers: Readonly<Record<string, Helper>> = {
  mul_hi_u32: word('umulhi'),
  mul_hi_s32: word('smulhi'),
  mul_hi_u64: wide('umulhi'),
  mul_hi_s64: wide('smulhi'),
  div_u32: word('udiv'),
  rem_u32: word('urem'),
  div_s32: word('sdiv'),
  rem_s32: word('srem'),
  div_u64: wide('udiv'),
  rem_u64: wide('urem'),
  div_s64: wide('sdiv'),
  rem_s64: wide('srem'),
  min_u64: wide('umin'),
  max_u64: wide('umax'),
  min_s64: wide('smin'),
  max_s64: wide('smax'),
  lt_u64: below(64, false),
  lt_s64: below(64, true),
  shl64: wide('shl'),
  shr_u64: wide('lshr'),
  shr_s64: wide('ashr'),
  bfe_u64: wide('ubfe'),
  bfe_s64: wide('sbfe'),
  bfi_b64: wide('bfi'),
  clz64: wide('clz'),
  leading_zeros: word('clz'),
  shl_clamp: word('shl'),
  shr_clamp: word('lshr'),
  sar_clamp: word('ashr'),
  bfe_u32: word('ubfe'),
  bfe_s32: word('sbfe'),
  bfe_u32_plain: word('ubfe'),
  bfe_s32_plain: word('sbfe'),
  bfi_b32: word('bfi'),
};

function callHelper({ name, params, result }: HelperCall, words: readonly bigint[]): readonly bigint[] {
  const helper = helpers[name];
  if (helper === undefined) throw new Error(`${name} is not known here`);
  let next = 0;
  const take = () => words[next++] ?? 0n;
  const args = params.map((param: HelperType) => (param === 'vec2<u32>' ? take() | (take() << 32n) : take()));
  const bits = helper(args);
  return result === 'vec2<u32>' ? [bits & 0xffff_ffffn, bits >> 32n] : [bits];
}

export interface Outcome {
  /** The results; undefined if the function still runs after the maximum number of steps. */
  readonly results: readonly bigint[] | undefined;
  /** The stores, in order. */
  readonly stores: readonly string[];
}

/** Executes at most `steps` blocks. A load returns a hash of its address. */
export function evaluate(func: Func, args: readonly bigint[], steps = 1000): Outcome {
  const values = new Map<Definition, bigint>();
  const stores: string[] = [];
  const read = (value: Value): bigint => {
    if (!isDefinition(value)) return value.kind === 'constant' ? value.bits : 0n;
    const bits = values.get(value);
    if (bits === undefined) throw new Error(`value ${value.id} ${value.hint} is read before it is defined`);
    return bits;
  };
  const enter = ({ to, args: given }: Edge): Block => {
    const bits = given.map(read);
    to.params.forEach((param, index) => {
      values.set(param, bits[index] ?? 0n);
    });
    return to;
  };
  let [block] = func.blocks;
  if (block === undefined) throw new Error('the function is empty');
  block.params.forEach((param, index) => {
    values.set(param, args[index] ?? 0n);
  });
  for (let step = 0; step < steps; step++) {
    for (const inst of block.insts) {
      const isOn = inst.when === undefined || read(inst.when) === 1n;
      const bits = inst.args.map(read);
      let results: readonly bigint[] | undefined;
      if (!isOn) results = inst.otherwise.map(read);
      else if (inst.op === 'store') stores.push(bits.join());
      else if (inst.op === 'load')
        results = inst.results.map((_, index) => ((bits[0] ?? 0n) * 77n + BigInt(index)) & 0xffn);
      else if (inst.op === 'helper') results = callHelper(inst.attrs, bits);
      else
        results = operations[inst.op].fold?.(
          bits,
          inst.args.map(({ type }) => type),
          inst.attrs as never,
        );
      inst.results.forEach((result, index) => {
        const value = results?.[index];
        if (value === undefined) throw new Error(`${inst.op} gives nothing`);
        values.set(result, value);
      });
    }
    const { end }: Block = block;
    switch (end.kind) {
      case 'jump':
        block = enter(end.to);
        break;
      case 'branch':
        block = enter(read(end.condition) === 1n ? end.then : end.else);
        break;
      case 'switch': {
        const way = end.edges[Number(read(end.selector))] ?? end.edges.at(-1);
        if (way === undefined) throw new Error('a switch leads nowhere');
        block = enter(way);
        break;
      }
      case 'return':
        return { results: end.values.map(read), stores };
      default:
        return { results: [], stores };
    }
  }
  return { results: undefined, stores };
}
