// wmma: matrices that a warp loads from memory and stores as a whole. What each lane holds of them is in `wmma-fragments.ts`.
import { type Effects, type RowNames, rows } from './row.ts';
import { wmmaVector } from './wmma-fragments.ts';

const section = (name: string) => `warp-level-matrix-instructions-wmma-${name}`;
/// All lanes of the warp come to it, and wait for each other. The manual promises no order of memory accesses for it.
const exchange = { memory: 'none', strength: 'weak', orders: 'none', collective: 'warp', waits: true } as const satisfies Effects;
const base = { kind: 'matrix', ptx: '6.0', target: 'sm_70' } as const;
const tall = ['m16n16k16', 'm32n8k16', 'm8n32k16'] as const;
const shape = [...tall, 'm16n16k8', 'm8n8k4', 'm8n8k32', 'm8n8k128'] as const;
const layout = ['row', 'col'] as const;
const space = ['global', 'shared', 'shared::cta'] as const;

const oblong = { slot: 'shape', values: ['m32n8k16', 'm8n32k16'], ptx: '6.1', target: 'sm_70' } as const;
const window = { slot: 'space', values: ['shared::cta'], ptx: '7.8', target: 'sm_70' } as const;
const byType = (slot: 'type' | 'atype') =>
  [
    { slot, values: ['s8', 'u8'], ptx: '6.3', target: 'sm_72' },
    { slot, values: ['s4', 'u4', 'b1'], ptx: '6.3', target: 'sm_75' },
    { slot, values: ['bf16', 'tf32', 'f64'], ptx: '7.0', target: 'sm_80' },
  ] as const;
const memoryTypes = [oblong, window, { slot: 'type', values: ['s32'], ptx: '6.3', target: 'sm_72' }, ...byType('type')] as const;

export const wmmaRows = rows([
  {
    ...base,
    name: 'wmma.load',
    writes: ['d'],
    effects: { ...exchange, memory: 'reads' },
    syntax: 'wmma.load.matrix.sync.aligned.layout.shape{.space}.type d, [a]{, stride}',
    where: { matrix: ['a', 'b', 'c'], layout, shape, space, type: ['f16', 'bf16', 'tf32', 'f32', 'f64', 's8', 'u8', 's4', 'u4', 'b1', 's32'] },
    types: { d: 'vector', a: 'address', stride: 'u32' },
    vectors: ({ matrix, shape: size, type, layout: order }) => {
      const d = matrix === 'a' || matrix === 'b' || matrix === 'c' ? wmmaVector(matrix, size, type, order) : undefined;
      return d && { d };
    },
    since: memoryTypes,
    section: section('ld'),
    doc: 'Loads a matrix: row or column i begins `stride` elements times i behind `a`.',
  },
  {
    ...base,
    name: 'wmma.store',
    writes: [],
    effects: { ...exchange, memory: 'writes' },
    syntax: 'wmma.store.matrix.sync.aligned.layout.shape{.space}.type [a], b{, stride}',
    where: { matrix: ['d'], layout, shape, space, type: ['f16', 'f32', 'f64', 's32'] },
    types: { a: 'address', b: 'vector', stride: 'u32' },
    vectors: ({ shape: size, type, layout: order }) => {
      const b = wmmaVector('d', size, type, order);
      return b && { b };
    },
    since: memoryTypes,
    section: section('st'),
    doc: 'Stores a matrix: row or column i begins `stride` elements times i behind `a`.',
  },
]);

export type WmmaRowName = RowNames<typeof wmmaRows>;
