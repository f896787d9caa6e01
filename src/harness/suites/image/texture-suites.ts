// The suites of texture lookups. Texels are random, and coordinates are on, between and outside of
// them. There are suites for every geometry, kind of texel, filter and address mode.
import { type Image, imageBytes } from '../../../base/image.ts';
import { gather, lookUp } from '../../../cpu-ref/image/sample.ts';
import { texelBits } from '../../../cpu-ref/image/texel.ts';
import { type IsaRow, type Mods, textureRows } from '../../../isa/index.ts';
import {
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadAt,
  warpNumbers,
  warpsOf,
} from '../geometry.ts';
import { warpLanes } from '../lanes.ts';
import { moduleText } from '../module-text.ts';
import { type Random, random } from '../random.ts';
import { instructionText, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, everyDefined, hex, type Slot, type Suite, type SuiteGroup } from '../types.ts';
import { type TextureForm, type TextureGeometry, textureForms, textureShapes } from './texture-forms.ts';

interface TextureSuite extends Suite {
  readonly isaRow: IsaRow;
  readonly modifiers: Mods;
  readonly geom: TextureGeometry;
  readonly image: TextureForm['image'];
}

const block = [64, 1, 1] as const;
/** The number of words per thread for coordinates, and for results. */
const words = 4;
/**
 * The index of the word after the coordinates. It is the level, or the common value of all
 * components of two gradients.
 */
const levelWord = 3;
/** The levels. They are mostly 0, because other levels do not exist. */
const levels = {
  s32: [0, 0, 0, 0, 1, 0xffff_ffff],
  f32: [0, 0x3f80_0000, 0x3f00_0000, 0xbf80_0000, 0x4396_0000],
} as const;

const isGeometry = (geom: string): geom is TextureGeometry => geom in textureShapes;

function suiteOf(isaRow: IsaRow, modifiers: Mods, geom: TextureGeometry, { name, image }: TextureForm): TextureSuite {
  const mods = modsText(isaRow, modifiers);
  const id = suiteId(isaRow.name, mods, name);
  return { id, row: isaRow.name, mods, form: name, variants: 1, isaRow, modifiers, geom, image };
}

type Lookup = 'tex' | 'tex.level' | 'tex.grad' | 'tld4';

/**
 * The lookups: filtered and unfiltered with float coordinates, with integer coordinates, with an
 * explicit level, with gradients, and of four texels.
 */
const lookups: readonly { readonly row: Lookup; readonly mods: Mods; readonly filter: 'linear' | 'point' }[] = [
  { row: 'tex', mods: { ctype: 'f32' }, filter: 'linear' },
  { row: 'tex', mods: { ctype: 'f32' }, filter: 'point' },
  { row: 'tex', mods: { ctype: 's32' }, filter: 'point' },
  { row: 'tex.level', mods: { ctype: 'f32' }, filter: 'linear' },
  { row: 'tex.level', mods: { ctype: 's32' }, filter: 'point' },
  { row: 'tex.grad', mods: {}, filter: 'linear' },
  { row: 'tld4', mods: { comp: 'r' }, filter: 'point' },
  { row: 'tld4', mods: { comp: 'g' }, filter: 'linear' },
];

/**
 * Puts a one-dimensional texture without layers and with unnormalized coordinates into linear
 * memory, which supports integer coordinates only.
 */
function fetched({ name, image, isUsual }: TextureForm): TextureForm {
  const isLinear = image.size.length === 1 && image.layers === undefined && !image.sampling.normalizedCoordinates;
  return isLinear ? { name: `memory.${name}`, image: { ...image, linear: true }, isUsual } : { name, image, isUsual };
}

export function textureSuiteGroups(): SuiteGroup[] {
  const rows: readonly IsaRow[] = textureRows;
  return lookups.flatMap(({ row, mods, filter }) => {
    const isaRow = rows.find(({ name }) => name === row);
    if (isaRow === undefined) throw new RangeError(`no row ${row}`);
    const geometries = (isaRow.where?.geom ?? []).filter(isGeometry);
    return geometries.flatMap((geom) => {
      const forms = textureForms(geom, filter);
      // All lookups read and filter texels in the same way. So only one of them includes every
      // form.
      const parts = row === 'tex' && mods.ctype === 'f32' ? [true, false] : [true];
      return parts.flatMap((isUsual) => {
        return forms
          .filter((form) => form.isUsual === isUsual)
          .map((form) =>
            suiteOf(isaRow, { ...mods, geom, dtype: 'u32' }, geom, mods.ctype === 's32' ? fetched(form) : form),
          )
          .map((suite) => groupOf(suite, !isUsual));
      });
    });
  });
}

