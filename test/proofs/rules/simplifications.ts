// The rewrites of the simplifier, derived from its rules: every operation with arguments of many
// forms goes through the rules. Each result that differs is a claim: it equals the operation.
import { Builder, Ids } from '../../../src/translate/ir/builder.ts';
import { constant, type Param, type Value } from '../../../src/translate/ir/nodes.ts';
import type { Attributes, IntegerRelation, OpName } from '../../../src/translate/ir/operations.ts';
import { simplify } from '../../../src/translate/ir/simplify.ts';
import { type IntegerType, onesOf, widthOf } from '../../../src/translate/ir/types.ts';
import { type IntegerOp, isIntegerOp } from './ir-formulas.ts';

/** An operation, and the value by which the simplifier replaces it. */
export interface Rewrite {
  readonly op: IntegerOp;
  readonly original: Value;
  readonly result: Value;
}

const types: readonly IntegerType[] = ['i1', 'i8', 'i16', 'i32', 'i64'];

const sameTypes = [
  'iadd', 'isub', 'imul', 'umulhi', 'smulhi', 'udiv', 'urem', 'sdiv', 'srem',
  'and', 'or', 'xor', 'umin', 'umax', 'smin', 'smax',
] as const; // biome-ignore format: a list
const shifts = ['shl', 'lshr', 'ashr', 'shlw', 'lshrw', 'ashrw'] as const;
const unary = ['popcount', 'clz', 'bitreverse'] as const;
const relations: readonly IntegerRelation[] = ['eq', 'ne', 'ult', 'ule', 'ugt', 'uge', 'slt', 'sle', 'sgt', 'sge'];

const distinct = (values: readonly bigint[], type: IntegerType): readonly Value[] =>
  [...new Set(values.map((each) => BigInt.asUintN(widthOf(type), each)))].map((bits) => constant(type, bits));

/** Constants on which rules depend: neutral and absorbing ones, powers of two, masks, and limits. */
function constantsOf(type: IntegerType): readonly Value[] {
  const width = BigInt(widthOf(type));
  const sign = 1n << (width - 1n);
  return distinct([0n, 1n, 2n, 3n, 8n, width - 1n, width, 0xffn, sign - 1n, sign, sign + 1n, -2n, -1n, 0xf0n, 300n], type);
} // biome-ignore format: a list
const fewConstants = (type: IntegerType): readonly Value[] =>
  distinct([0n, 1n, 5n, 0xffn, onesOf(type) >> 1n, onesOf(type)], type);
const amountsOf = (type: IntegerType): readonly Value[] => {
  const width = BigInt(widthOf(type));
  return distinct([0n, 1n, width / 2n, width - 1n, width, width + 3n, 0x100n, 0xffffffffn], 'i32');
};

class Forms {
  readonly builder = new Builder(new Ids());
  private readonly block = this.builder.block();
  private readonly params = new Map<string, Param>();

  param(type: IntegerType, name: string): Value {
    const key = `${name}_${type}`;
    const known = this.params.get(key) ?? this.builder.param(this.block, type, key); // Absent: a new one.
    this.params.set(key, known);
    return known;
  }

  /** Returns an operation that no rule simplifies. */
  raw<Op extends OpName>(op: Op, attrs: Attributes[Op], ...args: readonly Value[]): Value {
    const [result] = this.builder.make(op, attrs, args).results;
    if (result === undefined) throw new Error(`${op} has no result`);
    return result;
  }

  atoms(type: IntegerType): readonly Value[] {
    return [this.param(type, 'x'), this.param(type, 'y'), ...constantsOf(type)];
  }

