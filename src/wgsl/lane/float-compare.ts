// Comparisons of f32 values, and the selection by one's sign. On bits, since NaNs decide them and hardware may flush subnormals; in fast mode
// ordered comparisons are WGSL's own.
import type { Mods, SelectRowName } from '../../isa/index.ts';
import { asU32, infix, u32 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import type { HelperName } from '../helpers.ts';
import { compareUnsigned, logic, negate } from '../ops.ts';
import { choose, combine, setValue, type Verdict } from './compare.ts';
import { floatSource } from './float.ts';
import { at, help, type LaneLowering } from './lowering.ts';

type Row = Extract<SelectRowName, 'setp.f32' | 'setp.bool.f32' | 'set.f32' | 'set.bool.f32' | 'slct.f32'>;

/// A test that is false for NaNs, with its operands as they are or swapped; an unordered comparison is the negation of
/// the opposite ordered one.
interface Test {
  readonly helper: HelperName;
  /// WGSL's operator, where it is the same for all but NaNs.
  readonly operator?: string;
  readonly swapped?: true;
  readonly negated?: true;
}

const tests: Readonly<Record<string, Test>> = {
  eq: { helper: 'f32_eq', operator: '==' },
  ne: { helper: 'f32_ne' },
  lt: { helper: 'f32_lt', operator: '<' },
  le: { helper: 'f32_le', operator: '<=' },
  gt: { helper: 'f32_lt', operator: '<', swapped: true },
  ge: { helper: 'f32_le', operator: '<=', swapped: true },
  equ: { helper: 'f32_ne', negated: true },
  neu: { helper: 'f32_eq', negated: true },
  ltu: { helper: 'f32_le', swapped: true, negated: true },
  leu: { helper: 'f32_lt', swapped: true, negated: true },
  gtu: { helper: 'f32_le', negated: true },
  geu: { helper: 'f32_lt', negated: true },
  num: { helper: 'f32_ordered' },
  nan: { helper: 'f32_ordered', negated: true },
};

function compare(ctx: LowerContext, mods: Mods, sources: readonly Expr[]): Verdict {
  const test = tests[mods.cmp ?? ''];
  if (!test) throw new RangeError(`no f32 comparison: ${mods.cmp}`);
  const [a, b] = [floatSource(ctx, mods, sources, 0), floatSource(ctx, mods, sources, 1)];
  if (ctx.float.mode === 'fast' && test.operator) {
    const [x, y] = test.swapped ? [b, a] : [a, b];
    const both = infix(x, test.operator, y, 'bool');
    return [both, negate(both)];
  }
  const holds = help(ctx, test.helper, 'bool', ...(test.swapped ? [b, a] : [a, b]));
  return test.negated ? [negate(holds), holds] : [holds, negate(holds)];
}

export const floatCompareLowerings: Record<Row, LaneLowering> = {
  'setp.f32': (ctx, mods, sources) => compare(ctx, mods, sources),

  'setp.bool.f32': (ctx, mods, sources) => combine(mods, compare(ctx, mods, sources), at(sources, 2)),

  'set.f32': (ctx, mods, sources) => [setValue(ctx, mods, compare(ctx, mods, sources)[0])],

  'set.bool.f32': (ctx, mods, sources) => {
    return [setValue(ctx, mods, combine(mods, compare(ctx, mods, sources), at(sources, 2))[0])];
  },

  'slct.f32': (ctx, mods, sources) => {
    const c = ctx.name(asU32(floatSource(ctx, mods, sources, 2)));
    // At least zero: bits up to the infinity's, or -0.
    const positive = compareUnsigned(c, '<=', u32(0x7f80_0000));
    const negativeZero = compareUnsigned(c, '==', u32(0x8000_0000));
    return [choose(logic('or', positive, negativeZero), at(sources, 0), at(sources, 1))];
  },
};
