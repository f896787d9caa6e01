// Coordinates in PTX: finds the texels around a coordinate, and their weights.
import { modeNumbers } from './header.ts';
import type { LibraryFunction } from './library-function.ts';

/**
 * Maps an index along an axis according to the address mode. The result is -1 outside a texture
 * with a border. Modes that repeat require indices from -1 to twice the extent.
 */
const address: LibraryFunction = {
  name: 'texture_address',
  text: (name) => `.func (.reg .b32 %to) ${name}(.reg .b32 %at, .reg .b32 %extent, .reg .b32 %mode)
{
.reg .pred %is, %out, %mirrors; .reg .b32 %last, %twice, %back;
mov.b32 %to, %at;
setp.ge.u32 %out, %at, %extent;
@!%out ret;
sub.u32 %last, %extent, 1;
setp.eq.u32 %is, %mode, ${modeNumbers.border};
@%is mov.b32 %to, -1;
@%is ret;
setp.eq.u32 %is, %mode, ${modeNumbers.clamp};
@%is bra CLAMP;
shl.b32 %twice, %extent, 1;
setp.eq.u32 %mirrors, %mode, ${modeNumbers.mirror};
setp.lt.s32 %is, %at, 0;
@%is add.s32 %to, %at, %twice;
setp.ge.s32 %is, %at, %twice;
@%is sub.s32 %to, %at, %twice;
sub.s32 %back, %to, %extent;
setp.lt.s32 %is, %back, 0;
@%is ret;
mov.b32 %to, %back;
@%mirrors sub.s32 %to, %last, %back;
ret;
CLAMP:
max.s32 %to, %at, 0;
min.s32 %to, %to, %last;
ret;
}`,
};

/**
 * Computes an f32 coordinate times 2^bits, rounded down; 0 for NaNs and subnormal values. Repeating
 * coordinates keep their low bits; all others are at most 2^30.
 */
const fixed: LibraryFunction = {
  name: 'texture_fixed',
  text: (name) => `.func (.reg .b32 %at) ${name}(.reg .b32 %x, .reg .b32 %bits, .reg .b32 %repeats)
{
.reg .pred %is, %negative, %none; .reg .b32 %exponent, %value, %sign, %down;
and.b32 %value, %x, 0x7fffffff;
setp.gt.u32 %none, %value, 0x7f800000;
setp.lt.u32 %is, %value, 0x800000;
or.pred %none, %none, %is;
shr.u32 %exponent, %value, 23;
and.b32 %value, %value, 0x7fffff;
or.b32 %value, %value, 0x800000;
setp.lt.s32 %negative, %x, 0;
add.s32 %exponent, %exponent, %bits;
sub.s32 %exponent, %exponent, 150;
setp.ge.s32 %is, %exponent, 0;
@%is bra UP;
neg.s32 %down, %exponent;
shr.u32 %sign, %x, 31;
sub.u32 %value, %value, %sign;
shr.u32 %at, %value, %down;
@%negative not.b32 %at, %at;
@%none mov.b32 %at, 0;
ret;
UP:
setp.eq.u32 %is, %repeats, 0;
@%is min.s32 %exponent, %exponent, 6;
shl.b32 %at, %value, %exponent;
@%negative neg.s32 %at, %at;
@%none mov.b32 %at, 0;
ret;
}`,
};

/**
 * Computes, along one axis, the texels on both sides of a coordinate, and the weight of the right
 * texel in 256ths. Coordinates from 0 to 1 have 21 fraction bits (22 and 23 for wide textures)
 * before scaling. Filters then round them to 256ths, halves upwards.
 */
export const axis: LibraryFunction = {
  name: 'texture_axis',
  text: (
    name,
    nameOf,
  ) => `.func (.reg .b32 %left, .reg .b32 %right, .reg .b32 %weight) ${name}(.reg .b32 %x, .reg .b32 %extent, .reg .b32 %mode, .reg .b32 %normalized, .reg .b32 %linear)
{
.reg .pred %is, %filters, %repeats; .reg .b32 %at, %bits, %unit, %rest, %turns, %most;
setp.ne.u32 %filters, %linear, 0;
setp.eq.u32 %is, %normalized, 0;
@%is bra TEXELS;
setp.gt.u32 %is, %extent, 8192;
selp.b32 %bits, 14, 13, %is;
setp.gt.u32 %is, %extent, 65536;
@%is mov.b32 %bits, 15;
and.b32 %turns, %mode, 1;
setp.eq.u32 %repeats, %turns, 0;
selp.b32 %turns, 1, 0, %repeats;
add.u32 %rest, %bits, 8;
call (%at), ${nameOf(fixed)}, (%x, %rest, %turns);
mov.b32 %unit, 1;
shl.b32 %unit, %unit, %rest;
// Coordinates repeat after two extents. Far outside a texture, all coordinates are equivalent.
shl.b32 %most, %unit, 1;
sub.u32 %rest, %most, 1;
and.b32 %rest, %at, %rest;
min.s32 %at, %at, %most;
add.s32 %at, %at, %unit;
max.s32 %at, %at, 0;
selp.b32 %at, %rest, %at, %repeats;
shr.u32 %unit, %unit, 8;
shr.u32 %rest, %unit, 1;
@!%filters mov.b32 %rest, 0;
sub.u32 %unit, %unit, 1;
and.b32 %unit, %at, %unit;
mad.lo.u32 %rest, %unit, %extent, %rest;
shr.u32 %rest, %rest, %bits;
shr.u32 %at, %at, %bits;
@!%repeats sub.s32 %at, %at, 256;
mad.lo.s32 %at, %at, %extent, %rest;
@%filters sub.s32 %at, %at, 128;
bra.uni FOUND;
TEXELS:
selp.b32 %bits, 9, 8, %filters;
mov.b32 %turns, 0;
call (%at), ${nameOf(fixed)}, (%x, %bits, %turns);
@!%filters bra FOUND;
add.s32 %at, %at, 1;
shr.s32 %at, %at, 1;
sub.s32 %at, %at, 128;
FOUND:
and.b32 %weight, %at, 255;
shr.s32 %at, %at, 8;
call (%left), ${nameOf(address)}, (%at, %extent, %mode);
@!%filters ret;
add.s32 %at, %at, 1;
call (%right), ${nameOf(address)}, (%at, %extent, %mode);
// After the last texel center, only the last texel contributes.
setp.eq.u32 %is, %left, %right;
setp.eq.and.u32 %is, %mode, ${modeNumbers.clamp}, %is;
@%is mov.b32 %weight, 0;
ret;
}`,
};
