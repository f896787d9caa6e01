// Copies of boxes of tensors in the reference: they are performed as late as PTX permits, and the
// sanitizer reports a missing wait and invalid maps.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeTensorMap } from '../../../../src/base/encode-tensor-map.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import type { Im2colTensorMap, TensorMap, TiledTensorMap } from '../../../../src/base/tensor-map.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';

/** A tensor of 8 rows with 16 words, and a box of 4 rows with 8 words. */
const plain: TiledTensorMap = { type: 'u32', sizes: [16, 8], box: [8, 4] };

const ptx = (body: string) => `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
  .shared .align 1024 .b8 tile[1024]; .shared .b64 bar;
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<9>;
  mov.b64 %d1, map; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [out]; mov.b32 %r1, 0; mov.b32 %r2, 0;
  mbarrier.init.shared.b64 [bar], 1; fence.proxy.async;
  ${body}
  st.global.u32 [%d2], %r2;
  ret;
}`;
const load =
  'cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1, {8, 1}], [bar];';
const expectBytes = (bytes: number) => `mbarrier.arrive.expect_tx.shared.b64 _, [bar], ${bytes};`;
const wait = 'W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;';
const read = 'ld.shared.u32 %r2, [tile];';
const store =
  'cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d1, {8, 1}], [tile]; cp.async.bulk.commit_group;';

/** The words of the tensor are their numbers. */
function run(
  body: string,
  change: Partial<TiledTensorMap> | TensorMap = {},
  patch: (map: Uint8Array) => void = () => undefined,
) {
  const map: TensorMap = 'im2col' in change ? change : { ...plain, ...change };
  const data = encodeTensorMap(map, 0n);
  patch(data);
  const words = new Uint8Array(Uint32Array.from({ length: 128 }, (_, index) => index).buffer);
  const launch: Launch = {
    id: 'k', group: '', ptx: ptx(body), ptxFile: 'k.ptx', entry: 'k', grid: [1, 1, 1], block: [1, 1, 1], sharedBytes: 0,
    params: [
      { name: 'map', kind: 'bytes', data, pointers: [{ at: 0, to: 2, offset: 0 }] },
      { name: 'out', kind: 'buffer', type: 'u32', bytes: 4 },
      { name: 'tensor', kind: 'buffer', type: 'u32', bytes: 512, data: words, unpassed: true },
    ],
  }; // biome-ignore format: one record
  const { outputs, findings } = runOnCpu(launch, { sanitize: true });
  const wordsOf = (index: number) => new Uint32Array(outputs.get(index)?.slice().buffer ?? new ArrayBuffer(0));
  return { out: wordsOf(1)[0], tensor: wordsOf(2), codes: [...new Set(findings.map(({ code }) => code))] };
}

describe('a load', () => {
  test('is complete after the wait', () => {
    const { out, codes } = run(`${load} ${expectBytes(128)} ${wait} ${read}`);
    expect([out, codes]).toEqual([24, []]);
  });

  test('may be incomplete before the wait', () => {
    expect(run(`${load} ${expectBytes(128)} ${read} ${wait}`).codes).toContain('RUN020');
  });

  test('counts the bytes outside of the tensor', () => {
    const { out, codes } = run(`${load.replace('8, 1', '-8, -1')} ${expectBytes(128)} ${wait} ${read}`);
    expect([out, codes]).toEqual([0, []]);
  });

  test('of more bytes than the mbarrier expects never completes', () => {
    expect(run(`${load} ${expectBytes(64)} ${wait} ${read}`).codes).toContain('RUN002');
  });

  test('to this block of the cluster', () => {
    const multicast = load.replace('bytes [', 'bytes.multicast::cluster [').replace('[bar];', '[bar], %h;');
    const with1 = `.reg .b16 %h; mov.b16 %h, 1; ${multicast} ${expectBytes(128)} ${wait} ${read}`;
    expect(run(with1)).toMatchObject({ out: 24, codes: [] });
    expect(run(with1.replace('%h, 1', '%h, 3')).codes).toContain('RUN024');
  });
});

describe('a store', () => {
  const fill = 'mov.b32 %r3, 77; st.shared.u32 [tile], %r3; st.shared.u32 [tile+4], %r3; fence.proxy.async;';
  test('is complete after the wait for its group', () => {
    const { tensor } = run(`${fill} ${store} cp.async.bulk.wait_group 0;`);
    expect([...tensor.slice(23, 27)]).toEqual([23, 77, 77, 0]);
  });

  test('reads its box until the wait', () => {
    expect(run(`${fill} ${store} st.shared.u32 [tile], 5; cp.async.bulk.wait_group 0;`).codes).toContain('RUN020');
    expect(run(`${fill} ${store} cp.async.bulk.wait_group.read 0; st.shared.u32 [tile], 5;`).codes).not.toContain(
      'RUN020',
    );
  });
});

/** A tensor of 2 images with 4 rows of 4 pixels, whose channels are 4 words. The bounding box has a border of 1. */
const images: Im2colTensorMap = {
  type: 'u32',
  sizes: [4, 4, 4, 2],
  im2col: { lower: [-1, -1], upper: [-1, -1], channels: 4, pixels: 8 },
};
const pixels =
  'cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [tile], [%d1, {0, 2, 2, 0}], [bar], {%h1, %h2};';
