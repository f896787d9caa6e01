// Filtering in PTX: computes weights, and the weighted sum of a component. All arithmetic is on
// integers, in the order and with the roundings of an H200.
import { normalizedReader, readers } from './header.ts';
import type { LibraryFunction } from './library-function.ts';
import { fraction, pack } from './texel.ts';

const numbered = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);
const parameters = (names: readonly string[]): string => names.map((name) => `.reg .b32 ${name}`).join(', ');

/**
 * Returns code for the weights of the surrounding texels in 256ths, from the `%weight` along each
 * axis. `%w0`, … are the weights for left and right, then those of the next row, then those of the
 * next slice.
 */
export function weightsText(dimensions: number): string {
  const split = (from: string, by: string, to: readonly [string, string], up: number): string =>
    `mad.lo.u32 %at, ${from}, ${by}, ${up};\nshr.u32 ${to[1]}, %at, 8;\nsub.u32 ${to[0]}, ${from}, ${to[1]};`;
  if (dimensions === 1) return 'sub.u32 %w0, 256, %weight0;\nmov.b32 %w1, %weight0;';
  const quad = (slice: string, first: number): string =>
    [
      split(slice, '%weight0', ['%c0', '%c1'], 128),
      split('%c0', '%weight1', [`%w${first}`, `%w${first + 2}`], 127),
      split('%c1', '%weight1', [`%w${first + 1}`, `%w${first + 3}`], 128),
    ].join('\n');
  if (dimensions === 2) return quad('256', 0);
  return `sub.u32 %rest, 256, %weight2;\n${quad('%rest', 0)}\n${quad('%weight2', 4)}`;
}

/**
 * The weighted sum of floats, as `%high * 2^14 + %low` in units of the greatest exponent field,
 * `%top`. Texels keep 4 bits more than their type below that unit. `%drop` is the number of bits by
 * which the type is smaller than f32. If all terms are zero, the result is `%low`, the zero with
 * their sign. With infinities or NaNs, the result is their sum. `%top` is 8 more than the exponent
 * field, because a `%top` of 0 means that all terms are zero.
 */
const special = 1000;
const slice = (count: number): LibraryFunction => ({
  name: `texture_slice_${count}`,
  text: (name) => {
    const texels = numbered('%v', count);
    const each = (text: (v: string, w: string, e: string) => string): string =>
      texels.map((v, index) => text(v, `%w${index}`, `%e${index}`)).join('\n');
    return `.func (.reg .b32 %high, .reg .b32 %low, .reg .b32 %top) ${name}(${parameters([...texels, ...numbered('%w', count), '%drop'])})
{
.reg .pred %is, %none, %nan; .reg .b32 %e<${count}>, %at, %down, %size, %sign;
mov.b32 %top, 0;
mov.b32 %sign, 0x80000000;
${each(
  (v, w, e) => `shr.u32 ${e}, ${v}, 23;
and.b32 ${e}, ${e}, 255;
setp.ne.u32 %is, ${e}, 255;
setp.eq.u32 %none, ${w}, 0;
setp.eq.and.u32 %is, ${w}, 0, %is;
selp.b32 ${e}, 0, ${e}, %is;
selp.b32 %at, 0x80000000, ${v}, %none;
and.b32 %sign, %sign, %at;
max.u32 %top, %top, ${e};`,
)}
mov.b32 %high, 0;
mov.b32 %low, %sign;
setp.eq.u32 %is, %top, 0;
@%is ret;
setp.eq.u32 %is, %top, 255;
@%is bra SPECIAL;
mov.b32 %low, 0;
add.u32 %top, %top, %drop;
${each(
  (v, w, e) => `setp.eq.u32 %none, ${e}, 0;
and.b32 %size, ${v}, 0x7fffff;
or.b32 %size, %size, 0x800000;
shl.b32 %size, %size, 4;
sub.u32 %down, %top, ${e};
shr.u32 %size, %size, %down;
selp.b32 %size, 0, %size, %none;
neg.s32 %at, %size;
setp.lt.s32 %is, ${v}, 0;
selp.b32 %size, %at, %size, %is;
shr.s32 %at, %size, 14;
mad.lo.s32 %high, %at, ${w}, %high;
and.b32 %at, %size, 0x3fff;
mad.lo.u32 %low, %at, ${w}, %low;`,
)}
sub.u32 %top, %top, %drop;
add.u32 %top, %top, 8;
ret;
SPECIAL:
mov.b32 %top, ${special};
mov.b32 %low, 0;
setp.eq.u32 %is, %drop, 0;
selp.b32 %down, 0x7fffffff, 0x7fffe000, %is;
${each(
  (v, _, e) => `setp.ne.u32 %is, ${e}, 255;
selp.b32 %at, 0, ${v}, %is;
setp.eq.u32 %is, %low, 0;
setp.eq.or.u32 %none, %at, 0, %is;
setp.eq.or.u32 %none, %at, %low, %none;
or.b32 %low, %low, %at;
@!%none mov.b32 %low, %down;
and.b32 %at, %low, 0x7fffff;
setp.ne.u32 %nan, %at, 0;
@%nan mov.b32 %low, %down;`,
)}
ret;
}`;
  },
});

