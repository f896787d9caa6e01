// Texture lookups in PTX.
import { headerBytes, headerOffsets, normalizedReader, readers } from './header.ts';

/// A function by its name, unless the module has that already, and what makes its text; `nameOf` names the functions that it calls.
export interface LibraryFunction {
  readonly name: string;
  readonly text: (name: string, nameOf: (fn: LibraryFunction) => string) => string;
}

export interface SamplerShape {
  readonly geom: string;
  /// Of the coordinates: `f32` or `s32`.
  readonly ctype: string;
  /// Components as words, as halves, or as pairs of halves.
  readonly result: 'word' | 'half' | 'pair';
  /// The component of the four texels to give, in place of one lookup.
  readonly gathered: number | undefined;
}

/// One component's bytes as a word: integers extended or as fractions, halves as f32.
const component: LibraryFunction = {
  name: 'texture_component',
  text: (name) => `.func (.reg .b32 %r) ${name}(.reg .b64 %place, .reg .b32 %reader)
{
.reg .pred %is, %fraction; .reg .b16 %h; .reg .b32 %kind; .reg .f32 %f, %most;
setp.eq.u32 %is, %reader, ${readers.u32};
@%is bra WORD;
and.b32 %kind, %reader, 7;
setp.ge.u32 %fraction, %reader, ${normalizedReader};
setp.eq.u32 %is, %kind, ${readers.s32};
@%is bra WORD;
setp.gt.u32 %is, %kind, ${readers.s8};
@%is bra SHORT;
ld.global.nc.u8 %r, [%place];
mov.f32 %most, 255.0;
setp.eq.u32 %is, %kind, ${readers.s8};
@%is cvt.s32.s8 %r, %r;
@%is mov.f32 %most, 127.0;
bra.uni INTEGER;
SHORT:
ld.global.nc.b16 %h, [%place];
setp.eq.u32 %is, %kind, ${readers.f16};
@%is bra HALF;
cvt.u32.u16 %r, %h;
mov.f32 %most, 65535.0;
setp.eq.u32 %is, %kind, ${readers.s16};
@%is cvt.s32.s16 %r, %h;
@%is mov.f32 %most, 32767.0;
INTEGER:
@!%fraction ret;
cvt.rn.f32.s32 %f, %r;
div.rn.f32 %f, %f, %most;
max.f32 %f, %f, -1.0;
mov.b32 %r, %f;
ret;
HALF:
cvt.f32.f16 %f, %h;
mov.b32 %r, %f;
ret;
WORD:
ld.global.nc.b32 %r, [%place];
ret;
}`,
};

/// The four components of a texel, or the border's where a coordinate is negative. `%z` counts slices or layers.
const texel: LibraryFunction = {
  name: 'texture_texel',
  text: (
    name,
    nameOf,
  ) => `.func (.reg .b32 %r, .reg .b32 %g, .reg .b32 %b, .reg .b32 %a) ${name}(.reg .b64 %handle, .reg .b32 %x, .reg .b32 %y, .reg .b32 %z)
{
.reg .pred %is; .reg .b64 %place, %step; .reg .b32 %at, %row, %slice, %texel, %channels, %reader, %bytes;
or.b32 %at, %x, %y;
or.b32 %at, %at, %z;
setp.lt.s32 %is, %at, 0;
@%is bra BORDER;
mov.b32 %r, 0;
mov.b32 %g, 0;
mov.b32 %b, 0;
mov.b32 %a, 0;
ld.global.nc.v4.b32 {%row, %slice, %texel, %channels}, [%handle + ${headerOffsets.row}];
ld.global.nc.b32 %reader, [%handle + ${headerOffsets.reader}];
mul.lo.u32 %at, %x, %texel;
mad.lo.u32 %at, %y, %row, %at;
mad.lo.u32 %at, %z, %slice, %at;
cvt.u64.u32 %step, %at;
add.u64 %place, %handle, %step;
add.u64 %place, %place, ${headerBytes};
div.u32 %bytes, %texel, %channels;
cvt.u64.u32 %step, %bytes;
${['%r', '%g', '%b', '%a']
  .map(
    (word, index) =>
      `${index === 0 ? '' : `setp.gt.u32 %is, %channels, ${index};\n@!%is ret;\nadd.u64 %place, %place, %step;\n`}call (${word}), ${nameOf(component)}, (%place, %reader);`,
  )
  .join('\n')}
ret;
BORDER:
ld.global.nc.v4.b32 {%r, %g, %b, %a}, [%handle + ${headerOffsets.border}];
ret;
}`,
};

