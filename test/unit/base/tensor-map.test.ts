// Tensor maps have the bytes that the CUDA driver encodes, and are rejected if the driver rejects
// them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeTensorMap } from '../../../src/base/encode-tensor-map.ts';
import type { Im2colTensorMap, PixelBox, TensorLayout, TensorMap } from '../../../src/base/tensor-map.ts';
import { TensorMapError } from '../../../src/base/tensor-map-rules.ts';
import { tensorMapFields } from '../../../src/cpu-ref/tensor/tensor-map.ts';

type Record = readonly [
  type: TensorMap['type'],
  address: string,
  sizes: number[],
  strides: number[],
  box: number[] | PixelBox,
  elementStrides: number[],
  swizzle: Required<TensorLayout>['swizzle'],
  l2Promotion: Required<TensorLayout>['l2Promotion'],
  fill: Required<TensorLayout>['fill'],
  bytes: string | null,
  interleave?: Required<TensorLayout>['interleave'],
];

const records = ['tensor-maps.json', 'tensor-maps-im2col.json'].flatMap((name): readonly Record[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'h200', name), 'utf8')),
);

function mapOf(record: Record): TensorMap {
  const [type, , sizes, strides, box, elementStrides, swizzle, l2Promotion, fill, , interleave = 'none'] = record;
  const layout = { type, sizes, strides, elementStrides, interleave, swizzle, l2Promotion, fill };
  return Array.isArray(box) ? { ...layout, box } : { ...layout, im2col: box };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').replace(/0+$/, '');

describe('the records of a driver', () => {
  const accepted = records.filter((record) => record[9] !== null);
  const rejected = records.filter((record) => record[9] === null);

  test('contain maps of both kinds', () => {
    expect([accepted.length, rejected.length].map((count) => count > 100)).toEqual([true, true]);
  });

  test('have the same bytes', () => {
    const different = accepted.filter(
      (record) => hexOf(encodeTensorMap(mapOf(record), BigInt(record[1]))) !== record[9],
    );
    expect(different).toEqual([]);
  });

  test('are decoded to their parameters', () => {
    for (const record of accepted) {
      const map = mapOf(record);
      const { type, sizes, strides, elementStrides, interleave, swizzle, fill } = map;
      const shape = 'box' in map ? { mode: 'tile', box: map.box } : { mode: 'im2col', ...map.im2col };
      const bytes = Uint8Array.from(Buffer.from((record[9] ?? '').padEnd(256, '0'), 'hex'));
      const address = Number(BigInt(record[1]));
      const expected = { type, address, sizes, strides, elementStrides, interleave, swizzle, fill, shape };
      expect(tensorMapFields(bytes)).toEqual(expected);
    }
  });

  test('are rejected if the driver rejects them', () => {
    const different = rejected.filter((record) => {
      try {
        encodeTensorMap(mapOf(record), BigInt(record[1]));
        return true;
      } catch (error) {
        return !(error instanceof TensorMapError);
      }
    });
    expect(different).toEqual([]);
  });
});

describe('the message for an invalid map', () => {
  const valid: TensorMap = { type: 'f16', sizes: [64, 32], box: [64, 8] };
  test.each<[Partial<TensorMap>, string]>([
    [{ sizes: [] }, 'invalid tensor map: sizes has 0 elements: expected 1 to 5'],
    [{ box: [64] }, 'invalid tensor map: box has 1 elements: expected 2'],
    [{ box: [64, 0] }, 'invalid tensor map: box[1] is 0: expected an integer from 1 to 256'],
    [{ strides: [120] }, 'invalid tensor map: strides[0] is 120: expected a multiple of 16'],
    [{ box: [12, 8] }, 'invalid tensor map: box[0] makes rows of 24 bytes: expected a multiple of 16'],
    [{ swizzle: '64B' }, 'invalid tensor map: box[0] makes rows of 128 bytes: expected a multiple of 16, at most 64'],
    [{ elementStrides: [1, 9] }, 'invalid tensor map: elementStrides[1] is 9: expected an integer from 1 to 8'],
    [{ type: 'u16', fill: 'nan' }, 'invalid tensor map: fill is nan: expected zeros for u16'],
    [{ interleave: '16B' }, 'invalid tensor map: sizes has 2 elements: expected 3 to 5'],
  ])('%j', (change, message) => {
    expect(() => encodeTensorMap({ ...valid, ...change }, 0n)).toThrow(message);
  });

  const box: PixelBox = { lower: [-1, -1], upper: [-1, -1], channels: 8, pixels: 64 };
  const images: Im2colTensorMap = { type: 'f16', sizes: [16, 9, 7, 3], im2col: box };
  test.each<[Partial<Im2colTensorMap>, Partial<PixelBox>, string]>([
    [{ sizes: [16, 9] }, {}, 'invalid tensor map: sizes has 2 elements: expected 3 to 5'],
    [{}, { lower: [-1] }, 'invalid tensor map: im2col.lower has 1 elements: expected 2'],
    [{}, { upper: [0, 128] }, 'invalid tensor map: im2col.upper[1] is 128: expected an integer from -128 to 127'],
    [{}, { channels: 257 }, 'invalid tensor map: im2col.channels is 257: expected an integer from 1 to 256'],
    [{}, { channels: 12 }, 'invalid tensor map: im2col.channels makes rows of 24 bytes: expected a multiple of 16'],
    [{}, { pixels: 0 }, 'invalid tensor map: im2col.pixels is 0: expected an integer from 1 to 1024'],
    [{}, { lower: [0, 8] }, 'invalid tensor map: im2col.upper[1] leaves -2 pixels in a dimension: expected at least 1'],
    [{ interleave: '32B', strides: [144, 1008, 3024] }, {}, 'strides[0] is 144: expected a multiple of 32'],
  ])('%j %j', (change, pixels, message) => {
    expect(() => encodeTensorMap({ ...images, ...change, im2col: { ...box, ...pixels } }, 0n)).toThrow(message);
  });
});