/**
 * Adds two slices. The unit of the sum is the unit of the greater exponent, rounded down to a
 * multiple of four.
 */
const meet: LibraryFunction = {
  name: 'texture_meet',
  text: (
    name,
  ) => `.func (.reg .b32 %high, .reg .b32 %low, .reg .b32 %top) ${name}(${parameters(['%high0', '%low0', '%top0', '%high1', '%low1', '%top1', '%nan'])})
{
.reg .pred %is, %both; .reg .b32 %finer, %down; .reg .b64 %a, %b, %wide;
max.u32 %top, %top0, %top1;
setp.eq.u32 %is, %top, ${special};
@%is bra SPECIAL;
mov.b32 %high, 0;
and.b32 %low, %low0, %low1;
setp.eq.u32 %is, %top, 0;
@%is ret;
and.b32 %finer, %top, 3;
${[0, 1]
  .map(
    (index) => `setp.eq.u32 %is, %top${index}, 0;
selp.b32 %low, 0, %low${index}, %is;
cvt.s64.s32 %${'ab'[index]}, %high${index};
shl.b64 %${'ab'[index]}, %${'ab'[index]}, 14;
cvt.u64.u32 %wide, %low;
add.s64 %${'ab'[index]}, %${'ab'[index]}, %wide;
shl.b64 %${'ab'[index]}, %${'ab'[index]}, 3;
sub.u32 %down, %top, %top${index};
add.u32 %down, %down, 3;
sub.u32 %down, %down, %finer;
shr.s64 %${'ab'[index]}, %${'ab'[index]}, %down;`,
  )
  .join('\n')}
add.s64 %a, %a, %b;
cvt.u32.u64 %low, %a;
and.b32 %low, %low, 0x3fff;
shr.s64 %a, %a, 14;
cvt.u32.u64 %high, %a;
sub.u32 %top, %top, %finer;
ret;
SPECIAL:
mov.b32 %high, 0;
setp.ne.u32 %is, %top0, ${special};
mov.b32 %low, %low1;
@%is ret;
mov.b32 %low, %low0;
setp.ne.u32 %is, %top1, ${special};
@%is ret;
setp.eq.u32 %is, %low0, %low1;
@%is ret;
// The terms contain infinities of both signs, or a NaN.
mov.b32 %low, %nan;
ret;
}`,
};

/** Rounds a sum to f32. `%drop` is 13 for halves, which are rounded to half precision. */
const round: LibraryFunction = {
  name: 'texture_round',
  text: (name) => `.func (.reg .b32 %r) ${name}(${parameters(['%high', '%low', '%top', '%drop'])})
{
.reg .pred %is, %none; .reg .b32 %sign, %value, %exponent, %leading, %at; .reg .f32 %f, %unit;
mov.b32 %r, %low;
setp.eq.u32 %is, %top, ${special};
@%is ret;
setp.eq.u32 %is, %top, 0;
@%is ret;
shr.s32 %at, %low, 14;
add.s32 %high, %high, %at;
and.b32 %low, %low, 0x3fff;
and.b32 %sign, %high, 0x80000000;
setp.eq.u32 %is, %sign, 0;
@%is bra SIZE;
setp.eq.u32 %none, %low, 0;
not.b32 %high, %high;
@%none add.s32 %high, %high, 1;
neg.s32 %low, %low;
and.b32 %low, %low, 0x3fff;
SIZE:
add.u32 %exponent, %top, %drop;
add.u32 %exponent, %exponent, 2;
setp.ne.u32 %is, %high, 0;
@%is bra LEADING;
mov.b32 %r, 0;
setp.eq.u32 %is, %low, 0;
@%is ret;
mov.b32 %high, %low;
mov.b32 %low, 0;
sub.u32 %exponent, %exponent, 14;
LEADING:
clz.b32 %leading, %high;
sub.s32 %exponent, %exponent, %leading;
shl.b32 %value, %high, %leading;
shl.b32 %low, %low, 18;
sub.u32 %at, 32, %leading;
shr.u32 %low, %low, %at;
or.b32 %value, %value, %low;
setp.eq.u32 %is, %drop, 0;
@!%is bra HALF;
${pack}
ret;
HALF:
max.s32 %at, %exponent, 113;
sub.u32 %leading, %at, %exponent;
add.u32 %leading, %leading, 20;
shr.u32 %value, %value, %leading;
add.u32 %value, %value, 1;
shr.u32 %value, %value, 1;
sub.s32 %at, %at, 10;
shl.b32 %at, %at, 23;
cvt.rn.f32.u32 %f, %value;
mov.b32 %unit, %at;
mul.rn.f32 %f, %f, %unit;
mov.b32 %value, %f;
or.b32 %r, %value, %sign;
ret;
}`,
};

