// How elements of matrices are multiplied and added in WGSL, by their types.
//
// Products of two elements of up to 16 bits, and of tf32, are exact in f32 but for overflow and underflow, so it is the same whether an adapter fuses them
// with the addition. Nothing guards subnormal values: the bound on errors lets them be zeros.
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import * as w from '../tree/build.ts';
import type { Expr, WgslType } from '../tree/nodes.ts';

const isSigned = (type: ElementType): boolean => type.startsWith('s');
const floats: readonly ElementType[] = ['f16', 'bf16', 'tf32', 'e4m3', 'e5m2'];

type Define = (value: Expr) => Expr;

export interface Arithmetic {
  /// What an accumulator is.
  readonly sum: WgslType;
  /// The parts of a register (of f64: of its two words), each an expression of the words. `define` names what several need.
  readonly factors: (operand: 'a' | 'b', words: readonly Expr[], define: Define) => readonly Expr[];
  /// The sum with a product added.
  readonly add: (sum: Expr, x: Expr, y: Expr) => Expr;
  /// What an accumulator starts with, from the words of C: an expression for each element.
  readonly start: (words: readonly Expr[]) => readonly Expr[];
  /// The words of D, from the accumulators and the words of C.
  readonly finish: (sums: readonly Expr[], words: readonly Expr[]) => readonly Expr[];
}

const pairType = w.vector('f32', 2);
const halves = (word: Expr, define: Define): readonly Expr[] => {
  const pair = define(w.builtin('unpack2x16float', pairType, word));
  return [w.swizzle(pair, 'x'), w.swizzle(pair, 'y')];
};
const asIs: Define = (value) => value;
const float = (word: Expr): Expr => w.bitcast('f32', word);

/// The f32 values of a register's elements.
const floatFactors: Readonly<Partial<Record<ElementType, (word: Expr, define: Define) => readonly Expr[]>>> = {
  f16: halves,
  bf16: (word) => [float(w.shl(word, w.u32(16))), float(w.and(word, w.u32(0xffff_0000)))],
  tf32: (word) => [float(w.and(word, w.u32(0xffff_e000)))],
  e5m2: (word, define) => [
    ...halves(w.or(w.shl(w.and(word, w.u32(0xff)), w.u32(8)), w.shl(w.and(word, w.u32(0xff00)), w.u32(16))), define),
    ...halves(w.or(w.and(w.shr(word, w.u32(8)), w.u32(0xff00)), w.and(word, w.u32(0xff00_0000))), define),
  ],
  e4m3: (word) =>
    [0, 8, 16, 24].map((shift) => w.helper('e4m3_element', 'f32', shift === 0 ? word : w.shr(word, w.u32(shift)))),
};

function floatArithmetic({ types }: MatrixForm): Arithmetic {
  const isHalf = types.d === 'f16';
  return {
    sum: 'f32',
    factors: (operand, [word = w.u32(0)], define) => floatFactors[types[operand]]?.(word, define) ?? [],
    add: (sum, x, y) => w.builtin('fma', 'f32', x, y, sum),
    start: (words) => (types.c === 'f16' ? words.flatMap((word) => halves(word, asIs)) : words.map(float)),
    finish: (sums) => {
      if (!isHalf) return sums.map((sum) => w.bitcast('u32', w.helper('f32_canonical', 'f32', sum)));
      const rounded = sums.map((sum) => w.helper('f16_from_f32', 'u32', sum));
      return rounded.flatMap((low, index) => {
        const high = rounded[index + 1];
        return index % 2 === 0 && high !== undefined ? [w.or(low, w.shl(high, w.u32(16)))] : [];
      });
    },
  };
}

const doubleSuffixes: Readonly<Record<string, 'f64_fma' | 'f64_fma_rz' | 'f64_fma_rm' | 'f64_fma_rp'>> = {
  rn: 'f64_fma',
  rz: 'f64_fma_rz',
  rm: 'f64_fma_rm',
  rp: 'f64_fma_rp',
};

