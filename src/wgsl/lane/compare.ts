// Comparisons and selections of integers and bits; those of f32 are in float-compare.ts.
import type { Mods, SelectRowName } from '../../isa/index.ts';
import { asF32, asI32, asU32, bool, call, i32, select, u32 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import { compareSigned, compareUnsigned, logic, negate, type Relation, relations } from '../ops.ts';
import { at, extended, help, integerType, type LaneLowering } from './lowering.ts';

type Row = Extract<SelectRowName, 'setp' | 'setp.bool' | 'set' | 'set.bool' | 'selp' | 'slct' | 'mov' | 'cvt.pack'>;

/// The relation of a comparison, and whether it takes its operands as unsigned whatever their type.
const comparisons: Readonly<Record<string, { relation: Relation; unsigned?: true }>> = {
  eq: { relation: '==' },
  ne: { relation: '!=' },
  lt: { relation: '<' },
  le: { relation: '<=' },
  gt: { relation: '>' },
  ge: { relation: '>=' },
  lo: { relation: '<', unsigned: true },
  ls: { relation: '<=', unsigned: true },
  hi: { relation: '>', unsigned: true },
  hs: { relation: '>=', unsigned: true },
};

/// A truth value and its complement, each the shortest way.
export type Verdict = readonly [Expr, Expr];

const opposites: Record<Relation, Relation> = { '==': '!=', '!=': '==', '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

function compare(ctx: LowerContext, mods: Mods, a: Expr, b: Expr): Verdict {
  const type = integerType(mods.type);
  const comparison = comparisons[mods.cmp ?? ''];
  if (!comparison) throw new RangeError(`no comparison: ${mods.cmp}`);
  const { relation } = comparison;
  const signed = type.signed && !comparison.unsigned;
  if (type.bits === 64) {
    const verdict = compareWide(ctx, signed, relation, a, b);
    return [verdict, negate(verdict)];
  }
  if (!signed || relation === '==' || relation === '!=') {
    return [compareUnsigned(a, relation, b), compareUnsigned(a, opposites[relation], b)];
  }
  const [x, y] = [extended(type, a), extended(type, b)];
  return [compareSigned(x, relation, y), compareSigned(x, opposites[relation], y)];
}

function compareWide(ctx: LowerContext, signed: boolean, relation: Relation, a: Expr, b: Expr): Expr {
  if (a.constant !== undefined && b.constant !== undefined) {
    const number = (x: bigint): bigint => (signed ? BigInt.asIntN(64, x) : x);
    return bool(relations[relation](number(a.constant), number(b.constant)));
  }
  const equal = (): Expr => call('all', 'bool', { code: `${a.code} == ${b.code}`, type: 'bool' });
  const below = (x: Expr, y: Expr): Expr => help(ctx, signed ? 'lt_s64' : 'lt_u64', 'bool', x, y);
  switch (relation) {
    case '==':
      return equal();
    case '!=':
      return call('any', 'bool', { code: `${a.code} != ${b.code}`, type: 'bool' });
    case '<':
      return below(a, b);
    case '>':
      return below(b, a);
    case '<=':
      return negate(below(b, a));
    case '>=':
      return negate(below(a, b));
  }
}

/// The result and its complement, each combined with `c`.
export function combine(mods: Mods, [yes, no]: Verdict, c: Expr): Verdict {
  if (mods.bool !== 'and' && mods.bool !== 'or' && mods.bool !== 'xor') {
    throw new RangeError(`no boolean operation: ${mods.bool}`);
  }
  return [logic(mods.bool, yes, c), logic(mods.bool, no, c)];
}

/// What `set` makes of a truth value: all ones, or 1.0.
export function setValue(ctx: LowerContext, mods: Mods, verdict: Expr): Expr {
  if (mods.dtype === 'f32') return select(verdict, asF32(ctx, u32(0x3f800000)), asF32(ctx, u32(0)));
  return select(verdict, u32(0xffffffff), u32(0));
}

/// Brings two values to one type, so that one can be chosen. f32 bits stay as they are either way.
export function choose(condition: Expr, whenTrue: Expr, whenFalse: Expr): Expr {
  if (whenTrue.type === whenFalse.type) return select(condition, whenTrue, whenFalse);
  return select(condition, asU32(whenTrue), asU32(whenFalse));
}

/// A saturated half of a packed result.
function packedHalf(signed: boolean, e: Expr): Expr {
  const [least, most] = signed ? [-0x8000, 0x7fff] : [0, 0xffff];
  return asU32(call('clamp', 'i32', asI32(e), i32(least), i32(most)));
}

export const compareLowerings: Record<Row, LaneLowering> = {
  setp: (ctx, mods, sources) => compare(ctx, mods, at(sources, 0), at(sources, 1)),

  'setp.bool': (ctx, mods, sources) => {
    return combine(mods, compare(ctx, mods, at(sources, 0), at(sources, 1)), at(sources, 2));
  },

  set: (ctx, mods, sources) => [setValue(ctx, mods, compare(ctx, mods, at(sources, 0), at(sources, 1))[0])],

  'set.bool': (ctx, mods, sources) => {
    const verdict = compare(ctx, mods, at(sources, 0), at(sources, 1));
    return [setValue(ctx, mods, combine(mods, verdict, at(sources, 2))[0])];
  },

  selp: (_ctx, _mods, sources) => [choose(at(sources, 2), at(sources, 0), at(sources, 1))],

  slct: (_ctx, _mods, sources) => {
    return [choose(compareSigned(at(sources, 2), '>=', i32(0)), at(sources, 0), at(sources, 1))];
  },

  mov: (_ctx, _mods, sources) => [at(sources, 0)],

  'cvt.pack': (_ctx, mods, sources) => {
    const signed = mods.dtype === 's16';
    const [upper, lower] = [packedHalf(signed, at(sources, 0)), packedHalf(signed, at(sources, 1))];
    return [call('insertBits', 'u32', lower, upper, u32(16), u32(16))];
  },
};