/// An index along an axis by its address mode: -1 beside the border.
const address: LibraryFunction = {
  name: 'texture_address',
  text: (name) => `.func (.reg .b32 %to) ${name}(.reg .b32 %at, .reg .b32 %extent, .reg .b32 %mode)
{
.reg .pred %is, %out; .reg .b32 %last, %turn, %back;
mov.b32 %to, %at;
setp.ge.u32 %out, %at, %extent;
@!%out ret;
sub.u32 %last, %extent, 1;
setp.eq.u32 %is, %mode, 3;
@%is mov.b32 %to, -1;
@%is ret;
setp.eq.u32 %is, %mode, 1;
@%is bra CLAMP;
div.s32 %turn, %at, %extent;
mul.lo.s32 %back, %turn, %extent;
sub.s32 %to, %at, %back;
setp.lt.s32 %is, %to, 0;
@%is add.s32 %to, %to, %extent;
@%is sub.s32 %turn, %turn, 1;
setp.eq.u32 %is, %mode, 2;
and.b32 %turn, %turn, 1;
setp.ne.and.u32 %is, %turn, 0, %is;
@%is sub.s32 %to, %last, %to;
ret;
CLAMP:
max.s32 %to, %at, 0;
min.s32 %to, %to, %last;
ret;
}`,
};

/// Along an axis: the texels to the left and right of a coordinate, and the weight of the right one in 256ths.
const axis: LibraryFunction = {
  name: 'texture_axis',
  text: (
    name,
    nameOf,
  ) => `.func (.reg .b32 %left, .reg .b32 %right, .reg .b32 %weight) ${name}(.reg .f32 %x, .reg .b32 %extent, .reg .b32 %mode, .reg .b32 %normalized, .reg .b32 %linear)
{
.reg .pred %is; .reg .f32 %f; .reg .b32 %at;
cvt.rn.f32.u32 %f, %extent;
setp.ne.u32 %is, %normalized, 0;
@%is mul.rn.f32 %x, %x, %f;
mul.rn.f32 %x, %x, 256.0;
cvt.rni.s32.f32 %at, %x;
setp.ne.u32 %is, %linear, 0;
@%is sub.s32 %at, %at, 128;
and.b32 %weight, %at, 255;
shr.s32 %at, %at, 8;
call (%left), ${nameOf(address)}, (%at, %extent, %mode);
add.s32 %at, %at, 1;
call (%right), ${nameOf(address)}, (%at, %extent, %mode);
ret;
}`,
};

/// What an axis goes by in the text: its coordinate, and its extent.
const axes = [
  { at: '%x', extent: '%width' },
  { at: '%y', extent: '%height' },
  { at: '%z', extent: '%depth' },
] as const;
const words = ['%r', '%g', '%b', '%a'] as const;

export function samplerFunction(shape: SamplerShape): LibraryFunction {
  const { geom, ctype, result, gathered } = shape;
  const what = gathered === undefined ? 'tex' : `tld4_${'rgba'.charAt(gathered)}`;
  const name = [what, geom, ctype, ...(result === 'word' ? [] : [result])].join('_');
  return { name, text: (own, nameOf) => samplerText(own, shape, nameOf) };
}

const results = {
  word: {
    type: 'b32',
    names: ['%o0', '%o1', '%o2', '%o3'],
    convert: words.map((word, index) => `mov.b32 %o${index}, ${word};`),
  },
  half: {
    type: 'b16',
    names: ['%o0', '%o1', '%o2', '%o3'],
    convert: words.map((word, index) => `mov.b32 %f, ${word};\ncvt.rn.f16.f32 %o${index}, %f;`),
  },
  pair: {
    type: 'b32',
    names: ['%o0', '%o1'],
    convert: [0, 2].map(
      (low) => `mov.b32 %f, ${words[low]};\nmov.b32 %g1, ${words[low + 1]};\ncvt.rn.f16x2.f32 %o${low / 2}, %g1, %f;`,
    ),
  },
} as const;

/// Places along each axis of a geometry: `%left`, `%right` and `%weight` with the axis's number.
function placesText({ geom, ctype, gathered }: SamplerShape, nameOf: (fn: LibraryFunction) => string): string {
  const used = axes.slice(0, Number(geom.at(-2)));
  const filters = gathered === undefined ? '%linear' : '1';
  return used
    .map(({ at, extent }, index) => {
      const mode = `shr.u32 %mode, %modes, ${8 * index};\nand.b32 %mode, %mode, 255;`;
      if (ctype === 's32') return `${mode}\ncall (%left${index}), ${nameOf(address)}, (${at}, ${extent}, %mode);`;
      return `${mode}\ncall (%left${index}, %right${index}, %weight${index}), ${nameOf(axis)}, (${at}, ${extent}, %mode, %normalized, ${filters});`;
    })
    .join('\n');
}

