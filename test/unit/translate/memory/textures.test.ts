// Texture instructions, form by form: the translation against the reference, on one subgroup size
// in turn.
import { describe, expect, test } from 'vitest';
import { type AddressMode, type Image, imageBytes, type Sampling } from '../../../../src/base/image.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { inTurn, selection } from '../../../effort.ts';
import { type ImageKernel, imageLaunch } from '../../../lockstep/image-kernel.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

const sampled = (filter: Sampling['filter'], mode: AddressMode, more: Partial<Sampling> = {}): Sampling => ({
  filter,
  address: [mode, mode, mode],
  normalizedCoordinates: false,
  normalizedReads: false,
  border: [0.5, -1, 2, 0.25],
  ...more,
});

/** Draws floats of moderate magnitude, or arbitrary integers. */
function dataOf(image: Image): Uint8Array {
  const bytes = imageBytes(image);
  if (image.texel === 'f32') {
    const values = Float32Array.from({ length: bytes / 4 }, (_, index) => ((index * 37) % 101) / 8 - 5);
    return new Uint8Array(values.buffer);
  }
  if (image.texel === 'f16') {
    const values = Uint16Array.from({ length: bytes / 2 }, (_, index) => 0x3000 + ((index * 611) % 0x2000));
    return new Uint8Array(values.buffer);
  }
  return Uint8Array.from({ length: bytes }, (_, index) => index * 37 + 11);
}

const floatBits = new DataView(new ArrayBuffer(4));
function bitsOf(value: number): number {
  floatBits.setFloat32(0, value);
  return floatBits.getUint32(0);
}

/** Returns x, y, z and a layer for each lane: inside, outside and between texels, and NaN. */
function coordinatesOf({ size, layers = 1, sampling }: Image): Uint32Array {
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, -1e30, -0, 1e-40];
  const along = (lane: number, axis: number): number => {
    const extent = size[axis] ?? 1;
    const special = odd[lane - 27 + axis];
    const at = (((lane * (7 + axis) + axis) % 29) / 29) * (extent + 3) - 1.5;
    return special ?? (sampling?.normalizedCoordinates ? at / extent : at);
  };
  return Uint32Array.from(
    Array.from({ length: 32 }, (_, lane) => [
      bitsOf(along(lane, 0)),
      bitsOf(along(lane, 1)),
      bitsOf(along(lane, 2)),
      (lane * 5) % (layers + 2),
    ]).flat(),
  );
}

let turn = 0;

async function agree(launch: Launch) {
  const reference = await cpuExecutor().run(launch);
  const size = [32, 8, 1][turn++ % 3] ?? 32;
  const { outputs } = await lockstepExecutor(size).run(launch);
  expect(outputs.get(1), `on subgroups of ${size}`).toEqual(reference.outputs.get(1));
  return reference.outputs;
}

const agreeOn = (kernel: ImageKernel, image: Image) =>
  agree(imageLaunch('texture', { ...kernel, image, data: dataOf(image), words: coordinatesOf(image) }));

const shapes: Readonly<Record<string, Pick<Image, 'size' | 'layers'>>> = {
  '1d': { size: [11] },
  '2d': { size: [7, 5] },
  '3d': { size: [5, 4, 3] },
  a1d: { size: [9], layers: 3 },
  a2d: { size: [6, 4], layers: 2 },
};
const floats: Readonly<Record<string, string>> = {
  '1d': '{%x0}',
  '2d': '{%x0, %x1}',
  '3d': '{%x0, %x1, %x2, %x2}',
  a1d: '{%c3, %x0}',
  a2d: '{%c3, %x0, %x1, %x1}',
};
const integers: Readonly<Record<string, string>> = {
  '1d': '{%d4}',
  '2d': '{%d4, %d5}',
  '3d': '{%d4, %d5, %d6, %d6}',
  a1d: '{%c3, %d4}',
  a2d: '{%c3, %d4, %d5, %d5}',
};
const four = ['d', 'd', 'd', 'd'] as const;
const modes: readonly AddressMode[] = ['wrap', 'clamp', 'mirror', 'border'];
/** A short run covers one mode for each geometry. */
const nextModes = inTurn(modes, 1);