function doubleArithmetic({ rnd = 'rn' }: Mods): Arithmetic {
  const fma = doubleSuffixes[rnd] ?? 'f64_fma';
  const pairs = (words: readonly Expr[]): readonly Expr[] =>
    words.flatMap((low, index) => {
      const high = words[index + 1];
      return index % 2 === 0 && high !== undefined ? [w.construct(w.vec2u, low, high)] : [];
    });
  return {
    sum: w.vec2u,
    factors: (_, words) => pairs(words),
    add: (sum, x, y) => w.helper(fma, w.vec2u, x, y, sum),
    start: pairs,
    finish: (sums) => sums.flatMap((sum) => [w.swizzle(sum, 'x'), w.swizzle(sum, 'y')]),
  };
}

/// The sum of four products of signed or unsigned bytes.
const dot = (fn: 'dot4I8Packed' | 'dot4U8Packed', x: Expr, y: Expr): Expr =>
  fn === 'dot4U8Packed' ? w.builtin(fn, 'u32', x, y) : w.bitcast('u32', w.builtin(fn, 'i32', x, y));

function byteProducts(a: ElementType, b: ElementType, x: Expr, y: Expr): Expr {
  if (isSigned(a) && isSigned(b)) return dot('dot4I8Packed', x, y);
  if (!isSigned(a) && !isSigned(b)) return dot('dot4U8Packed', x, y);
  // An unsigned byte is 128 more than the signed one whose top bit is the other way round.
  const [signed, unsigned] = isSigned(a) ? [x, y] : [y, x];
  const excess = w.shl(dot('dot4I8Packed', signed, w.u32(0x0101_0101)), w.u32(7));
  return w.add(dot('dot4I8Packed', signed, w.xor(unsigned, w.u32(0x8080_8080))), excess);
}

/// Half bytes: signed ones in the upper halves of bytes, where they count sixteen times, unsigned ones in the lower halves.
function nibbleProducts(a: ElementType, b: ElementType, x: Expr, y: Expr): Expr {
  const parts = (type: ElementType, word: Expr): readonly [Expr, Expr] =>
    isSigned(type)
      ? [w.and(w.shl(word, w.u32(4)), w.u32(0xf0f0_f0f0)), w.and(word, w.u32(0xf0f0_f0f0))]
      : [w.and(word, w.u32(0x0f0f_0f0f)), w.and(w.shr(word, w.u32(4)), w.u32(0x0f0f_0f0f))];
  const [[xLow, xHigh], [yLow, yHigh]] = [parts(a, x), parts(b, y)];
  const signs = Number(isSigned(a)) + Number(isSigned(b));
  if (signs === 0) return w.add(dot('dot4U8Packed', xLow, yLow), dot('dot4U8Packed', xHigh, yHigh));
  const total = w.add(dot('dot4I8Packed', xLow, yLow), dot('dot4I8Packed', xHigh, yHigh));
  return w.bitcast('u32', w.shr(w.bitcast('i32', total), w.u32(4 * signs)));
}

function integerArithmetic({ types: { a, b } }: MatrixForm, { satfinite, op }: Mods): Arithmetic {
  const products = (x: Expr, y: Expr): Expr => {
    if (a === 'b1') return w.builtin('countOneBits', 'u32', op === 'and' ? w.and(x, y) : w.xor(x, y));
    return a === 's4' || a === 'u4' ? nibbleProducts(a, b, x, y) : byteProducts(a, b, x, y);
  };
  const saturates = satfinite !== undefined;
  return {
    sum: 'u32',
    factors: (_, words) => words,
    add: (sum, x, y) => w.add(sum, products(x, y)),
    // The products of one instruction never leave the range of s32: only the sum with C can.
    start: (words) => (saturates ? words.map(() => w.u32(0)) : words),
    finish: (sums, words) =>
      saturates ? sums.map((sum, index) => w.helper('add_sat_s32', 'u32', words[index] ?? w.u32(0), sum)) : sums,
  };
}

export function arithmeticOf(form: MatrixForm, mods: Mods): Arithmetic {
  if (form.types.d === 'f64') return doubleArithmetic(mods);
  return floats.includes(form.types.a) ? floatArithmetic(form) : integerArithmetic(form, mods);
}