/// The component of the four texels, from the lower left one on against the clock.
function gatherText(component: number, texelName: string): string {
  const corners = [
    ['%left0', '%right1'],
    ['%right0', '%right1'],
    ['%right0', '%left1'],
    ['%left0', '%left1'],
  ];
  return corners
    .map(([x, y], index) => {
      const taken = words.map((word, number) => (number === component ? `%c${index}` : word));
      return `call (${taken.join(', ')}), ${texelName}, (%handle, ${x}, ${y}, %layer);`;
    })
    .concat(words.map((word, index) => `mov.b32 ${word}, %c${index};`))
    .join('\n');
}

/// A share of 1 among those of so many dimensions, as f32.
const unit: Readonly<Record<number, string>> = { 1: '0f3B800000', 2: '0f37800000', 3: '0f33800000' };

/// One texel, or the sum of all around with their weights.
function filterText(dimensions: number, slice: string, texelName: string): string {
  const pick = (index: number): string => `and.b32 %at, %corner, ${1 << index};
setp.ne.u32 %is, %at, 0;
selp.b32 %at${index}, %right${index}, %left${index}, %is;
sub.u32 %rest, 256, %weight${index};
selp.b32 %at, %weight${index}, %rest, %is;
mul.lo.u32 %share, %share, %at;`;
  const place = [0, 1, 2].map((index) => (index < dimensions ? `%at${index}` : index === 2 ? slice : '0'));
  return `mov.b32 %corner, 0;
${words.map((_, index) => `mov.f32 %s${index}, 0.0;`).join('\n')}
CORNER:
mov.b32 %share, 1;
${Array.from({ length: dimensions }, (_, index) => pick(index)).join('\n')}
call (${words.join(', ')}), ${texelName}, (%handle, ${place.join(', ')});
setp.eq.u32 %is, %linear, 0;
@%is bra DONE;
cvt.rn.f32.u32 %f, %share;
mul.rn.f32 %f, %f, ${unit[dimensions]};
${words.map((word, index) => `mov.b32 %g1, ${word};\nfma.rn.f32 %s${index}, %f, %g1, %s${index};`).join('\n')}
add.u32 %corner, %corner, 1;
setp.lt.u32 %is, %corner, ${1 << dimensions};
@%is bra CORNER;
${words.map((word, index) => `mov.b32 ${word}, %s${index};`).join('\n')}
DONE:`;
}

function samplerText(name: string, shape: SamplerShape, nameOf: (fn: LibraryFunction) => string): string {
  const { geom, ctype, result, gathered } = shape;
  const isArray = geom.startsWith('a');
  const dimensions = Number(geom.at(-2));
  const type = ctype === 's32' ? 'b32' : 'f32';
  const coordinates = axes.slice(0, dimensions).map(({ at }) => `.reg .${type} ${at}`);
  const parameters = ['.reg .b64 %handle', ...(isArray ? ['.reg .b32 %layer'] : []), ...coordinates];
  const given = results[result];
  // Integer coordinates name a texel each.
  const single = `call (${words.join(', ')}), ${nameOf(texel)}, (%handle, ${[0, 1, 2].map((index) => (index < dimensions ? `%left${index}` : index === 2 ? '%layer' : '0')).join(', ')});`;
  const filtered = filterText(dimensions, '%layer', nameOf(texel));
  return `.func (${given.names.map((own) => `.reg .${given.type} ${own}`).join(', ')}) ${name}(${parameters.join(', ')})
{
.reg .pred %is; .reg .f32 %f, %g1, %s<4>;
.reg .b32 %width, %height, %depth, %layers, %reader, %linear, %modes, %normalized, %mode, %last;
.reg .b32 %left<3>, %right<3>, %weight<3>, %at<3>, %at, %corner, %share, %rest, %c<4>, %r, %g, %b, %a;
${isArray ? '' : '.reg .b32 %layer;\nmov.b32 %layer, 0;'}
ld.global.nc.v4.b32 {%width, %height, %depth, %layers}, [%handle];
ld.global.nc.v4.b32 {%reader, %linear, %modes, %normalized}, [%handle + ${headerOffsets.reader}];
${isArray ? 'sub.u32 %last, %layers, 1;\nmin.u32 %layer, %layer, %last;' : ''}
${placesText(shape, nameOf)}
${gathered !== undefined ? gatherText(gathered, nameOf(texel)) : ctype === 's32' ? single : filtered}
${given.convert.join('\n')}
ret;
}`;
}
