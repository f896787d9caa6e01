// Surface accesses in PTX: their addresses and operations.
import { get } from '../../base/invariants.ts';
import { headerBytes, headerOffsets, readers } from './header.ts';

export interface SurfaceShape {
  readonly geom: string;
  /** The behavior outside the surface. `trap` is implemented as `zero`. */
  readonly clamp: string;
}

const registers = `.reg .pred %inside, %also; .reg .b64 %place, %wide;
.reg .b32 %width, %height, %depth, %layers, %row, %slice, %texel, %channels, %last, %reader, %at, %old;`;

/** Returns the coordinates of a geometry, in the operand's order; `layer` is unsigned. */
const axesOf = (geom: string): readonly string[] =>
  geom.startsWith('a') ? ['layer', ...axesOf(geom.slice(1))] : ['x', 'y', 'z'].slice(0, Number(geom[0]));

const parameters = (geom: string, more: readonly string[] = []): string =>
  ['.reg .b64 %handle', ...axesOf(geom).map((axis) => `.reg .b32 %${axis}`), ...more].join(', ');

/** The extent of each axis in the header, except x. */
const extents: ReadonlyMap<string, string> = new Map([
  ['y', '%height'],
  ['z', '%depth'],
  ['layer', '%layers'],
]);

/**
 * Returns code that computes the address of an access in `%place`, and in `%inside` whether the
 * access is within the surface. The access has `bytes` bytes, or is one texel if x counts texels.
 */
