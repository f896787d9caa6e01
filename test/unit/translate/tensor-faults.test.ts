// Shaders report copies of boxes with invalid maps or places, as the reference does. The thread
// continues, so that no other thread waits forever.
import { expect, test } from 'vitest';
import { encodeTensorMap } from '../../../src/base/encode-tensor-map.ts';
import { at, missing } from '../../../src/base/invariants.ts';
import type { Launch } from '../../../src/base/launch.ts';
import type { TensorMap, TiledTensorMap } from '../../../src/base/tensor-map.ts';
import { mapFields, writeField } from '../../../src/base/tensor-map-fields.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { KernelError } from '../../../src/runtime/launch/kernel-error.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

interface Copy {
  /** The places of the box and in shared memory. */
  readonly at?: string;
  readonly tile?: string;
  readonly map?: Partial<TiledTensorMap>;
  /** The whole map, of a copy in im2col mode. */
  readonly pixels?: TensorMap;
  readonly patch?: (map: Uint8Array) => void;
  readonly mask?: number;
  /** The offsets of pixels. */
  readonly shift?: number;
  /** The distance in bytes from the memory to the tensor's address. */
  readonly offset?: number;
}

const operations = ['load', 'store', 'reduction'] as const;
type Operation = (typeof operations)[number];