/**
 * Computes the filter's result for a single component. It replaces a NaN by the filter's NaN, and
 * widens signed 8-bit fractions as the filter does.
 */
export const alone: LibraryFunction = {
  name: 'texture_alone',
  text: (name, nameOf) => `.func (.reg .b32 %r) ${name}(${parameters(['%word', '%reader', '%kind'])})
{
.reg .pred %is, %half; .reg .b32 %at, %size;
mov.b32 %r, %word;
and.b32 %size, %word, 0x7fffffff;
setp.eq.u32 %half, %kind, ${readers.f16};
setp.eq.u32 %is, %kind, ${readers.f32};
or.pred %is, %is, %half;
@%is bra FLOAT;
setp.lt.u32 %is, %reader, ${normalizedReader};
@%is ret;
mov.b32 %at, %kind;
setp.ne.u32 %is, %kind, ${readers.s8};
@%is bra FRACTION;
mul.lo.s32 %size, %word, 258;
shr.s32 %at, %word, 4;
add.s32 %at, %at, 4;
shr.s32 %at, %at, 3;
add.s32 %r, %size, %at;
mov.b32 %at, ${readers.s16};
FRACTION:
call (%r), ${nameOf(fraction)}, (%r, %at);
ret;
FLOAT:
selp.b32 %at, 0x7fffe000, 0x7fffffff, %half;
setp.gt.u32 %is, %size, 0x7f800000;
@%is mov.b32 %r, %at;
setp.lt.u32 %is, %size, 0x800000;
and.b32 %at, %word, 0x80000000;
@%is mov.b32 %r, %at;
ret;
}`,
};

/**
 * Computes the weighted sum of one component of the surrounding texels. `%kind` is the component's
 * reader number. Integers have one sum. f16 and f32 have one sum per slice, and `texture_meet` adds
 * the two slices of a 3-D texture.
 */
export const blend = (dimensions: number): LibraryFunction => ({
  name: `texture_blend_${dimensions}`,
  text: (name, nameOf) => {
    const count = 2 ** dimensions;
    const perSlice = Math.min(count, 4);
    const texels = numbered('%v', count);
    const weights = numbered('%w', count);
    const part = (first: number, results: string): string => {
      const taken = [...texels.slice(first, first + perSlice), ...weights.slice(first, first + perSlice), '%drop'];
      return `call (${results}), ${nameOf(slice(perSlice))}, (${taken.join(', ')});`;
    };
    return `.func (.reg .b32 %r) ${name}(${parameters(['%kind', ...texels, ...weights])})
{
.reg .pred %is; .reg .b32 %drop, %nan, %sum, %at, %high, %low, %top, %high0, %low0, %top0, %high1, %low1, %top1;
setp.ge.u32 %is, %kind, ${readers.f16};
@%is bra FLOAT;
mul.lo.s32 %sum, ${texels[0]}, ${weights[0]};
${texels
  .slice(1)
  .map((v, index) => `mad.lo.s32 %sum, ${v}, ${weights[index + 1]}, %sum;`)
  .join('\n')}
setp.eq.u32 %is, %kind, ${readers.s8};
@%is bra SIGNED;
setp.eq.u32 %is, %kind, ${readers.u8};
@%is mul.lo.u32 %sum, %sum, 257;
add.s32 %sum, %sum, 128;
shr.s32 %sum, %sum, 8;
or.b32 %at, %kind, 2;
call (%r), ${nameOf(fraction)}, (%sum, %at);
ret;
SIGNED:
shl.b32 %r, %sum, 3;
shr.s32 %at, %sum, 4;
add.s32 %r, %r, %at;
shr.s32 %at, %sum, 12;
add.s32 %r, %r, %at;
add.s32 %r, %r, 4;
shr.s32 %sum, %r, 3;
mov.b32 %at, ${readers.s16};
call (%r), ${nameOf(fraction)}, (%sum, %at);
ret;
FLOAT:
setp.eq.u32 %is, %kind, ${readers.f16};
selp.b32 %drop, 13, 0, %is;
selp.b32 %nan, 0x7fffe000, 0x7fffffff, %is;
${
  count === perSlice
    ? part(0, '%high, %low, %top')
    : `${part(0, '%high0, %low0, %top0')}\n${part(4, '%high1, %low1, %top1')}\ncall (%high, %low, %top), ${nameOf(meet)}, (%high0, %low0, %top0, %high1, %low1, %top1, %nan);`
}
call (%r), ${nameOf(round)}, (%high, %low, %top, %drop);
ret;
}`;
  },
});
