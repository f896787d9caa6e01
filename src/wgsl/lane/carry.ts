// Extended-precision arithmetic: the carry flag is a source and a result, 0 or 1. A difference is
// the sum `a + ~b + 1`, with that sum's carry.
import type { IntegerRowName } from '../../isa/index.ts';
import type { Expr } from '../expr.ts';
import { differenceWithCarry, product, sumWithCarry } from './arithmetic.ts';
import { at, integerType, type LaneLowering } from './lowering.ts';

type Row = Extract<IntegerRowName, 'add.cc' | 'addc' | 'sub.cc' | 'subc' | 'mad.cc' | 'madc'>;

/// The forms without `.cc` leave the flag alone.
const flagged = (mods: Readonly<Record<string, string>>, both: readonly Expr[]): readonly Expr[] => {
  return mods.cc ? both : both.slice(0, 1);
};

export const carryLowerings: Record<Row, LaneLowering> = {
  'add.cc': (ctx, mods, sources) => sumWithCarry(ctx, integerType(mods.type), at(sources, 0), at(sources, 1)),

  addc: (ctx, mods, sources) => {
    return flagged(mods, sumWithCarry(ctx, integerType(mods.type), at(sources, 0), at(sources, 1), at(sources, 2)));
  },

  'sub.cc': (ctx, mods, sources) => {
    return differenceWithCarry(ctx, integerType(mods.type), at(sources, 0), at(sources, 1));
  },

  subc: (ctx, mods, sources) => {
    const [a, b, carry] = [at(sources, 0), at(sources, 1), at(sources, 2)];
    return flagged(mods, differenceWithCarry(ctx, integerType(mods.type), a, b, carry));
  },

  'mad.cc': (ctx, mods, sources) => {
    const type = integerType(mods.type);
    const whole = ctx.name(product(ctx, type, mods.half, at(sources, 0), at(sources, 1)));
    return sumWithCarry(ctx, type, whole, at(sources, 2));
  },

  madc: (ctx, mods, sources) => {
    const type = integerType(mods.type);
    const whole = ctx.name(product(ctx, type, mods.half, at(sources, 0), at(sources, 1)));
    return flagged(mods, sumWithCarry(ctx, type, whole, at(sources, 2), at(sources, 3)));
  },
};
