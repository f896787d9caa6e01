// Surface instructions, form by form: the reference against what the manual says, and the translation against the reference.
import { describe, expect, test } from 'vitest';
import type { Image } from '../../src/base/image.ts';
import { imageBytes } from '../../src/base/image.ts';
import { cpuExecutor } from '../../src/harness/executors/cpu-executor.ts';
import { type ImageKernel, imageLaunch } from '../lockstep/image-kernel.ts';
import { lockstepExecutor } from '../lockstep/lockstep-executor.ts';

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

/// `%c0` counts bytes; more than a third of the coordinates lie beside the surface.
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

const dataOf = (image: Image): Uint8Array =>
  Uint8Array.from({ length: imageBytes(image) }, (_, index) => index * 37 + 11);

async function agree(kernel: ImageKernel, image: Image, words: Uint32Array) {
  const launch = imageLaunch('surface', { ...kernel, image, data: dataOf(image), words });
  const reference = await cpuExecutor().run(launch);
  for (const size of [32, 8, 1]) {
    const { outputs } = await lockstepExecutor(size).run(launch);
    expect(outputs.get(1), `results on subgroups of ${size}`).toEqual(reference.outputs.get(1));
    expect(outputs.get(2), `surface on subgroups of ${size}`).toEqual(reference.outputs.get(2));
  }
  return reference;
}

const widths = [
  ['b8', 'h', 1],
  ['b16', 'h', 2],
  ['b32', 'd', 4],
  ['b64', 'q', 8],
] as const;

describe.each(['clamp', 'zero', 'trap'])('.%s', (clamp) => {
  describe.each(Object.entries(shapes))('%s', (geom, image) => {
    test.each(widths)('loads of %s', async (type, kind, size) => {
      const counts = size === 8 ? [1, 2] : [1, 2, 4];
      for (const count of counts) {
        const vec = count === 1 ? '' : `.v${count}`;
        const names = Array.from({ length: count }, (_, index) => `%${kind}${index}`);
        const d = count === 1 ? names.join() : `{${names.join(', ')}}`;
        const body = `suld.b.${geom}${vec}.${type}.${clamp} ${d}, [%image, ${vectors[geom]}];`;
        const kernel = { inputs: 4, results: names.map(() => kind), body };
        await agree(kernel, image, coordinatesOf(image, size * count));
      }
    });
  });
});