/**
 * Returns the group of a suite. Each kernel has one lookup, because filtering needs much code, and
 * drivers compile its functions again for every lookup. All forms of a lookup share one kernel,
 * which reads the sampling state from its parameters.
 */
function groupOf(suite: TextureSuite, onlyAsked: boolean): SuiteGroup {
  return {
    suites: [suite],
    kernel: `${suite.row}:${suite.mods}`,
    blockWarps: warpsOf(block),
    warps: { sample: 8, exhaustive: 64 },
    launchWarps: 64,
    cost: 20,
    onlyAsked,
    build: (choice) => buildBatch([suite], choice),
  };
}

/**
 * Floats that show whether a filter preserves their bits: NaNs with payloads, infinities,
 * subnormals and zeros.
 */
const oddFloats = [0x7fc00000, 0x7fa12345, 0xffd54321, 0xff800001, 0x7f800000, 0xff800000, 0x00000001, 0x807fffff, 0x80000000] as const; // biome-ignore format: one line

/**
 * Returns random bits. f32 texels mostly have similar magnitudes, so that each of them affects a
 * sum. Some are NaNs or infinities.
 */
function texelsOf(image: Image, rng: Random): Uint8Array {
  const data = Uint32Array.from({ length: Math.ceil(imageBytes(image) / 4) }, () => rng.u32());
  if (image.texel === 'f32') {
    data.forEach((bits, index) => {
      if (rng.chance(1 / 24)) data[index] = rng.pick(oddFloats);
      else if (!rng.chance(1 / 64))
        data[index] = ((bits & 0x807f_ffff) | ((120 + rng.below(rng.pick([3, 16, 40]))) << 23)) >>> 0;
    });
  }
  return new Uint8Array(data.buffer, 0, imageBytes(image));
}

const odd = [
  0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 1, 0x7149f2ca, 0xf149f2ca, 0x33d6bf95, 0xb3d6bf95,
] as const;
const scratch = new DataView(new ArrayBuffer(4));

/**
 * Draws a coordinate along an axis: often near a texel's edge, near its center, or on a multiple of
 * 1/256 between them.
 */
function coordinateOf(extent: number, normalized: boolean, rng: Random): number {
  if (rng.chance(1 / 24)) return rng.pick(odd);
  const whole = rng.below(extent + 4) - 2;
  const at = rng.pick([
    whole + rng.below(513) / 512,
    whole + rng.below(3) / 2,
    (rng.u32() / 2 ** 32) * 5 * extent - 2 * extent,
  ]);
  scratch.setFloat32(0, normalized ? at / extent : at);
  return (scratch.getUint32(0) + rng.pick([0, 0, rng.below(5) - 2])) >>> 0;
}

function coordinatesOf({ image, geom, modifiers }: TextureSuite, rng: Random): readonly number[] {
  const along = image.size.map((extent) =>
    modifiers.ctype === 's32'
      ? (rng.below(extent + 4) - 2) >>> 0
      : coordinateOf(extent, image.sampling.normalizedCoordinates, rng),
  );
  const layer = rng.chance(1 / 32) ? rng.pick([0xffff_ffff, 0x8000_0000]) : rng.below((image.layers ?? 1) + 2);
  return geom.startsWith('a') ? [layer, ...along] : along;
}

function expectedOf(
  { row, image, geom, modifiers }: TextureSuite,
  texels: Uint8Array,
): (at: readonly number[], level: number) => readonly number[] {
  const view = new DataView(texels.buffer, texels.byteOffset, texels.byteLength);
  const bits = texelBits(image, (offset, bytes) =>
    bytes === 1 ? view.getUint8(offset) : bytes === 2 ? view.getUint16(offset, true) : view.getUint32(offset, true),
  );
  const { comp } = modifiers;
  if (comp !== undefined) return (at) => gather(image, bits, geom, at, 'rgba'.indexOf(comp));
  const isInteger = modifiers.ctype === 's32';
  return (at, level) => lookUp(image, bits, { geom, isInteger, level: row === 'tex.level' ? level : undefined }, at);
}

