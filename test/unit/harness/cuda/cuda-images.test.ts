// Textures and surfaces through the CUDA session, on a stub of the driver.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Image, Sampling } from '../../../../src/base/image.ts';
import { imageBytes } from '../../../../src/base/image.ts';
import type { LaunchParam } from '../../../../src/base/launch.ts';
import { type CudaSession, openCuda } from '../../../../src/harness/cuda/session.ts';
import { buildStub, launchOf, missing, wordsOf } from './cuda-stub.ts';

const sampling: Sampling = {
  filter: 'linear',
  address: ['wrap', 'mirror', 'border'],
  normalizedCoordinates: true,
  normalizedReads: true,
  border: [0.5, 1, -1, 0],
};

function imageParam(name: string, image: Image, data?: Uint8Array): LaunchParam {
  return { name, kind: 'buffer', type: 'u8', bytes: imageBytes(image), image, ...(data === undefined ? {} : { data }) };
}

const out: LaunchParam = { name: 'out', kind: 'buffer', type: 'u32', bytes: 64 };
const plain = {
  filter: 'point',
  address: ['clamp', 'clamp', 'clamp'],
  normalizedCoordinates: false,
  normalizedReads: false,
  border: [0, 0, 0, 0],
} as const;

describe.skipIf(missing !== undefined)(`images on a stub driver${missing ? ` (${missing})` : ''}`, () => {
  let session: CudaSession;

  beforeAll(async () => {
    process.env.LANEWISE_LIBCUDA = buildStub();
    session = await openCuda();
  });

  afterAll(async () => {
    await session?.close();
    delete process.env.LANEWISE_LIBCUDA;
  });

  async function run(texture: Image, surface: Image) {
    const data = Uint8Array.from({ length: imageBytes(texture) }, (_, index) => index + 1);
    const launch = launchOf(
      'copy_texels',
      ['.u64 $', '.u64 $', '.u64 $'],
      [out, imageParam('t', texture, data), imageParam('s', surface)],
    );
    const { outputs } = await session.run(launch);
    return { words: wordsOf(outputs.get(0)), data, texels: outputs.get(1), stored: outputs.get(2) };
  }

  // The expected numbers: extents, `CUarray_format`, channels and flags; address modes, filter and
  // flags; the number of arrays and of objects.
  test.each<[string, Image, readonly number[]]>([
    ['2d', { texel: 'u8', channels: 4, size: [3, 2], sampling }, [3, 2, 0, 1, 4, 8, 0, 2, 1, 1, 2, 4]],
    ['3d', { texel: 's16', channels: 2, size: [3, 2, 2], sampling: plain }, [3, 2, 2, 9, 2, 0, 1, 1, 1, 0, 1, 4]],
    [
      'layers of 1d',
      { texel: 'f32', channels: 1, size: [5], layers: 3, sampling: plain },
      [5, 0, 3, 32, 1, 1, 1, 1, 1, 0, 0, 4],
    ],
    [
      'layers of 2d',
      { texel: 'f16', channels: 1, size: [5, 2], layers: 3, sampling },
      [5, 2, 3, 16, 1, 1, 0, 2, 1, 1, 2, 4],
    ],
  ])('a texture of %s', async (_, texture, expected) => {
    const { sampling: __, ...surface } = texture;
    const { words, data, texels, stored } = await run(texture, surface);
    expect(words.slice(0, 12)).toEqual(expected);
    expect(texels).toEqual(data);
    expect(stored).toEqual(data);
  });

  test('a texture in linear memory returns its texels', async () => {
    const linear: Image = { texel: 'u32', channels: 1, size: [6], linear: true, sampling };
    const { words, texels, data } = await run(linear, { texel: 'u8', channels: 1, size: [4] });
    expect(words.slice(0, 6)).toEqual([24, 0, 0, 3, 1, 0]);
    expect(words.slice(12, 16)).toEqual([0x3f000000, 0x3f800000, 0xbf800000, 0]);
    expect(texels).toEqual(data);
  });

  test('each run destroys its arrays and objects', async () => {
    const shape: Image = { texel: 'u8', channels: 1, size: [4], sampling };
    const counts = [];
    for (let turn = 0; turn < 3; turn++)
      counts.push((await run(shape, { texel: 'u8', channels: 1, size: [4] })).words[11]);
    expect(counts).toEqual([4, 4, 4]);
  });
});
