// Surface instructions, form by form: the reference against the manual, and the translation against
// the reference.
import { describe, expect, test } from 'vitest';
import type { Image } from '../../../../src/base/image.ts';
import { imageBytes } from '../../../../src/base/image.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { type ImageKernel, imageLaunch } from '../../../lockstep/image-kernel.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const shapes: Readonly<Record<string, Image>> = {
  '1d': { texel: 'u32', channels: 4, size: [7] },
  '2d': { texel: 'u8', channels: 4, size: [8, 5] },
  '3d': { texel: 's16', channels: 2, size: [4, 3, 2] },
  a1d: { texel: 'f32', channels: 1, size: [8], layers: 3 },
  a2d: { texel: 'f16', channels: 4, size: [2, 3], layers: 2 },
};

const vectors: Readonly<Record<string, string>> = {
  '1d': '{%c0}',
  '2d': '{%c0, %c1}',
  '3d': '{%c0, %c1, %c2, %c2}',
  a1d: '{%c1, %c0}',
  a2d: '{%c2, %c0, %c1, %c1}',
};

/** Returns coordinates, more than a third of them outside the surface. `%c0` is in bytes. */
function coordinatesOf(image: Image, step: number): Uint32Array {
  const [width, height = 1, depth = 1] = image.size;
  const last = image.layers ?? depth;
  const row = (width * imageBytes({ ...image, size: [1], layers: 1 })) / step;
  return Uint32Array.from(
    Array.from({ length: 32 }, (_, lane) => [
      (((lane * 7) % (row + 4)) - 2) * step,
      ((lane * 3) % (height + 2)) - 1,
      ((lane * 5) % (last + 2)) - 1,
      lane * 0x01234567 + 99,
    ]).flat(),
  );
}

/** Coordinates at which no two lanes store to the same place, inside or outside the surface. */
function spreadCoordinates(image: Image, step: number): Uint32Array {
  const [width, height = 1] = image.size;
  const rowOf = step === 1 ? width : Math.floor(imageBytes({ ...image, size: [width], layers: 1 }) / step);
  return Uint32Array.from(
    Array.from({ length: 32 }, (_, lane) => [
      (lane % (rowOf + 1)) * step,
      Math.floor(lane / (rowOf + 1)) % Math.max(height, 2),
      Math.floor(lane / (rowOf + 1) / Math.max(height, 2)),
      lane * 0x01234567 + 99,
    ]).flat(),
  );
}

/** Adds a fifth input to each lane: a float of any magnitude. */
const withColumn = (words: Uint32Array): Uint32Array =>
  Uint32Array.from(
    Array.from({ length: words.length / 4 }, (_, lane) => [
      ...words.subarray(4 * lane, 4 * lane + 4),
      0x3c000000 + lane * 0x00654321,
    ]).flat(),
  );

const dataOf = (image: Image): Uint8Array =>
  Uint8Array.from({ length: imageBytes(image) }, (_, index) => index * 37 + 11);

/** Compares the translation with the reference on one subgroup size, in turn. */
async function agree(kernel: ImageKernel, image: Image, words: Uint32Array, turn: number) {
  const launch = imageLaunch('surface', { ...kernel, image, data: dataOf(image), words });
  const reference = await cpuExecutor().run(launch);
  const size = [32, 8, 1][turn % 3] ?? 32;
  const { outputs } = await lockstepExecutor(size).run(launch);
  expect(outputs.get(1), `results on subgroups of ${size}`).toEqual(reference.outputs.get(1));
  expect(outputs.get(2), `surface on subgroups of ${size}`).toEqual(reference.outputs.get(2));
  return reference.outputs;
}

const widths = [
  ['b8', 'h', 1],
  ['b16', 'h', 2],
  ['b32', 'd', 4],
  ['b64', 'q', 8],
] as const;
const clamps = ['clamp', 'zero', 'trap'] as const;
const geometries = Object.entries(shapes).map(([geom, image], index) => ({ geom, image, index }));

