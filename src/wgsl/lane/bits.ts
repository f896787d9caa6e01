// Counting, searching, extracting and permuting bits.
import type { IntegerRowName, Mods } from '../../isa/index.ts';
import { asI32, asU32, call, high, low, pair, select, u32 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import { add, and, compareUnsigned, or, shiftLeft, shiftRight, signExtend, sub, zeroExtend } from '../ops.ts';
import { at, help, integerType, type LaneLowering } from './lowering.ts';

type Row = Extract<
  IntegerRowName,
  'popc' | 'clz' | 'bfind' | 'fns' | 'brev' | 'bfe' | 'bfi' | 'szext' | 'bmsk' | 'prmt'
>;

type WordBuiltin = 'countOneBits' | 'reverseBits';

const wordFolds: Readonly<Record<WordBuiltin, (bits: string) => number>> = {
  countOneBits: (bits) => bits.replaceAll('0', '').length,
  reverseBits: (bits) => Number.parseInt([...bits].reverse().join(''), 2),
};

const binary = (constant: bigint): string => constant.toString(2).padStart(32, '0');

/// A builtin that counts in or turns one word.
function ofWord(name: WordBuiltin, e: Expr): Expr {
  const word = asU32(e);
  if (word.constant !== undefined) return u32(wordFolds[name](binary(word.constant)));
  return call(name, 'u32', word);
}

function leadingZeros(ctx: LowerContext, e: Expr): Expr {
  const word = asU32(e);
  if (word.constant !== undefined) return u32(`${binary(word.constant)}1`.indexOf('1'));
  return help(ctx, 'leading_zeros', 'u32', word);
}

export const bitLowerings: Record<Row, LaneLowering> = {
  popc: (ctx, mods, sources) => {
    if (mods.type === 'b32') return [ofWord('countOneBits', at(sources, 0))];
    const a = ctx.name(at(sources, 0));
    return [add(ofWord('countOneBits', low(a)), ofWord('countOneBits', high(a)))];
  },

  clz: (ctx, mods, sources) => {
    if (mods.type === 'b32') return [leadingZeros(ctx, at(sources, 0))];
    return [help(ctx, 'clz64', 'u32', at(sources, 0))];
  },

  bfind: (ctx, mods, sources) => {
    const { signed, bits } = integerType(mods.type);
    const a = at(sources, 0);
    if (bits === 64) {
      const magnitude = signed ? help(ctx, 'fold_sign_u64', 'vec2<u32>', a) : a;
      return [help(ctx, mods.shiftamt ? 'bfind_shift_u64' : 'bfind_u64', 'u32', magnitude)];
    }
    const magnitude = signed ? help(ctx, 'fold_sign_u32', 'u32', asU32(a)) : asU32(a);
    if (mods.shiftamt) return [help(ctx, 'bfind_shift_u32', 'u32', magnitude)];
    return [sub(u32(31), leadingZeros(ctx, magnitude))];
  },

  fns: (ctx, _mods, sources) => {
    return [help(ctx, 'find_nth_set', 'u32', asU32(at(sources, 0)), asU32(at(sources, 1)), asI32(at(sources, 2)))];
  },

  brev: (ctx, mods, sources) => {
    if (mods.type === 'b32') return [ofWord('reverseBits', at(sources, 0))];
    const a = ctx.name(at(sources, 0));
    return [pair(ofWord('reverseBits', high(a)), ofWord('reverseBits', low(a)))];
  },

  bfe: (ctx, mods, sources) => {
    const { signed, bits } = integerType(mods.type);
    const [a, position, length] = [at(sources, 0), asU32(at(sources, 1)), asU32(at(sources, 2))];
    if (bits === 64) return [help(ctx, signed ? 'bfe_s64' : 'bfe_u64', 'vec2<u32>', a, position, length)];
    if (position.constant !== undefined && length.constant !== undefined) {
      return [constantField(signed, a, Number(position.constant & 0xffn), Number(length.constant & 0xffn))];
    }
    if (signed) return [asU32(help(ctx, 'bfe_s32', 'i32', asI32(a), position, length))];
    return [help(ctx, 'bfe_u32', 'u32', asU32(a), position, length)];
  },

  bfi: (ctx, mods, sources) => {
    const [field, into] = [at(sources, 0), at(sources, 1)];
    const [position, length] = [asU32(at(sources, 2)), asU32(at(sources, 3))];
    if (mods.type === 'b64') return [help(ctx, 'bfi_b64', 'vec2<u32>', field, into, position, length)];
    if (position.constant !== undefined && length.constant !== undefined) {
      const start = Math.min(Number(position.constant & 0xffn), 32);
      const count = Math.min(Number(length.constant & 0xffn), 32 - start);
      if (count === 0) return [asU32(into)];
      if (count === 32) return [asU32(field)];
      if (field.constant !== undefined && into.constant !== undefined) {
        const mask = ((1n << BigInt(count)) - 1n) << BigInt(start);
        return [u32((into.constant & ~mask) | ((field.constant << BigInt(start)) & mask))];
      }
      return [call('insertBits', 'u32', asU32(into), asU32(field), u32(start), u32(count))];
    }
    return [help(ctx, 'bfi_b32', 'u32', asU32(field), asU32(into), position, length)];
  },

  szext: (ctx, mods, sources) => {
    const a = at(sources, 0);
    const count = mods.mode === 'wrap' ? and(at(sources, 1), u32(31)) : asU32(at(sources, 1));
    const known = count.constant === undefined ? undefined : Math.min(Number(count.constant), 32);
    if (mods.type === 's32') {
      if (known === undefined) return [asU32(help(ctx, 'sign_extend_low', 'i32', asI32(a), count))];
      return [known === 0 ? u32(0) : asU32(signExtend(a, known))];
    }
    return [known === undefined ? and(a, help(ctx, 'low_mask', 'u32', count)) : zeroExtend(a, known)];
  },

  bmsk: (ctx, mods, sources) => {
    const [position, count] = [asU32(at(sources, 0)), asU32(at(sources, 1))];
    if (mods.mode === 'clamp') return [help(ctx, 'bit_mask_clamp', 'u32', position, count)];
    return [shiftLeft(help(ctx, 'low_mask', 'u32', and(count, u32(31))), and(position, u32(31)))];
  },

  prmt: (ctx, mods, sources) => {
    const [a, b] = [ctx.name(asU32(at(sources, 0))), ctx.name(asU32(at(sources, 1)))];
    const selector = prmtSelector(mods, at(sources, 2));
    if (selector.constant !== undefined) return [constantPermutation(ctx, a, b, Number(selector.constant))];
    return [help(ctx, 'permute_bytes', 'u32', a, b, selector)];
  },
};

/// A bit field whose place is known: beyond the word lie zeros, or copies of the sign.
function constantField(signed: boolean, a: Expr, position: number, length: number): Expr {
  if (length === 0) return u32(0);
  if (signed) {
    const start = Math.min(position, 31);
    const count = Math.min(length, 32 - start);
    if (count === 32) return asU32(a);
    if (a.constant !== undefined) return u32(BigInt.asIntN(count, a.constant >> BigInt(start)));
    return asU32(call('extractBits', 'i32', asI32(a), u32(start), u32(count)));
  }
  if (position > 31) return u32(0);
  const count = Math.min(length, 32 - position);
  if (count === 32) return asU32(a);
  if (a.constant !== undefined) return u32(BigInt.asUintN(count, a.constant >> BigInt(position)));
  return call('extractBits', 'u32', asU32(a), u32(position), u32(count));
}

/// The selectors of prmt's special modes, for `c` modulo 4 of 0 to 3: the bytes picked, the highest first.
const prmtModes: Readonly<Record<string, readonly [number, number, number, number]>> = {
  f4e: [0x3210, 0x4321, 0x5432, 0x6543],
  b4e: [0x5670, 0x6701, 0x7012, 0x0123],
  rc8: [0x0000, 0x1111, 0x2222, 0x3333],
  ecl: [0x3210, 0x3211, 0x3222, 0x3333],
  ecr: [0x0000, 0x1110, 0x2210, 0x3210],
  rc16: [0x1010, 0x3232, 0x1010, 0x3232],
};

function prmtSelector(mods: Mods, c: Expr): Expr {
  if (mods.mode === undefined) return and(c, u32(0xffff));
  const mode = prmtModes[mods.mode];
  if (!mode) throw new RangeError(`prmt has no mode ${mods.mode}`);
  if (c.constant !== undefined) return u32(mode[Number(c.constant & 3n)] ?? 0);
  const [lower, upper] = [mode[0] | (mode[1] << 16), mode[2] | (mode[3] << 16)];
  const isUpper = compareUnsigned(and(c, u32(2)), '!=', u32(0));
  const both = select(isUpper, u32(upper), u32(lower));
  return shiftRight(both, shiftLeft(and(c, u32(1)), u32(4)));
}

/// Bytes that move by the same distance out of the same word are one mask and shift.
function constantPermutation(ctx: LowerContext, a: Expr, b: Expr, selector: number): Expr {
  const groups = new Map<string, { source: Expr; distance: number; mask: bigint }>();
  for (let place = 0; place < 4; place++) {
    const pick = (selector >> (4 * place)) & 15;
    if (pick & 8) return help(ctx, 'permute_bytes', 'u32', a, b, u32(selector));
    const distance = 8 * (place - (pick & 3));
    const key = `${pick & 4}:${distance}`;
    const group = groups.get(key) ?? { source: pick & 4 ? b : a, distance, mask: 0n };
    group.mask |= 0xffn << BigInt(8 * place);
    groups.set(key, group);
  }
  let result = u32(0);
  for (const { source, distance, mask } of groups.values()) result = or(result, movedBytes(source, distance, mask));
  return result;
}

/// The source shifted left by a distance (right where negative), of which only the mask's bits are wanted.
function movedBytes(source: Expr, distance: number, mask: bigint): Expr {
  const all = 0xffff_ffffn;
  const reach = distance >= 0 ? (all << BigInt(distance)) & all : all >> BigInt(-distance);
  const moved = distance >= 0 ? shiftLeft(source, u32(distance)) : shiftRight(source, u32(-distance));
  return reach === mask ? moved : and(moved, u32(mask));
}
