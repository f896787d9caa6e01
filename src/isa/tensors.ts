// Copies of boxes of tensors in global memory, which tensor maps describe, and changes of tensor
// maps.
import { otherDimensions } from '../base/tensor-map-fields.ts';
import { type Effects, type Mods, type RowNames, rows, type VectorType } from './row.ts';

const move = (name: string) => `data-movement-and-conversion-instructions-${name}`;
const sync = (name: string) => `parallel-synchronization-and-communication-instructions-${name}`;
const copy = { memory: 'updates', strength: 'weak', orders: 'none', collective: 'none', waits: false } as const satisfies Effects;
const hint = { ...copy, memory: 'none' } as const satisfies Effects;
const dim = ['1d', '2d', '3d', '4d', '5d'] as const;
const imageDim = ['3d', '4d', '5d'] as const;
const level = ['L2::cache_hint'] as const;
const op = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'] as const;

/** Returns the number of dimensions of a copy. */
export const dimensionsOf = ({ dim: text = '' }: Mods): number => Number(text[0]);

/** The coordinates of a box in its tensor: one for each dimension, the innermost first. */
const vectors = (mods: Mods): Readonly<Record<string, VectorType>> => ({ c: { type: 's32', count: dimensionsOf(mods) } });
/** The coordinates, and the offsets from pixels to the loaded elements: one for each spatial dimension. */
const offsetVectors = (mods: Mods): Readonly<Record<string, VectorType>> => ({
  ...vectors(mods),
  offsets: { type: 'u16', count: dimensionsOf(mods) - otherDimensions },
});

const base = { kind: 'memory', writes: [], effects: copy, ptx: '8.0', target: 'sm_90' } as const;
const box = { ...base, vectors, section: move('cp-async-bulk-tensor') } as const;
const load = { ...box, spaces: { to: 'shared', bar: 'shared' }, since: [{ slot: 'window', values: ['shared::cta'], ptx: '8.6', target: 'sm_90' }] } as const;
const window = ['shared::cluster', 'shared::cta'] as const;
const map = { a: 'address', c: 'vector' } as const;
const replace = { ...base, ptx: '8.3', target: 'sm_90a', section: move('tensormap-replace') } as const;