function placeText({ geom, clamp }: SurfaceShape, bytes: number | 'texels'): string {
  const axes = axesOf(geom);
  const clamps = clamp === 'clamp';
  const others = axes.filter((axis) => axis !== 'x');
  const layer = geom.startsWith('a');
  return [
    `ld.global.nc.v4.b32 {%width, %height, %depth, %layers}, [%handle];`,
    `ld.global.nc.v4.b32 {%row, %slice, %texel, %channels}, [%handle + ${headerOffsets.row}];`,
    bytes === 'texels' ? 'sub.u32 %last, %width, 1;' : `sub.u32 %last, %row, ${bytes};`,
    clamps ? 'max.s32 %x, %x, 0; min.s32 %x, %x, %last;' : '',
    'setp.le.u32 %inside, %x, %last;',
    // A layer index has 16 bits.
    layer ? 'and.b32 %layer, %layer, 0xffff;' : '',
    ...others.map((axis) => {
      const extent = get(extents, axis, 'the extent of an axis');
      const move =
        axis === 'layer'
          ? 'min.u32 %layer, %layer, %at;'
          : `max.s32 %${axis}, %${axis}, 0; min.s32 %${axis}, %${axis}, %at;`;
      if (clamps) return `sub.u32 %at, ${extent}, 1; ${move}`;
      return `setp.lt.u32 %also, %${axis}, ${extent}; and.pred %inside, %inside, %also;`;
    }),
    bytes === 'texels' ? 'mul.lo.u32 %at, %x, %texel;' : 'mov.b32 %at, %x;',
    axes.includes('y') ? 'mad.lo.u32 %at, %y, %row, %at;' : '',
    axes.includes('z') ? 'mad.lo.u32 %at, %z, %slice, %at;' : '',
    layer ? 'mad.lo.u32 %at, %layer, %slice, %at;' : '',
    'cvt.u64.u32 %wide, %at; add.u64 %place, %handle, %wide;',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

const numbered = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `%${name}${index}`);

/** Returns the type of a register for values of a type. Registers have at least 16 bits. */
const registerType = (type: string): string => (type === 'b8' ? 'b16' : type);
const bytesOf = (type: string): number => Number(type.slice(1)) / 8;

export function surfaceLoadText(
  name: string,
  shape: SurfaceShape & { readonly type: string; readonly count: number },
): string {
  const { geom, type, count } = shape;
  const results = numbered(count, 'r');
  const held = registerType(type);
  const vector = count === 1 ? '%r0' : `{${results.join(', ')}}`;
  return `.func (${results.map((result) => `.reg .${held} ${result}`).join(', ')}) ${name}(${parameters(geom)})
{
${registers}
${placeText(shape, bytesOf(type) * count)}
${results.map((result) => `mov.${held} ${result}, 0;`).join(' ')}
@%inside ld.global${count === 1 ? '' : `.v${count}`}.${type} ${vector}, [%place + ${headerBytes}];
ret;
}`;
}

export function surfaceStoreText(
  name: string,
  shape: SurfaceShape & { readonly type: string; readonly count: number },
): string {
  const { geom, type, count } = shape;
  const values = numbered(count, 'c');
  const held = registerType(type);
  const vector = count === 1 ? '%c0' : `{${values.join(', ')}}`;
  return `.func ${name}(${parameters(
    geom,
    values.map((value) => `.reg .${held} ${value}`),
  )})
{
${registers}
${placeText(shape, bytesOf(type) * count)}
@%inside st.global${count === 1 ? '' : `.v${count}`}.${type} [%place + ${headerBytes}], ${vector};
ret;
}`;
}

/** Returns a function that stores components from words, each converted to the surface's type. */
export function surfaceTexelText(name: string, shape: SurfaceShape & { readonly count: number }): string {
  const { geom, count } = shape;
  const values = numbered(count, 'c');
  return `.func ${name}(${parameters(
    geom,
    values.map((value) => `.reg .b32 ${value}`),
  )})
{
${registers}
.reg .pred %is, %has; .reg .b16 %half; .reg .b32 %bytes;
${placeText(shape, 'texels')}
@!%inside ret;
ld.global.nc.b32 %reader, [%handle + ${headerOffsets.reader}];
div.u32 %bytes, %texel, %channels;
cvt.u64.u32 %wide, %bytes;
${values.map((value, index) => componentText(value, index)).join('\n')}
ret;
}`;
}

/**
 * Returns code that ends the function if the surface has no component `index`. Otherwise the code
 * stores `value` there and advances the place.
 */
const componentText = (value: string, index: number): string => `setp.gt.u32 %has, %channels, ${index};
@!%has ret;
${storeText(value)}
add.u64 %place, %place, %wide;`;

/**
 * Returns code that stores a component. It clamps integers to the range of the type, and rounds
 * halves towards zero. NaNs keep sign and payload.
 */
const storeText = (value: string): string => `setp.eq.u32 %is, %reader, ${readers.f16};
@%is bra FLOAT${value.slice(1)};
setp.eq.u32 %is, %bytes, 4;
@%is st.global.b32 [%place + ${headerBytes}], ${value};
@%is bra NEXT${value.slice(1)};
and.b32 %old, %reader, 1;
shl.b32 %last, %bytes, 3;
setp.eq.u32 %also, %old, 1;
@%also sub.u32 %last, %last, 1;
mov.b32 %at, 1;
shl.b32 %last, %at, %last;
sub.u32 %last, %last, 1;
not.b32 %at, %last;
@!%also min.u32 ${value}, ${value}, %last;
@%also min.s32 ${value}, ${value}, %last;
@%also max.s32 ${value}, ${value}, %at;
cvt.u16.u32 %half, ${value};
setp.eq.u32 %is, %bytes, 1;
@%is st.global.b8 [%place + ${headerBytes}], %half;
@%is bra NEXT${value.slice(1)};
bra HALF${value.slice(1)};
FLOAT${value.slice(1)}:
cvt.rz.f16.f32 %half, ${value};
and.b32 %at, ${value}, 0x7fffffff;
setp.le.u32 %is, %at, 0x7f800000;
@%is bra HALF${value.slice(1)};
shr.u32 %at, ${value}, 13;
and.b32 %at, %at, 0x3ff;
max.u32 %at, %at, 1;
shr.u32 %old, ${value}, 16;
and.b32 %old, %old, 0x8000;
or.b32 %at, %at, %old;
or.b32 %at, %at, 0x7c00;
cvt.u16.u32 %half, %at;
HALF${value.slice(1)}:
st.global.b16 [%place + ${headerBytes}], %half;
NEXT${value.slice(1)}:`;

/** Returns the function of a reduction. `scaled`: x counts texels, not bytes. */
export function surfaceReductionText(
  name: string,
  shape: SurfaceShape & { readonly type: string; readonly op: string; readonly scaled: boolean },
): string {
  const { geom, type, op, scaled } = shape;
  const reduce = (as: string) => `red.global.${op}.${as} [%place + ${headerBytes}], %c0;`;
  // The surface's type determines the sign of words.
  const bySign = `@!%inside ret;
ld.global.nc.b32 %reader, [%handle + ${headerOffsets.reader}];
setp.eq.u32 %inside, %reader, ${readers.s32};
@%inside ${reduce('s32')}
@!%inside ${reduce('u32')}`;
  const isSigned = scaled && (op === 'min' || op === 'max');
  const as = scaled && op === 'add' ? 'u32' : type;
  return `.func ${name}(${parameters(geom, [`.reg .${type} %c0`])})
{
${registers}
${placeText(shape, scaled ? 'texels' : bytesOf(type))}
${isSigned ? bySign : `@%inside ${reduce(as)}`}
ret;
}`;
}