const at = (x: number, y: number) => `.reg .b16 %h<3>; mov.b16 %h1, ${x}; mov.b16 %h2, ${y};`;
const pixelStore =
  'cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%d1, {0, 1, 3, 0}], [tile]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;';

const tilePrefetch = 'cp.async.bulk.prefetch.tensor.4d.L2.global [%d1, {0, 0, 0, 0}];';
const pixelPrefetch = 'cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%d1, {0, 2, 2, 0}], {%h1, %h2};';

test.each<[TensorMap['type'], number]>([
  ['f32', 29],
  // As f32, the words of the tensor are subnormals.
  ['f32.ftz', 0],
])('a sum of %s', (type, sum) => {
  const add = `${store.replace('cp.', 'cp.reduce.').replace('cta.', 'cta.add.')} cp.async.bulk.wait_group 0;`;
  const { tensor } = run(`st.shared.u32 [tile], 5; fence.proxy.async; ${add}`, { type });
  expect(tensor[24]).toBe(sum);
});

describe('a copy of pixels', () => {
  test('may be prefetched', () => {
    expect(run(`${at(0, 0)} ${pixelPrefetch}`, images).codes).toEqual([]);
  });

  test.each([
    // The last pixel of the first image, which is outside of the tensor with both offsets.
    [0, at(0, 0), 40],
    [0, at(1, 2), 0],
    // The next pixel is the first one of the bounding box in the second image.
    [16, at(1, 1), 64],
  ])('loads byte %i from the pixel', (byte, offsets, expected) => {
    const body = `${offsets} ${pixels} ${expectBytes(128)} ${wait} ${read.replace('tile', `tile+${byte}`)}`;
    const { out, codes } = run(body, images);
    expect([out, codes]).toEqual([expected, []]);
  });

  test('stores pixels, then those of the next row and the next image', () => {
    const fill = [0, 16, 32, 48].map((byte) => `st.shared.u32 [tile+${byte}], ${byte + 1};`).join(' ');
    const whole = { ...images, im2col: { lower: [0, 0], upper: [0, 0], channels: 4, pixels: 4 } };
    const { tensor } = run(`${fill} fence.proxy.async; ${pixelStore}`, whole);
    expect([52, 56, 60, 64].map((word) => tensor[word])).toEqual([1, 17, 33, 49]);
  });
});

describe('a copy with interleaved channels', () => {
  test('loads slices', () => {
    // 4 pixels in each of 4 slices; the box has pixels -1 to 2 of slice 2.
    const slices: TensorMap = { type: 'u32', sizes: [4, 4, 1], box: [4, 1, 1], interleave: '16B' };
    const copy = load.replace('2d', '3d').replace('8, 1', '-1, 2, 0');
    const own = (byte: number) =>
      run(`${copy} ${expectBytes(64)} ${wait} ${read.replace('tile', `tile+${byte}`)}`, slices);
    expect([own(0), own(16), own(52)].map(({ out, codes }) => [out, codes])).toEqual([
      [0, []],
      [32, []],
      [41, []],
    ]);
  });
});

describe('the reference reports', () => {
  test.each<[string, string, TensorMap]>([
    ['a tile with a map of pixels', load.replace('2d', '4d').replace('8, 1', '0, 0, 0, 0'), images],
    ['pixels with a map of tiles', `${at(0, 0)} ${pixels}`, { type: 'u32', sizes: [4, 4, 4, 2], box: [4, 2, 2, 2] }],
    ['a pixel outside of the bounding box', `${at(0, 0)} ${pixels.replace('2, 2, 0', '3, 2, 0')}`, images],
    ['an offset that is too large', `${at(0, 256)} ${pixels}`, images],
    ['a store of pixels with a border', pixelStore, images],
    ['a prefetch of a tile with a map of pixels', tilePrefetch, images],
  ])('%s', (_, body, map) => {
    expect(run(body, map).codes).toContain('RUN030');
  });

  test.each<[string, string, Partial<TiledTensorMap>]>([
    ['a box that starts within 16 bytes', load.replace('8, 1', '9, 1'), {}],
    ['another number of dimensions', load, { sizes: [16, 4, 2], box: [8, 4, 1] }],
  ])('%s', (_, body, change) => {
    expect(run(`${body} ${expectBytes(128)}`, change).codes).toContain('RUN030');
  });

  test('a map without a known type', () => {
    expect(run(load, {}, (map) => map.fill(0xff, 8, 12)).codes).toContain('RUN030');
  });

  test('a tensor that exceeds its buffer', () => {
    expect(run(`${load.replace('8, 1', '8, 6')}`, { sizes: [16, 10] }).codes).toContain('RUN008');
  });
});

test('the lanes of a warp that copies a map are ordered after the copy', () => {
  const launch = readCase(join(import.meta.dirname, '../../../kernels/tmap_built.json'));
  expect(runOnCpu(launch, { sanitize: true }).findings).toEqual([]);
});
