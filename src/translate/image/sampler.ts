// Texture lookups in PTX.
import { axis } from './axis.ts';
import { alone, blend, weightsText } from './filter.ts';
import { bareFlag, headerOffsets, normalizedReader } from './header.ts';
import type { LibraryFunction, NameOf } from './library-function.ts';
import { fraction, layout, loadLayout, texel } from './texel.ts';

export interface SamplerShape {
  readonly geom: string;
  /** The type of the coordinates: `f32` or `s32`. */
  readonly ctype: string;
  /** Whether the lookup names a level. This is only relevant for integer coordinates. */
  readonly level: boolean;
  /** The form of the components: words, halves, or pairs of halves. */
  readonly result: 'word' | 'half' | 'pair';
  /** For a gather, the component of the four texels that is returned; otherwise undefined. */
  readonly gathered: number | undefined;
}

/** The names of an axis in the text: its coordinate and its extent. */
const axes = [
  { at: '%x', extent: '%width' },
  { at: '%y', extent: '%height' },
  { at: '%z', extent: '%depth' },
] as const;
const words = ['%r', '%g', '%b', '%a'] as const;

export function samplerFunction(shape: SamplerShape): LibraryFunction {
  const { geom, ctype, result, gathered, level } = shape;
  const what = gathered === undefined ? (level ? 'tex_level' : 'tex') : `tld4_${'rgba'.charAt(gathered)}`;
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

/**
 * Returns code that computes the neighbors along each axis of a geometry: `%left`, `%right` and
 * `%weight`, each followed by the axis's number.
 */
function placesText({ geom, ctype, gathered, level }: SamplerShape, nameOf: NameOf): string {
  const used = axes.slice(0, Number(geom.at(-2)));
  const filters = gathered === undefined ? '%linear' : '1';
  return used
    .map(({ at, extent }, index) => {
      const mode = `shr.u32 %mode, %modes, ${8 * index};\nand.b32 %mode, %mode, 255;`;
      if (level)
        return `sub.s32 %last, ${extent}, 1;\nmax.s32 %left${index}, ${at}, 0;\nmin.s32 %left${index}, %left${index}, %last;`;
      // With integer coordinates, texels outside the texture are zero in all modes.
      if (ctype === 's32') return `setp.ge.u32 %is, ${at}, ${extent};\n@%is bra BESIDE;\nmov.b32 %left${index}, ${at};`;
      return `${mode}\ncall (%left${index}, %right${index}, %weight${index}), ${nameOf(axis)}, (${at}, ${extent}, %mode, %normalized, ${filters});`;
    })
    .join('\n');
}

const texelCall = (results: readonly string[], at: readonly string[], nameOf: NameOf): string =>
  `call (${results.join(', ')}), ${nameOf(texel)}, (%handle, ${[...at, ...layout].join(', ')});`;

/** Returns code that converts words to fractions, if the texture is read as fractions. */
const fractionsText = (
  names: readonly string[],
  nameOf: NameOf,
): string => `setp.lt.u32 %is, %reader, ${normalizedReader};
@%is bra DONE;
${names.map((word) => `call (${word}), ${nameOf(fraction)}, (${word}, %kind);`).join('\n')}
DONE:`;

/**
 * Returns code that gathers one component of the four texels, counterclockwise from the lower left.
 */
function gatherText(component: number, nameOf: NameOf): string {
  const corners = [
    ['%left0', '%right1'],
    ['%right0', '%right1'],
    ['%right0', '%left1'],
    ['%left0', '%left1'],
  ] as const;
  return corners
    .map(([x, y], index) => {
      const taken = words.map((word, number) => (number === component ? `%c${index}` : word));
      return texelCall(taken, [x, y, '%layer'], nameOf);
    })
    .concat(words.map((word, index) => `call (${word}), ${nameOf(alone)}, (%c${index}, %reader, %kind);`))
    .join('\n');
}

/** Returns code that looks up the left texel along each axis. */
const singleText = (dimensions: number, nameOf: NameOf): string => {
  const at = [0, 1, 2].map((index) => (index < dimensions ? `%left${index}` : index === 2 ? '%layer' : '0'));
  return `${texelCall(words, at, nameOf)}\n${fractionsText(words, nameOf)}`;
};

/**
 * Returns code that looks up one texel, or the weighted sum of all surrounding texels. Components
 * that the texture lacks are zero.
 */
function filterText(dimensions: number, nameOf: NameOf): string {
  const corners = Array.from({ length: 2 ** dimensions }, (_, corner) => corner);
  const load = corners.map((corner) => {
    const side = (axis: number): string => `%${Math.floor(corner / 2 ** axis) % 2 === 1 ? 'right' : 'left'}${axis}`;
    const at = [0, 1, 2].map((axis) => (axis < dimensions ? side(axis) : axis === 2 ? '%layer' : '0'));
    return texelCall(
      words.map((_, component) => `%t${4 * corner + component}`),
      at,
      nameOf,
    );
  });
  const blends = words.map((word, component) => {
    const values = corners.map((corner) => `%t${4 * corner + component}`);
    const weights = corners.map((corner) => `%w${corner}`);
    const skip =
      component === 0 || component === 3 ? '' : `setp.le.u32 %is, %channels, ${component};\n@%is bra FILTERED;\n`;
    return `${skip}call (${word}), ${nameOf(blend(dimensions))}, (${['%kind', ...values, ...weights].join(', ')});`;
  });
  return `setp.ne.u32 %is, %linear, 0;
@%is bra FILTER;
${singleText(dimensions, nameOf)}
bra.uni FILTERED;
FILTER:
${weightsText(dimensions)}
${/* Skips a texel with weight 0, which may be a NaN. */ ''}${Array.from({ length: dimensions }, (_, axis) => `setp.eq.u32 %is, %weight${axis}, 0;\n@%is mov.b32 %right${axis}, %left${axis};`).join('\n')}
${load.join('\n')}
mov.b32 %g, 0;
mov.b32 %b, 0;
mov.b32 %a, 0;
${blends.join('\n')}
FILTERED:`;
}

const nearestLayer = 'sub.u32 %last, %layers, 1;\nmin.u32 %layer, %layer, %last;';

/**
 * Returns code that jumps to `BESIDE` if integer coordinates name no texel, and that clamps the
 * layer if the lookup has a level.
 */
function integerText({ geom, level }: SamplerShape): string {
  const beside = '@%is bra BESIDE;';
  if (geom === '1d') return `setp.ge.u32 %is, %modes, ${bareFlag};\n${beside}`;
  // Layers beyond the last one are clamped to it, as texels are.
  if (level) return `setp.ne.u32 %is, %level, 0;\n${beside}${geom.startsWith('a') ? `\n${nearestLayer}` : ''}`;
  return geom.startsWith('a') ? `setp.ge.u32 %is, %layer, %layers;\n${beside}` : '';
}

function samplerText(name: string, shape: SamplerShape, nameOf: NameOf): string {
  const { geom, ctype, result, gathered } = shape;
  const isInteger = ctype === 's32';
  const isArray = geom.startsWith('a');
  const dimensions = Number(geom.at(-2));
  const coordinates = axes.slice(0, dimensions).map(({ at }) => `.reg .b32 ${at}`);
  const parameters = [
    '.reg .b64 %handle',
    ...(isArray ? ['.reg .b32 %layer'] : []),
    ...coordinates,
    ...(shape.level ? ['.reg .b32 %level'] : []),
  ];
  const given = results[result];
  const body =
    gathered !== undefined
      ? gatherText(gathered, nameOf)
      : isInteger
        ? singleText(dimensions, nameOf)
        : filterText(dimensions, nameOf);
  return `.func (${given.names.map((own) => `.reg .${given.type} ${own}`).join(', ')}) ${name}(${parameters.join(', ')})
{
.reg .pred %is; .reg .f32 %f, %g1;
.reg .b32 %width, %height, %depth, %layers, %reader, %linear, %modes, %normalized, %mode, %last;
.reg .b32 ${layout.join(', ')}, %t<${4 * 2 ** dimensions}>, %w<${2 ** dimensions}>;
.reg .b32 %left<3>, %right<3>, %weight<3>, %at, %rest, %c<4>, %r, %g, %b, %a;
${isArray ? '' : '.reg .b32 %layer;\nmov.b32 %layer, 0;'}
ld.global.nc.v4.b32 {%width, %height, %depth, %layers}, [%handle];
ld.global.nc.v4.b32 {%reader, %linear, %modes, %normalized}, [%handle + ${headerOffsets.reader}];
${loadLayout}
${isInteger ? integerText(shape) : isArray ? nearestLayer : ''}
${placesText(shape, nameOf)}
${body}
${given.convert.join('\n')}
ret;${isInteger ? `\nBESIDE:\n${given.names.map((own) => `mov.${given.type} ${own}, 0;`).join('\n')}\nret;` : ''}
}`;
}
