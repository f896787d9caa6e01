// SIMD video instructions on the bytes and halves of a word, and instructions on pairs of 16-bit
// integers.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#simd-video-instructions
// https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions
import type { Mods } from '../../isa/index.ts';
import type { LaneFunction } from '../types.ts';
import { integerType, narrowValue, typeIn, wordAt } from './values.ts';
import { holds } from './video.ts';

type Width = 8 | 16;

/** The indices of the elements of a word, ordered from the lowest. */
const placesOf: Readonly<Record<Width, readonly number[]>> = { 8: [0, 1, 2, 3], 16: [0, 1] };

/**
 * Returns the element of `b:a` that a selector specifies for a destination element. The selector's
 * first digit is for the highest element.
 */
function elementOf(width: Width, word: { a: number; b: number }, selector: string, place: number): number {
  const count = 32 / width;
  const index = Number(selector[count - place]);
  return (index < count ? word.a : word.b) >>> (width * (index % count));
}

const defaults: Readonly<Record<Width, { readonly a: string; readonly b: string }>> = {
  8: { a: 'b3210', b: 'b7654' },
  16: { a: 'h10', b: 'h32' },
};

type Operation = (mods: Mods, a: number, b: number) => number;

function limited({ sat }: Mods, width: Width, signed: boolean, value: number): number {
  if (sat === undefined) return value;
  const [least, most] = signed ? [-(2 ** (width - 1)), 2 ** (width - 1) - 1] : [0, 2 ** width - 1];
  return Math.min(Math.max(value, least), most);
}

/**
 * Returns an instruction whose results replace elements of `c`, or with `.add` are added to `c`.
 */
function simd(width: Width, compute: Operation): LaneFunction {
  return (mods, sources) => {
    const word = { a: wordAt(sources, 0), b: wordAt(sources, 1) };
    const c = wordAt(sources, 2);
    const [atype, btype] = [typeIn(mods, 'atype'), typeIn(mods, 'btype')];
    const dtype = mods.dtype === undefined ? integerType('u32') : typeIn(mods, 'dtype');
    let [sum, merged] = [c, c];
    for (const place of placesOf[width]) {
      if (mods.mask !== undefined && !mods.mask.includes(String(place))) continue;
      const a = elementOf(width, word, mods.asel ?? defaults[width].a, place);
      const b = elementOf(width, word, mods.bsel ?? defaults[width].b, place);
      const exact = compute(
        mods,
        narrowValue(a, { width, signed: atype.signed }),
        narrowValue(b, { width, signed: btype.signed }),
      );
      const value = limited(mods, width, dtype.signed, exact);
      sum += value;
      const mask = (2 ** width - 1) << (width * place);
      merged = (merged & ~mask) | ((value << (width * place)) & mask);
    }
    return [(mods.add === undefined ? merged : sum) >>> 0];
  };
}

/** Returns the average, rounded to nearest with halves away from zero. */
const average: Operation = (_, a, b) => (a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1);

const operations = {
  vadd: (_, a, b) => a + b,
  vsub: (_, a, b) => a - b,
  vavrg: average,
  vabsdiff: (_, a, b) => Math.abs(a - b),
  vmin: (_, a, b) => Math.min(a, b),
  vmax: (_, a, b) => Math.max(a, b),
  vset: (mods, a, b) => (holds(mods, BigInt(a), BigInt(b)) ? 1 : 0),
} satisfies Record<string, Operation>;

/** Applies an operation to both halves of a word. */
function pairwise(compute: (a: number, b: number) => number): LaneFunction {
  return (mods, sources) => {
    const type = { width: 16, signed: mods.type === 's16x2' } as const;
    const [a, b] = [wordAt(sources, 0), wordAt(sources, 1)];
    const half = (first: number): number => {
      const value = compute(narrowValue(a >>> first, type), narrowValue(b >>> first, type));
      return (mods.relu === undefined ? value : Math.max(value, 0)) & 0xffff;
    };
    return [((half(16) << 16) | half(0)) >>> 0];
  };
}

export const packedIntegerFunctions = {
  'add.16x2': pairwise((a, b) => a + b),
  'min.16x2': pairwise(Math.min),
  'max.16x2': pairwise(Math.max),
} satisfies Record<string, LaneFunction>;

export const simdVideoFunctions = {
  vadd2: simd(16, operations.vadd),
  vsub2: simd(16, operations.vsub),
  vavrg2: simd(16, operations.vavrg),
  vabsdiff2: simd(16, operations.vabsdiff),
  vmin2: simd(16, operations.vmin),
  vmax2: simd(16, operations.vmax),
  vset2: simd(16, operations.vset),
  vadd4: simd(8, operations.vadd),
  vsub4: simd(8, operations.vsub),
  vavrg4: simd(8, operations.vavrg),
  vabsdiff4: simd(8, operations.vabsdiff),
  vmin4: simd(8, operations.vmin),
  vmax4: simd(8, operations.vmax),
  vset4: simd(8, operations.vset),
} satisfies Record<string, LaneFunction>;
