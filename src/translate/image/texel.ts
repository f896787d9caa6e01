// Texels in PTX: their addresses and components.
import { headerBytes, headerOffsets, readers } from './header.ts';
import type { LibraryFunction } from './library-function.ts';

/**
 * The header fields that a function needs to read texels, in this order. A lookup loads them once.
 */
export const layout = ['%row', '%slice', '%texel', '%channels', '%kind', '%bits'] as const;
const layoutParameters = layout.map((register) => `.reg .b32 ${register}`).join(', ');

/** Code that loads `layout` and `%reader`. `%kind` is the reader without normalization. */
export const loadLayout = `ld.global.nc.v4.b32 {%row, %slice, %texel, %channels}, [%handle + ${headerOffsets.row}];
and.b32 %kind, %reader, 7;
setp.le.u32 %is, %kind, ${readers.s8};
selp.b32 %bits, 8, 32, %is;
shr.u32 %at, %kind, 1;
setp.eq.u32 %is, %at, ${readers.u16 / 2};
@%is mov.b32 %bits, 16;
setp.eq.u32 %is, %kind, ${readers.f16};
@%is mov.b32 %bits, 16;`;

/**
 * Loads the component that is `%at` bytes after the first texel, as a word. Integers are extended,
 * and halves become f32.
 */
const component: LibraryFunction = {
  name: 'texture_component',
  text: (name) => `.func (.reg .b32 %r) ${name}(.reg .b64 %handle, .reg .b32 %at, .reg .b32 %kind, .reg .b32 %bits)
{
.reg .pred %is; .reg .b64 %step; .reg .b32 %down, %signed; .reg .b16 %h; .reg .f32 %f;
and.b32 %down, %at, 0xfffffffc;
cvt.u64.u32 %step, %down;
add.u64 %step, %step, %handle;
ld.global.nc.b32 %r, [%step + ${headerBytes}];
setp.eq.u32 %is, %bits, 32;
@%is ret;
and.b32 %down, %at, 3;
shl.b32 %down, %down, 3;
shr.u32 %r, %r, %down;
setp.eq.u32 %is, %kind, ${readers.f16};
@%is bra HALF;
sub.u32 %down, 32, %bits;
shl.b32 %r, %r, %down;
and.b32 %signed, %kind, 1;
setp.eq.u32 %is, %signed, 0;
shr.s32 %signed, %r, %down;
shr.u32 %r, %r, %down;
selp.b32 %r, %r, %signed, %is;
ret;
HALF:
cvt.u16.u32 %h, %r;
and.b32 %down, %r, 0x7fff;
setp.gt.u32 %is, %down, 0x7c00;
@%is bra NAN;
cvt.f32.f16 %f, %h;
mov.b32 %r, %f;
ret;
NAN:
and.b32 %signed, %r, 0x8000;
shl.b32 %signed, %signed, 16;
shl.b32 %r, %down, 13;
or.b32 %r, %r, %signed;
or.b32 %r, %r, 0x7f800000;
ret;
}`,
};

/**
 * Loads the four components of a texel as words. If a coordinate is negative, loads the border
 * color instead. `%z` is the index of the slice or layer.
 */
export const texel: LibraryFunction = {
  name: 'texture_texel',
  text: (
    name,
    nameOf,
  ) => `.func (.reg .b32 %r, .reg .b32 %g, .reg .b32 %b, .reg .b32 %a) ${name}(.reg .b64 %handle, .reg .b32 %x, .reg .b32 %y, .reg .b32 %z, ${layoutParameters})
{
.reg .pred %is; .reg .b32 %at, %bytes;
or.b32 %at, %x, %y;
or.b32 %at, %at, %z;
setp.lt.s32 %is, %at, 0;
@%is bra BORDER;
mov.b32 %g, 0;
mov.b32 %b, 0;
mov.b32 %a, 0;
mul.lo.u32 %at, %x, %texel;
mad.lo.u32 %at, %y, %row, %at;
mad.lo.u32 %at, %z, %slice, %at;
shr.u32 %bytes, %bits, 3;
call (%r), ${nameOf(component)}, (%handle, %at, %kind, %bits);
${['%g', '%b', '%a']
  .map(
    (
      word,
      index,
    ) => `${index === 2 ? '' : `setp.le.u32 %is, %channels, ${index + 1};\n@%is ret;\n`}add.u32 %at, %at, %bytes;
call (${word}), ${nameOf(component)}, (%handle, %at, %kind, %bits);`,
  )
  .join('\n')}
ret;
BORDER:
ld.global.nc.v4.b32 {%r, %g, %b, %a}, [%handle + ${headerOffsets.border}];
ret;
}`,
};

/**
 * Code that packs an f32 from the sign `%sign`, the 32 bits after a leading one, and an exponent
 * field. It rounds to nearest, halves away from zero. Subnormal results become zero.
 */
export const pack = `shr.u32 %value, %value, 7;
add.u32 %value, %value, 1;
shr.u32 %value, %value, 1;
sub.s32 %exponent, %exponent, 1;
shl.b32 %exponent, %exponent, 23;
add.s32 %value, %value, %exponent;
setp.lt.s32 %is, %value, 0x800000;
selp.b32 %value, 0, %value, %is;
or.b32 %r, %value, %sign;`;

/**
 * Converts an integer to a fraction of the largest integer of its type. The bits of the quotient
 * repeat the bits of the integer, so the quotient is never halfway between two floats, and the
 * omitted bits can only round it up.
 */
export const fraction: LibraryFunction = {
  name: 'texture_fraction',
  text: (name) => `.func (.reg .b32 %r) ${name}(.reg .b32 %from, .reg .b32 %kind)
{
.reg .pred %is, %short; .reg .b32 %sign, %value, %exponent, %most, %times, %leading;
setp.gt.u32 %short, %kind, ${readers.s8};
selp.b32 %times, 0x00010001, 0x01010101, %short;
and.b32 %sign, %kind, 1;
setp.eq.u32 %is, %sign, 0;
mov.b32 %sign, 0;
mov.b32 %value, %from;
@%is bra SIZE;
and.b32 %sign, %from, 0x80000000;
abs.s32 %value, %from;
selp.b32 %most, 32767, 127, %short;
min.u32 %value, %value, %most;
selp.b32 %times, 0x00020004, 0x02040810, %short;
SIZE:
mov.b32 %r, 0;
setp.eq.u32 %is, %value, 0;
@%is ret;
mul.lo.u32 %value, %value, %times;
clz.b32 %leading, %value;
shl.b32 %value, %value, %leading;
sub.u32 %exponent, 126, %leading;
${pack}
ret;
}`,
};