  /** Returns operations on parameters and constants, whose results have this type. */
  compounds(type: IntegerType): readonly Value[] {
    const [x, y] = [this.param(type, 'x'), this.param(type, 'y')];
    const [few, amounts] = [fewConstants(type), amountsOf(type)];
    const [p, zero] = [this.param('i1', 'p'), constant(type, 0n)];
    const narrower = types.filter((each) => widthOf(each) < widthOf(type));
    const wider = types.filter((each) => widthOf(each) > widthOf(type));
    return [
      ...sameTypes.flatMap((op) => [x, y, ...few].map((b) => this.raw(op, {}, x, b))),
      ...few.map((each) => this.raw('isub', {}, each, x)),
      this.raw('isub', {}, zero, y),
      ...(['and', 'or', 'iadd', 'isub', 'xor'] as const).map((op) => this.raw(op, {}, y, x)),
      this.raw('xor', {}, y, constant(type, -1n)),
      ...(type === 'i1' ? [] : shifts.flatMap((op) => amounts.map((by) => this.raw(op, {}, x, by)))),
      this.raw('bitreverse', {}, x),
      ...narrower.flatMap((from) => ['x', 'y'].flatMap((name) => this.extensions(from, type, name))),
      ...wider.map((from) => this.raw('trunc', { to: type }, this.param(from, 'w'))),
      ...wider.map((from) =>
        this.raw('trunc', { to: type }, this.raw('lshrw', {}, this.param(from, 'w'), constant('i32', BigInt(widthOf(type))))),
      ), // biome-ignore format: short
      ...few.map((each) => this.raw('select', {}, p, each, zero)),
      this.raw('select', {}, p, x, y),
      this.raw('select', {}, p, constant(type, 1n), zero),
      this.raw('select', {}, p, constant(type, 3n), constant(type, 5n)),
      ...(type === 'i32' ? [this.raw('popcount', {}, x), this.raw('clz', {}, x)] : []),
      ...(type === 'i1' ? relations.slice(0, 4).map((relation) => this.raw('icmp', { relation }, this.param('i32', 'x'), this.param('i32', 'y'))) : []), // biome-ignore format: short
      ...(type === 'i32' || type === 'i64' ? [this.raw('ubfe', {}, x, constant('i32', 3n), constant('i32', 5n))] : []),
      ...(type === 'i32' ? [this.raw('join', {}, this.param('i16', 'x'), this.param('i16', 'y'))] : []),
    ];
  }

  private extensions(from: IntegerType, to: IntegerType, name: string): readonly Value[] {
    const param = this.param(from, name);
    return [this.raw('zext', { to }, param), this.raw('sext', { to }, param)];
  }

  /** Returns every operation, with arguments of all forms. The first argument has one of the types. */
  *operations(all: readonly IntegerType[]): Generator<Value> {
    for (const type of all) {
      const [x, p] = [this.param(type, 'x'), this.param('i1', 'p')];
      const [atoms, compounds] = [this.atoms(type), this.compounds(type)];
      const constants = atoms.slice(2);
      const pairs = [
        ...atoms.flatMap((a) => atoms.map((b) => [a, b] as const)),
        ...compounds.flatMap((a) => atoms.map((b) => [a, b] as const)),
        ...compounds.flatMap((b) => [x, ...constants.slice(0, 4)].map((a) => [a, b] as const)),
        ...compounds.flatMap((a) => compounds.filter((b) => mayMatch(a, b)).map((b) => [a, b] as const)),
      ].filter(([a, b]) => a.kind !== 'constant' || b.kind !== 'constant');
      for (const [a, b] of pairs) {
        for (const op of sameTypes) yield this.raw(op, {}, a, b);
        for (const relation of relations) yield this.raw('icmp', { relation }, a, b);
        yield this.raw('select', {}, p, a, b);
        if (type !== 'i1' && type !== 'i64') yield this.raw('join', {}, a, b);
      }
      for (const a of [x, ...compounds]) {
        if (type !== 'i1') for (const op of shifts) for (const by of amountsOf(type)) yield this.raw(op, {}, a, by);
        for (const op of unary) yield this.raw(op, {}, a);
        for (const to of types) {
          if (widthOf(to) > widthOf(type)) for (const op of ['zext', 'sext'] as const) yield this.raw(op, { to }, a);
          if (widthOf(to) < widthOf(type)) yield this.raw('trunc', { to }, a);
        }
      }
      yield* this.fields(type);
      yield* this.selections(type);
    }
  }

  private *fields(type: IntegerType): Generator<Value> {
    if (type === 'i1') return;
    const [x, y, unknown] = [this.param(type, 'x'), this.param(type, 'y'), this.param('i32', 'n')];
    const masked = fewConstants(type).map((mask) => this.raw('and', {}, x, mask));
    const counts = [...amountsOf(type), constant('i32', 8n), unknown];
    for (const position of counts)
      for (const length of counts) {
        for (const op of ['ubfe', 'sbfe'] as const)
          for (const a of [x, ...masked]) yield this.raw(op, {}, a, position, length);
        yield this.raw('bfi', {}, x, y, position, length);
      }
  }