describe.each(Object.entries(shapes))('%s', (geom, shape) => {
  test.each(nextModes())('%s: points and filtered, by texels and from 0 to 1', async (mode) => {
    for (const filter of ['point', 'linear'] as const) {
      const normalizedCoordinates = (mode === 'wrap' || mode === 'mirror') !== (filter === 'linear' && geom === '2d');
      const image: Image = {
        texel: 'f32',
        channels: 1,
        ...shape,
        sampling: sampled(filter, mode, { normalizedCoordinates }),
      };
      const body = `tex.${geom}.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, ${floats[geom]}];`;
      await agreeOn({ inputs: 4, results: four, body }, image);
    }
  });

  test('integer coordinates are texel numbers', async () => {
    const image: Image = {
      texel: 's16',
      channels: 2,
      ...shape,
      sampling: sampled('point', modes[geom.length] ?? 'clamp'),
    };
    const round = [0, 1, 2].map((axis) => `cvt.rzi.s32.f32 %d${4 + axis}, %x${axis};`).join(' ');
    const body = `${round} tex.${geom}.v4.s32.s32 {%d0, %d1, %d2, %d3}, [%image, ${integers[geom]}];`;
    await agreeOn({ inputs: 4, results: four, body }, image);
  });
});

// Each component type, alone and with others, unchanged and as a fraction, filtered if possible.
const kinds: readonly (readonly [Image['texel'], Image['channels'], boolean])[] = [
  ['u8', 4, false], ['u8', 1, true], ['s8', 2, false], ['s8', 4, true], ['u16', 1, false], ['u16', 2, true], ['s16', 4, false],
  ['s16', 1, true], ['u32', 2, false], ['s32', 4, false], ['f16', 4, true], ['f16', 1, false], ['f32', 2, true], ['f32', 4, false],
]; // biome-ignore format: pairs
test.each(selection(kinds, 8, ([texel]) => texel))(
  'components of %s, %i of them, filtered or as fractions: %j',
  async (texel, channels, filtered) => {
    const isFloat = texel.startsWith('f');
    const normalizedReads = filtered && !isFloat;
    const sampling = sampled(filtered ? 'linear' : 'point', 'border', {
      normalizedReads,
      ...(isFloat ? {} : { border: [1, 0, 1, 0] }),
    });
    const body = 'tex.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, {%x0, %x1}];';
    await agreeOn({ inputs: 4, results: four, body }, { texel, channels, size: [4, 4], sampling });
  },
);

const square: Image = { texel: 'f32', channels: 4, size: [6, 5], sampling: sampled('linear', 'mirror') };
test.each<[string, ImageKernel['results'], string]>([
  ['levels', four, 'tex.level.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, {%x0, %x1}], %x2;'],
  ['gradients', four, 'tex.grad.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, {%x0, %x1}], {%x2, %x0}, {%x1, %x2};'],
  ['the base', four, 'tex.base.2d.v4.u32.f32 {%d0, _, %d2, %d3}, [%image, {%x0, %x1}]; mov.b32 %d1, 7;'],
  ['floats', ['f', 'f', 'f', 'f'], 'tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%image, {%x0, %x1}];'],
  ['halves', ['h', 'h', 'h', 'h'], 'tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%image, {%x0, %x1}];'],
  ['pairs of f16', ['d', 'd'], 'tex.2d.v2.f16x2.f32 {%d0, %d1}, [%image, {%x0, %x1}];'],
  ['the red components of four texels', four, 'tld4.r.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, {%x0, %x1}];'],
  ['the alpha components of four texels', four, 'tld4.a.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, {%x0, %x1}];'],
  ['residency', ['d'], 'tex.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}|%p1, [%image, {%x0, %x1}]; @%p1 mov.b32 %d0, 5;'],
  [
    'a guard',
    four,
    'mov.b32 %d0, 1; mov.b32 %d1, 2; mov.b32 %d2, 3; mov.b32 %d3, 4; setp.gt.f32 %p1, %x0, 1.0; @%p1 tex.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, {%x0, %x1}];',
  ],
  ['sizes', ['d', 'd'], 'txq.width.b32 %d0, [%image]; txq.level.height.b32 %d1, [%image], 0;'],
  [
    'a handle from memory',
    four,
    '{ .local .b64 kept[2]; .reg .b64 %again; st.local.b64 [kept+8], %image; ld.local.b64 %again, [kept+8]; tex.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%again, {%x0, %x1}]; }',
  ],
])('%s', async (_, results, body) => {
  await agreeOn({ inputs: 4, results, body }, square);
});