function buildBatch(suites: readonly TextureSuite[], { ids, firstWarp, warps, seed }: Choice): Batch {
  const chosen = suites.filter(({ id }) => ids.has(id));
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const threads = launchThreads(geometry);
  const stride = words * chosen.length;
  const input = new Uint32Array(threads * stride);
  const textures = chosen.map((suite) => texelsOf(suite.image, random(seed, suite.id, 'texels')));
  const slots = chosen.flatMap((suite, number) => {
    const own = Array.from(
      { length: words },
      (_, word): Slot => ({
        suite,
        variant: 0,
        instruction: `${textOf(suite, number)};`,
        result: `d.${word}`,
        param: 1,
        stride,
        offset: words * number + word,
        expected: new Uint32Array(threads),
        state: everyDefined(threads),
      }),
    );
    const expected = expectedOf(suite, textures[number] ?? new Uint8Array());
    for (const warp of warpNumbers(geometry)) {
      const rng = random(seed, suite.id, warp);
      for (const lane of warpLanes) {
        const at = coordinatesOf(suite, rng);
        const thread = threadAt(geometry, warp, lane) ?? 0;
        input.set(at, thread * stride + words * number);
        const level = rng.pick(levels[suite.modifiers.ctype === 's32' ? 's32' : 'f32']);
        input[thread * stride + words * number + levelWord] = level;
        expected(at, level).forEach((word, index) => {
          const slot = own[index];
          if (slot !== undefined) slot.expected[thread] = word;
        });
      }
    }
    return own;
  });
  const params = chosen.map(({ image }, number) => {
    const data = textures[number] ?? new Uint8Array();
    return { name: `texture${number}`, kind: 'buffer', type: 'u8', bytes: data.length, data, image } as const;
  });
  return {
    launch: launchOf(chosen[0]?.row ?? '', kernelText(chosen), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * stride),
      ...params,
    ]),
    geometry,
    slots,
    describe({ suite }, warp, lane) {
      const first =
        (threadAt(geometry, warp, lane) ?? 0) * stride + words * chosen.findIndex(({ id }) => id === suite.id);
      const at = input.subarray(first, first + words);
      return Object.fromEntries([...at].map((word, index) => [`c${index}`, hex(word)]));
    },
  };
}

/**
 * Returns the coordinate registers: words, or floats after a layer. Three coordinates are followed
 * by a register that the instruction does not read.
 */
function vectorOf({ geom, modifiers }: TextureSuite): string {
  const isArray = geom.startsWith('a');
  const count = Number(geom.at(-2)) + (isArray ? 1 : 0);
  const names = Array.from({ length: count }, (_, index) =>
    (isArray && index === 0) || modifiers.ctype === 's32' ? `%c${index}` : `%x${index}`,
  );
  return `{${[...names, ...(count === 3 ? names.slice(-1) : [])].join(', ')}}`;
}

/**
 * Returns the operands that select a level. If floats select the level, it is always the only
 * level.
 */
function levelOf({ row, geom, modifiers }: TextureSuite): readonly string[] {
  if (row === 'tex.level') return [modifiers.ctype === 's32' ? '%c3' : '%x3'];
  if (row !== 'tex.grad') return [];
  const count = { 1: 1, 2: 2, 3: 4 }[Number(geom.at(-2))] ?? 1;
  const gradient = `{${Array.from({ length: count }, () => '%x3').join(', ')}}`;
  return [gradient, gradient];
}

function textOf(suite: TextureSuite, number: number): string {
  const { isaRow, modifiers } = suite;
  const [opcode = ''] = isaRow.syntax.split(' ');
  const first = instructionText({ ...isaRow, syntax: `${opcode} d` }, modifiers, { d: '{%d0, %d1, %d2, %d3}' });
  return [`${first}, [%texture${number}, ${vectorOf(suite)}]`, ...levelOf(suite)].join(', ');
}

function kernelText(suites: readonly TextureSuite[]): string {
  const bytes = 4 * words * suites.length;
  const lookUps = suites.flatMap((suite, number) => [
    `ld.param.u64 %texture${number}, [p_texture${number}];`,
    `ld.global.v4.b32 {%c0, %c1, %c2, %c3}, [%in+${4 * words * number}];`,
    ...Array.from({ length: words }, (_, index) => `mov.b32 %x${index}, %c${index};`),
    `${textOf(suite, number)};`,
    `st.global.v4.b32 [%out+${4 * words * number}], {%d0, %d1, %d2, %d3};`,
  ]);
  const body = [
    `.reg .b64 %in, %out, %texture<${suites.length}>;`,
    '.reg .b32 %thread, %t, %c<4>, %d<4>;',
    '.reg .f32 %x<4>;',
    'mov.u32 %t, %ctaid.x;',
    'mov.u32 %thread, %tid.x;',
    `mad.lo.u32 %thread, %t, ${block[0]}, %thread;`,
    'ld.param.u64 %in, [p_in];',
    'cvta.to.global.u64 %in, %in;',
    `mad.wide.u32 %in, %thread, ${bytes}, %in;`,
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %out, %out;',
    `mad.wide.u32 %out, %thread, ${bytes}, %out;`,
    ...lookUps,
    'ret;',
  ];
  const names = ['p_in', 'p_out', ...suites.map((_, number) => `p_texture${number}`)];
  return moduleText(names.map((name) => `.param .u64 ${name}`).join(', '), body, { version: '7.8', target: 'sm_80' });
}