describe.each(geometries)('$geom', ({ geom, image, index }) => {
  test.each(widths)('loads of %s', async (type, kind, size) => {
    const counts = size === 8 ? [1, 2] : [1, 2, 4];
    const count = counts[(index + size) % counts.length] ?? 1;
    const clamp = clamps[(index + Math.log2(size)) % 3];
    const names = Array.from({ length: count }, (_, number) => `%${kind}${number}`);
    const [vec, d] = count === 1 ? ['', names.join()] : [`.v${count}`, `{${names.join(', ')}}`];
    const body = `suld.b.${geom}${vec}.${type}.${clamp} ${d}, [%image, ${vectors[geom]}];`;
    await agree({ inputs: 4, results: names.map(() => kind), body }, image, coordinatesOf(image, size * count), index);
  });

  test.each(widths)('stores of %s', async (type, kind, size) => {
    const clamp = clamps[(index + size) % 3];
    // If several lanes may store to one place, all store the same value.
    const same = clamp === 'clamp' ? 'mov.b32 %c3, 0x1234567;' : '';
    const value = { h: 'cvt.u16.u32 %h0, %c3;', d: 'mov.b32 %d0, %c3;', q: 'mul.wide.u32 %q0, %c3, %c3;' }[kind];
    const body = `${same} ${value} sust.b.${geom}.${type}.${clamp} [%image, ${vectors[geom]}], %${kind}0;`;
    await agree({ inputs: 4, results: [], body }, image, spreadCoordinates(image, size), index + 1);
  });

  test('texels are converted', async () => {
    const body = `sust.p.${geom}.v4.b32.zero [%image, ${vectors[geom]}], {%c3, %c3, %c4, %c3};`;
    await agree({ inputs: 5, results: [], body }, image, withColumn(spreadCoordinates(image, 1)), index + 2);
  });
});

describe.each(['add', 'min', 'max', 'and', 'or'])('reductions by .%s', (op) => {
  const types =
    { add: ['u32', 's32', 'u64'], min: ['u32', 's64'], max: ['s32', 'u64'], and: ['b32'], or: ['b32'] }[op] ?? [];
  test.each(types)('of %s', async (type) => {
    const image: Image = { texel: 'u32', channels: 2, size: [6, 3] };
    const wide = type.endsWith('64');
    const body = `mul.wide.u32 %q0, %c3, %c3; sured.b.${op}.2d.${type}.zero [%image, {%c0, %c1}], ${wide ? '%q0' : '%c3'};`;
    await agree({ inputs: 4, results: [], body }, image, coordinatesOf(image, wide ? 8 : 4), op.length);
  });

  test.each(['u32', 's32'] as const)('of texels of %s', async (texel) => {
    const image: Image = { texel, channels: 1, size: [6, 3] };
    const body = `sured.p.${op}.2d.b32.clamp [%image, {%c0, %c1}], %c3;`;
    await agree({ inputs: 4, results: [], body }, image, coordinatesOf(image, 1), op.length);
  });
});

// Numbers from the manual: a surface of 4 x 2 texels of two bytes, with values 0 to 7.
test.each([
  ['clamp', [0, 0, 1, 3, 3, 4, 7]],
  ['zero', [0, 0, 1, 3, 0, 0, 0]],
])('outside the surface, .%s returns', async (clamp, expected) => {
  const image: Image = { texel: 'u16', channels: 1, size: [4, 2] };
  const places = [
    [0, 0],
    [-2, 0],
    [2, 0],
    [6, 0],
    [8, 0],
    [0, 2],
    [8, 9],
  ].map(([x = 0, y = 0]) => [x, y]);
  const words = Uint32Array.from(places.flat());
  const body = `suld.b.2d.b16.${clamp} %h0, [%image, {%c0, %c1}]; cvt.u32.u16 %d0, %h0;`;
  const data = new Uint8Array(Uint16Array.from({ length: 8 }, (_, index) => index).buffer);
  const launch = imageLaunch('edges', { inputs: 2, results: ['d'], body, image, data, words });
  const { outputs } = await cpuExecutor().run(launch);
  expect([...new Uint32Array(outputs.get(1)?.buffer ?? new ArrayBuffer(0))]).toEqual(expected);
});

test.each(['clamp', 'zero'])('texels far outside the surface, .%s, do not wrap around', async (clamp) => {
  const image: Image = { texel: 'u16', channels: 2, size: [6, 3] };
  const words = Uint32Array.of(0x4000_0000, 0, 7, 5, 0x8000_0001, 1, 9, 6, 0xffff_fffe, 2, 11, 8, 3, 0, 13, 7);
  const body = `sust.p.2d.v2.b32.${clamp} [%image, {%c0, %c1}], {%c2, %c3};`;
  await agree({ inputs: 4, results: [], body }, image, words, 0);
});