test('lookups outside of linear memory return zeros', async () => {
  const image: Image = { texel: 's32', channels: 1, size: [5], linear: true, sampling: sampled('point', 'clamp') };
  const data = new Uint8Array(Int32Array.of(5, 6, 7, 8, 9).buffer);
  const words = Uint32Array.of(0, 4, 5, -1);
  const body = 'tex.1d.v4.s32.s32 {%d0, %d1, %d2, %d3}, [%image, {%c0}];';
  const outputs = await agree(imageLaunch('memory', { inputs: 1, results: ['d'], body, image, data, words }));
  expect([...new Uint32Array(outputs.get(1)?.buffer ?? new ArrayBuffer(0))]).toEqual([5, 9, 0, 0]);
});

test('a texture and a surface variable of the module', async () => {
  const body =
    'tex.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [texture_variable, {%x0, %x1}]; cvt.rzi.s32.f32 %d4, %x0; shl.b32 %d4, %d4, 2; suld.b.1d.b32.zero %d1, [surface_variable, %d4]; txq.width.b32 %d2, [texture_variable]; suq.width.b32 %d3, [surface_variable];';
  const launch = imageLaunch('variables', {
    inputs: 4,
    results: four,
    body,
    image: square,
    data: dataOf(square),
    words: coordinatesOf(square),
  });
  const texture: Image = { ...square, reference: true };
  const surface: Image = { texel: 'u8', channels: 4, size: [5], reference: true };
  const named = (name: string, image: Image) =>
    ({ name, kind: 'buffer', type: 'u8', bytes: imageBytes(image), data: dataOf(image), image }) as const;
  await agree({
    ...launch,
    params: [...launch.params, named('texture_variable', texture), named('surface_variable', surface)],
  });
});

test('textures in a module do not change a kernel without textures', () => {
  const kernel =
    '.visible .entry plain(.param .u64 out) { .reg .b64 %o; ld.param.u64 %o, [out]; st.global.u32 [%o], 7; ret; }';
  const other =
    '.visible .entry other(.param .u64 t) { .reg .b64 %t; .reg .b32 %d<4>; .reg .f32 %x; mov.f32 %x, 1.0; ld.param.u64 %t, [t]; tex.1d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%t, {%x}]; ret; }';
  const header = '.version 8.1 .target sm_90 .address_size 64';
  const statements = (code: string) => code.split('\n').filter((line) => !line.trim().startsWith('//'));
  const together = wgslOf(`${header}\n${kernel}\n.global .texref t0;\n${other}`, { entry: 'plain' });
  expect(statements(together)).toEqual(statements(wgslOf(`${header}\n${kernel}`, { entry: 'plain' })));
});

test.each<readonly [Image['texel'], Image['channels']]>([
  ['u8', 4],
  ['s8', 2],
  ['u16', 1],
])('four texels of %s as fractions', async (texel, channels) => {
  const sampling = sampled('linear', 'border', { normalizedReads: true, border: [1, 0, 1, 0] });
  const body = 'tld4.r.2d.v4.u32.f32 {%d0, %d1, %d2, %d3}, [%image, {%x0, %x1}];';
  await agreeOn({ inputs: 4, results: four, body }, { texel, channels, size: [5, 4], sampling });
});
