// Operations that count, search, extract and permute bits.
import { at, missing } from '../../../base/invariants.ts';
import type { IntegerRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { constantOf, type Value } from '../../ir/nodes.ts';
import { widthOf } from '../../ir/types.ts';
import { argAt, binary, choice, helper, type LaneRow, numberType, unary } from './row.ts';

type Row = Extract<
  IntegerRowName,
  'popc' | 'clz' | 'bfind' | 'fns' | 'brev' | 'bfe' | 'bfi' | 'szext' | 'bmsk' | 'prmt'
>;

const findNthSet = helper('find_nth_set', ['u32', 'u32', 'i32'], 'u32');
const lowMask = helper('low_mask', ['u32'], 'u32');
const signExtendLow = helper('sign_extend_low', ['i32', 'u32'], 'i32');
const bitMaskClamp = helper('bit_mask_clamp', ['u32', 'u32'], 'u32');
const permuteBytes = helper('permute_bytes', ['u32', 'u32', 'u32'], 'u32');

export const bitRows: Readonly<Record<Row, LaneRow>> = {
  popc: () => unary((b, x) => b.popcount(x)),
  clz: () => unary((b, x) => b.clz(x)),

  bfind: ({ type: name, shiftamt }) => {
    const { type, signed } = numberType(name);
    const top = widthOf(type) - 1;
    return unary((b, x) => {
      // For a negative number, search for the highest zero bit.
      const magnitude = signed ? b.xor(x, b.ashrw(x, b.i32(top))) : x;
      const zeros = b.clz(magnitude);
      if (shiftamt === undefined) return b.isub(b.i32(top), zeros);
      return b.select(b.icmp('eq', magnitude, b.int(type, 0)), b.i32(-1), zeros);
    });
  },

  fns: () => (b, args) => [findNthSet(b, argAt(args, 0), argAt(args, 1), argAt(args, 2))],
  brev: () => unary((b, x) => b.bitreverse(x)),

  bfe: ({ type }) => {
    const op = numberType(type).signed ? 'sbfe' : 'ubfe';
    return (b, args) => [b.value(op, {}, [argAt(args, 0), argAt(args, 1), argAt(args, 2)])];
  },

  bfi: () => (b, args) => [b.value('bfi', {}, [argAt(args, 0), argAt(args, 1), argAt(args, 2), argAt(args, 3)])],

  szext: ({ type, mode }) => {
    const { signed } = numberType(type);
    return binary((b, x, y) => {
      const count = mode === 'wrap' ? b.and(y, b.i32(31)) : y;
      const known = constantOf(count);
      if (known !== undefined) {
        const length = b.i32(known > 32n ? 32n : known);
        return b.value(signed ? 'sbfe' : 'ubfe', {}, [x, b.i32(0), length]);
      }
      return signed ? signExtendLow(b, x, count) : b.and(x, lowMask(b, count));
    });
  },

  bmsk: ({ mode }) =>
    binary((b, position, count) => {
      if (mode === 'clamp') return bitMaskClamp(b, position, count);
      return b.shlw(lowMask(b, b.and(count, b.i32(31))), position);
    }),

  prmt: (mods) => {
    const selectorOf = prmtSelector(mods);
    return (b, args) => {
      const selector = selectorOf(b, argAt(args, 2));
      const known = constantOf(selector);
      if (known !== undefined) return [constantPermutation(b, argAt(args, 0), argAt(args, 1), Number(known))];
      return [permuteBytes(b, argAt(args, 0), argAt(args, 1), selector)];
    };
  },
};

/**
 * The selectors of prmt's special modes for `c` modulo 4, from 0 to 3: the selected bytes, the
 * highest first.
 */
const prmtModes: Readonly<Record<string, readonly [number, number, number, number]>> = {
  f4e: [0x3210, 0x4321, 0x5432, 0x6543],
  b4e: [0x5670, 0x6701, 0x7012, 0x0123],
  rc8: [0x0000, 0x1111, 0x2222, 0x3333],
  ecl: [0x3210, 0x3211, 0x3222, 0x3333],
  ecr: [0x0000, 0x1110, 0x2210, 0x3210],
  rc16: [0x1010, 0x3232, 0x1010, 0x3232],
};

function prmtSelector({ mode: name }: Mods): (b: Builder, c: Value) => Value {
  if (name === undefined) return (b, c) => b.and(c, b.i32(0xffff));
  const mode = choice(prmtModes, name);
  const [lower, upper] = [mode[0] | (mode[1] << 16), mode[2] | (mode[3] << 16)];
  return (b, c) => {
    const known = constantOf(c);
    if (known !== undefined) return b.i32(at(mode, Number(known & 3n), 'a selector of prmt'));
    const isUpper = b.icmp('ne', b.and(c, b.i32(2)), b.i32(0));
    const both = b.select(isUpper, b.i32(upper), b.i32(lower));
    return b.and(b.lshrw(both, b.shlw(b.and(c, b.i32(1)), b.i32(4))), b.i32(0xffff));
  };
}

/**
 * Builds a permutation of bytes with a constant selector. Bytes that move by the same distance from
 * the same word share one mask and shift.
 */
export function constantPermutation(b: Builder, low: Value, high: Value, selector: number): Value {
  const groups = new Map<number, { readonly source: Value; readonly distance: number; mask: number }>();
  for (let place = 0; place < 4; place++) {
    const pick = (selector >> (4 * place)) & 15;
    // The selector replicates the sign of a byte.
    if (pick & 8) return permuteBytes(b, low, high, b.i32(selector & 0xffff));
    const distance = 8 * (place - (pick & 3));
    const key = 64 * (pick & 4) + distance;
    // Absent: this is the first byte with this source and distance.
    const group = groups.get(key) ?? { source: pick & 4 ? high : low, distance, mask: 0 };
    group.mask |= 0xff << (8 * place);
    groups.set(key, group);
  }
  let result: Value | undefined;
  for (const { source, distance, mask } of groups.values()) {
    const moved = movedBytes(b, source, distance, mask >>> 0);
    result = result === undefined ? moved : b.or(result, moved);
  }
  return result ?? missing('a byte of a permutation');
}

/**
 * Builds the masked bits of the source, shifted left by a distance, or right if the distance is
 * negative.
 */
function movedBytes(b: Builder, source: Value, distance: number, mask: number): Value {
  const reach = distance >= 0 ? (0xffff_ffff << distance) >>> 0 : 0xffff_ffff >>> -distance;
  const moved =
    distance > 0 ? b.shlw(source, b.i32(distance)) : distance < 0 ? b.lshrw(source, b.i32(-distance)) : source;
  return reach === mask ? moved : b.and(moved, b.i32(mask));
}