export const tensorRows = rows([
  {
    ...load,
    name: 'cp.async.bulk.tensor.load',
    syntax: 'cp.async.bulk.tensor.dim.window.global{.tile}.mbarrier::complete_tx::bytes{.level} [to], [a, c], [bar]{, policy}',
    where: { dim, window, level },
    types: { to: 'address', ...map, bar: 'address', policy: 'b64' },
    doc: 'Begins a copy of a box of a tensor to shared memory. An mbarrier counts its bytes when they arrive.',
  },
  {
    ...load,
    name: 'cp.async.bulk.tensor.multicast',
    syntax: 'cp.async.bulk.tensor.dim.window.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster{.level} [to], [a, c], [bar], mask{, policy}',
    where: { dim, window: ['shared::cluster'], level },
    types: { to: 'address', ...map, bar: 'address', mask: 'u16', policy: 'b64' },
    doc: 'Begins a copy of a box of a tensor to the shared memory of the blocks of the cluster whose bits `mask` contains.',
  },
  {
    ...load,
    name: 'cp.async.bulk.tensor.load.im2col',
    syntax: 'cp.async.bulk.tensor.dim.window.global.im2col.mbarrier::complete_tx::bytes{.level} [to], [a, c], [bar], offsets{, policy}',
    where: { dim: imageDim, window, level },
    types: { to: 'address', ...map, bar: 'address', offsets: 'vector', policy: 'b64' },
    vectors: offsetVectors,
    doc: 'Begins a copy of consecutive pixels of a bounding box to shared memory. `offsets` are the distances from the pixels to the loaded elements.',
  },
  {
    ...load,
    name: 'cp.async.bulk.tensor.multicast.im2col',
    syntax: 'cp.async.bulk.tensor.dim.window.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster{.level} [to], [a, c], [bar], offsets, mask{, policy}',
    where: { dim: imageDim, window: ['shared::cluster'], level },
    types: { to: 'address', ...map, bar: 'address', offsets: 'vector', mask: 'u16', policy: 'b64' },
    vectors: offsetVectors,
    doc: 'Begins a copy of consecutive pixels to the shared memory of the blocks of the cluster whose bits `mask` contains.',
  },
  {
    ...box,
    name: 'cp.async.bulk.tensor.store',
    syntax: 'cp.async.bulk.tensor.dim.global.shared::cta{.tile}.bulk_group{.level} [a, c], [from]{, policy}',
    where: { dim, level },
    types: { ...map, from: 'address', policy: 'b64' },
    spaces: { from: 'shared' },
    doc: "Begins a copy of a box in shared memory to a tensor, in the thread's bulk group.",
  },
  {
    ...box,
    name: 'cp.async.bulk.tensor.store.im2col',
    syntax: 'cp.async.bulk.tensor.dim.global.shared::cta.im2col_no_offs.bulk_group{.level} [a, c], [from]{, policy}',
    where: { dim: imageDim, level },
    types: { ...map, from: 'address', policy: 'b64' },
    spaces: { from: 'shared' },
    doc: "Begins a copy of consecutive pixels in shared memory to a tensor, in the thread's bulk group.",
  },
  {
    ...box,
    name: 'cp.reduce.async.bulk.tensor',
    syntax: 'cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.tile}.bulk_group{.level} [a, c], [from]{, policy}',
    where: { dim, op, level },
    types: { ...map, from: 'address', policy: 'b64' },
    spaces: { from: 'shared' },
    section: move('cp-reduce-async-bulk-tensor'),
    doc: "Begins atomic updates of the elements of a tensor with those of a box in shared memory, in the thread's bulk group.",
  },
  {
    ...box,
    name: 'cp.reduce.async.bulk.tensor.im2col',
    syntax: 'cp.reduce.async.bulk.tensor.dim.global.shared::cta.op.im2col_no_offs.bulk_group{.level} [a, c], [from]{, policy}',
    where: { dim: imageDim, op, level },
    types: { ...map, from: 'address', policy: 'b64' },
    spaces: { from: 'shared' },
    section: move('cp-reduce-async-bulk-tensor'),
    doc: "Begins atomic updates of consecutive pixels of a tensor with those in shared memory, in the thread's bulk group.",
  },
  {
    ...box,
    name: 'cp.async.bulk.prefetch.tensor',
    effects: hint,
    syntax: 'cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.level} [a, c]{, policy}',
    where: { dim, level },
    types: { ...map, policy: 'b64' },
    section: move('cp-async-bulk-prefetch-tensor'),
    doc: 'A hint without effect on results.',
  },
  {
    ...box,
    name: 'cp.async.bulk.prefetch.tensor.im2col',
    effects: hint,
    syntax: 'cp.async.bulk.prefetch.tensor.dim.L2.global.im2col{.level} [a, c], offsets{, policy}',
    where: { dim: imageDim, level },
    types: { ...map, offsets: 'vector', policy: 'b64' },
    vectors: offsetVectors,
    section: move('cp-async-bulk-prefetch-tensor'),
    doc: 'A hint without effect on results.',
  },
  {
    ...replace,
    name: 'tensormap.replace',
    syntax: 'tensormap.replace.tile.field{.space}.b1024.type [a], value',
    where: { field: ['global_address', 'rank'], space: ['global', 'shared::cta'], type: ['b32', 'b64'] },
    types: { a: 'address', value: '.type' },
    doc: 'Changes the address or the rank in a tensor map.',
  },
  {
    ...replace,
    name: 'tensormap.replace.dimension',
    syntax: 'tensormap.replace.tile.field{.space}.b1024.type [a], dimension, value',
    where: { field: ['box_dim', 'global_dim', 'global_stride', 'element_stride'], space: ['global', 'shared::cta'], type: ['b32', 'b64'] },
    types: { a: 'address', dimension: 'immediate', value: '.type' },
    doc: 'Changes a size or stride of one dimension in a tensor map.',
  },
  {
    ...replace,
    name: 'tensormap.replace.mode',
    syntax: 'tensormap.replace.tile.field{.space}.b1024.type [a], value',
    where: { field: ['elemtype', 'interleave_layout', 'swizzle_mode', 'fill_mode'], space: ['global', 'shared::cta'], type: ['b32'] },
    types: { a: 'address', value: 'immediate' },
    doc: 'Changes the type, the layout or the fill in a tensor map.',
  },
  {
    ...base,
    name: 'tensormap.cp_fenceproxy',
    effects: { ...copy, orders: 'release', collective: 'warp', waits: true },
    syntax: 'tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [to], [a], n',
    where: { scope: ['cta', 'cluster', 'gpu', 'sys'] },
    types: { to: 'address', a: 'address', n: 'immediate' },
    spaces: { to: 'global', a: 'shared' },
    ptx: '8.3',
    section: sync('tensormap-cp-fenceproxy'),
    doc: 'Copies a tensor map from shared to global memory, for later copies with this map.',
  },
]);

export type TensorRowName = RowNames<typeof tensorRows>;