function launchOf(operation: Operation, copy: Copy): Launch {
  const { tile = 'tile', map, pixels, patch, mask, offset = 0 } = copy;
  const [place, dim, mode, storeMode, offsets] =
    pixels === undefined
      ? [copy.at ?? '8, 1', '2d', '', '', '']
      : [copy.at ?? '0, 0, 0, 0', '4d', '.im2col', '.im2col_no_offs', ', {%h, %h}'];
  const data = encodeTensorMap(pixels ?? { type: 'u32', sizes: [16, 8], box: [8, 4], ...map }, 0n);
  patch?.(data);
  const [multicast, blocks] = mask === undefined ? ['', ''] : ['.multicast::cluster', ', %h'];
  const copies: Readonly<Record<Operation, string>> = {
    load: `cp.async.bulk.tensor.${dim}.shared::cluster.global${mode}.mbarrier::complete_tx::bytes${multicast} [${tile}], [%d1, {${place}}], [bar]${offsets}${blocks};`,
    store: `cp.async.bulk.tensor.${dim}.global.shared::cta${storeMode}.bulk_group [%d1, {${place}}], [${tile}];`,
    reduction: `cp.reduce.async.bulk.tensor.${dim}.global.shared::cta.add${storeMode}.bulk_group [%d1, {${place}}], [${tile}];`,
  };
  const ptx = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
  .shared .align 1024 .b8 tile[1024]; .shared .b64 bar; .reg .pred %p; .reg .b16 %h; .reg .b32 %r; .reg .b64 %d<3>;
  mov.u32 %r, %tid.x; setp.eq.u32 %p, %r, 0; mov.b16 %h, ${mask ?? copy.shift ?? 1};
  mov.b64 %d1, map; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [out];
  @%p mbarrier.init.shared.b64 [bar], 1; @%p st.shared.u32 [tile], 5; bar.sync 0;
  @%p ${copies[operation]}
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
  st.global.u32 [%d2], 1;
  ret;
}`;
  return {
    id: 'k', group: '', ptx, ptxFile: 'k.ptx', entry: 'k', grid: [1, 1, 1], block: [32, 1, 1], sharedBytes: 0,
    params: [
      { name: 'map', kind: 'bytes', data, pointers: [{ at: 0, to: 2, offset }] },
      { name: 'out', kind: 'buffer', type: 'u32', bytes: 4 },
      { name: 'tensor', kind: 'buffer', type: 'u32', bytes: 512, unpassed: true },
    ],
  }; // biome-ignore format: one record
}

/** Returns the line of the copy and the message of a failed launch; undefined for a launch that succeeds. */
const failureOf = async (launch: Launch): Promise<string | undefined> => {
  try {
    await lockstepExecutor(32).run(launch);
    return undefined;
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    const [{ code, message, span } = missing('a diagnostic')] = error.diagnostics;
    return `${code} at ${launch.ptx.slice(span.start, span.start + 15)}: ${message}`;
  }
};

/** Changes a field of a map. A kernel can do the same. */
const field = (name: 'interleave' | 'mode' | 'rank' | 'tf32' | 'type', value: bigint) => (map: Uint8Array) =>
  writeField(map, mapFields[name], value);

const pixelMap = (corner: number): TensorMap => ({
  type: 'u32', sizes: [4, 4, 4, 2], im2col: { lower: [0, corner], upper: [0, 0], channels: 4, pixels: 3 },
}); // biome-ignore format: one record

/** The strides are multiples of slices of 32 bytes. */
const wideSlices: TensorMap = {
  type: 'u32', sizes: [2, 2, 2, 2], interleave: '32B', im2col: { lower: [0, 0], upper: [0, 0], channels: 8, pixels: 3 },
}; // biome-ignore format: one record

const faults: readonly (readonly [text: string, copy: Copy, only?: readonly Operation[]])[] = [
  ['another number of dimensions', { patch: field('rank', 2n) }],
  ['an invalid tensor map', { patch: field('interleave', 1n) }],
  ['a tensor map in another mode', { patch: field('mode', 1n) }],
  ['an invalid tensor map', { patch: field('type', 11n) }],
  ['an invalid tensor map', { patch: field('tf32', 1n) }],
  ['an invalid tensor map', { offset: 8 }],
  ['an invalid tensor map', { patch: (map) => writeField(map, mapFields.box[0] ?? mapFields.type, 6n) }],
  [
    'an invalid tensor map',
    { patch: (map) => writeField(map, mapFields.swizzle, 1n), map: { box: [16, 2] }, at: '0, 0' },
  ],
  [
    'an invalid tensor map',
    { pixels: wideSlices, patch: (map) => writeField(map, at(mapFields.strides, 0, 'a stride'), 3n) },
  ],
  ['not a multiple of 16 bytes', { at: '9, 1' }],
  ['a tensor map in another mode', { pixels: pixelMap(0), patch: field('mode', 0n) }],
  ['a first pixel outside of the bounding box', { pixels: pixelMap(1) }, ['load']],
  ['a first pixel outside of the bounding box', { pixels: pixelMap(0), at: '0, 4, 0, 0' }],
  ['an offset that is too large', { pixels: pixelMap(0), shift: 256 }, ['load']],
  ['whose bounding box exceeds the tensor', { pixels: pixelMap(-1) }, ['store', 'reduction']],
  ['not aligned to 128 bytes', { tile: 'tile+64' }],
  ['a coordinate below 0', { at: '8, -1' }, ['store', 'reduction']],
  ['block that the cluster lacks', { mask: 3 }, ['load']],
  ['elements of a type that the reduction does not support', { patch: field('type', 5n), at: '2, 1' }, ['reduction']],
];

test.each(
  faults.map(([text, copy, only = operations], index) => ({ text, copy, operation: only[index % only.length] })),
)('$operation: $text', async ({ text, copy, operation = missing('an operation') }) => {
  const launch = launchOf(operation, copy);
  const opcode = operation === 'reduction' ? 'cp.reduce.async' : 'cp.async.bulk.t';
  const fault = `RUN030 at @%p ${opcode.slice(0, 11)}: a copy with `;
  const message = await failureOf(launch);
  expect(message).toContain(text);
  expect(message).toContain('block: [0,0,0], thread: [0,0,0]');
  expect(message?.startsWith(fault)).toBe(true);
  expect(runOnCpu(launch).findings).not.toEqual([]);
});

test.each<Copy>([{}, { pixels: pixelMap(0) }])('a valid copy has no fault', async (copy) => {
  const launch = launchOf('store', copy);
  expect([await failureOf(launch), runOnCpu(launch).findings]).toEqual([undefined, []]);
});