  /** Selections whose condition is an operation, or equals one of their alternatives. */
  private *selections(type: IntegerType): Generator<Value> {
    const [p, q] = [this.param('i1', 'p'), this.param('i1', 'q')];
    const negated = this.raw('xor', {}, p, constant('i1', 1n));
    const atoms = [...this.atoms(type), ...(type === 'i1' ? [p, q] : []), this.raw('select', {}, p, this.param(type, 'x'), this.param(type, 'y'))]; // biome-ignore format: short
    for (const condition of [p, negated, constant('i1', 0n), constant('i1', 1n)])
      for (const a of atoms) for (const b of atoms) yield this.raw('select', {}, condition, a, b);
    // The amount of a shift may be known to be small.
    if (type === 'i1') return;
    const amount = this.raw('and', {}, this.param('i32', 'n'), constant('i32', BigInt(widthOf(type) - 1)));
    for (const op of shifts) yield this.raw(op, {}, this.param(type, 'x'), amount);
  }
}

/** Whether a rule for two operations may exist: they are the same, or one of them is a difference. */
function mayMatch(a: Value, b: Value): boolean {
  if (a.kind !== 'result' || b.kind !== 'result') return false;
  const [first, second] = [a.inst.op, b.inst.op];
  const pairs = ['trunc lshrw', 'trunc trunc', 'xor xor', 'zext zext', 'sext sext', 'isub isub', 'iadd isub', 'and or'];
  return pairs.includes(`${first} ${second}`) || pairs.includes(`${second} ${first}`);
}

/** Returns a value as text, with names for the values in `free`; with `c` for each constant if `isShape`. */
export function textOf(value: Value, free: ReadonlyMap<Value, string>, isShape: boolean): string {
  const name = free.get(value);
  if (name !== undefined) return isShape ? name : `${name}:${value.type}`;
  if (value.kind === 'constant') return isShape ? 'c' : `${value.bits}:${value.type}`;
  if (value.kind === 'param') return isShape ? (value.hint ?? '').replace(/_.*/, '') : `${value.hint}`;
  if (value.kind === 'undef') return 'undef';
  const { op, args, attrs } = value.inst;
  const full = 'relation' in attrs ? `${op}.${attrs.relation}` : op;
  const list = args.map((arg) => textOf(arg, free, isShape)).join(', ');
  return `${full}${isShape ? '' : `.${value.type}`}(${list})`;
}

/** Returns a value and the values from which it is computed. */
function partsOf(value: Value, parts = new Set<Value>()): ReadonlySet<Value> {
  parts.add(value);
  if (value.kind === 'result') for (const arg of value.inst.args) partsOf(arg, parts);
  return parts;
}

/** Names for operations. A claim with names holds for all values of these operations. */
export type Names = ReadonlyMap<Value, string>;

/**
 * Returns names for the parameters, and for the operations that a rule keeps. `areArgumentsFree`:
 * also for all arguments of the original operation.
 */
function namesIn({ original, result }: Pick<Rewrite, 'original' | 'result'>, areArgumentsFree: boolean): Names {
  const kept = partsOf(result);
  const names = new Map<Value, string>();
  const visit = (value: Value, isArgument: boolean): void => {
    if (value.kind !== 'result' && value.kind !== 'param') return;
    if (value !== original && (kept.has(value) || (isArgument && areArgumentsFree)))
      names.set(value, names.get(value) ?? `v${names.size}`); // Absent: a new one.
    else if (value.kind === 'result') for (const arg of value.inst.args) visit(arg, value === original);
  };
  visit(original, false);
  return names;
}

/** Returns names for the claims of a rewrite, the most general claim first. */
export const generalizations = (rewrite: Rewrite): readonly Names[] => [
  namesIn(rewrite, true),
  namesIn(rewrite, false),
  new Map(),
];

/** Returns the claim of a rewrite as text. */
export const claimText = ({ original, result }: Rewrite, names: Names, isShape: boolean): string =>
  `${textOf(original, names, isShape)} -> ${textOf(result, names, isShape)}`;

/** Returns the rewrites of operations whose first argument has one of the types. */
export function* rewrites(all = types): Generator<Rewrite> {
  const forms = new Forms();
  for (const original of forms.operations(all)) {
    if (original.kind !== 'result') continue;
    const { op, attrs, args } = original.inst;
    if (!isIntegerOp(op)) throw new Error(`${op} is not an integer operation`);
    const result = simplify(forms.builder, op, attrs as never, args);
    if (result !== undefined) yield { op, original, result };
  }
}
