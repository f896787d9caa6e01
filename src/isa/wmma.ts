// wmma: a warp loads, multiplies and stores whole matrices. `wmma-fragments.ts` defines the
// fragments.
import { type Effects, type Mods, type RowNames, rows, type VectorType } from './row.ts';
import { type WmmaMatrix, wmmaVector } from './wmma-fragments.ts';

const section = (name: string) => `warp-level-matrix-instructions-wmma-${name}`;
/**
 * The effects of the instructions. All lanes of the warp execute the instruction together and wait
 * for each other. The manual does not promise that it orders memory accesses.
 */
const exchange = { memory: 'none', strength: 'weak', orders: 'none', collective: 'warp', waits: true } as const satisfies Effects;
const base = { kind: 'matrix', ptx: '6.0', target: 'sm_70' } as const;
const tall = ['m16n16k16', 'm32n8k16', 'm8n32k16'] as const;
const shape = [...tall, 'm16n16k8', 'm8n8k4', 'm8n8k32', 'm8n8k128'] as const;
const layout = ['row', 'col'] as const;
const rnd = ['rn', 'rz', 'rm', 'rp'] as const;
const space = ['global', 'shared', 'shared::cta'] as const;

const oblong = { slot: 'shape', values: ['m32n8k16', 'm8n32k16'], ptx: '6.1', target: 'sm_70' } as const;
const window = { slot: 'space', values: ['shared::cta'], ptx: '7.8', target: 'sm_70' } as const;
const byType = (slot: 'type' | 'atype') =>
  [
    { slot, values: ['s8', 'u8'], ptx: '6.3', target: 'sm_72' },
    { slot, values: ['s4', 'u4', 'b1'], ptx: '6.3', target: 'sm_75' },
    { slot, values: ['bf16', 'tf32', 'f64'], ptx: '7.0', target: 'sm_80' },
  ] as const;
const short = { slot: 'shape', values: ['m16n16k8'], ptx: '7.0', target: 'sm_80' } as const;
const memoryTypes = [oblong, short, window, { slot: 'type', values: ['s32'], ptx: '6.3', target: 'sm_72' }, ...byType('type')] as const;

const operands = { d: 'vector', a: 'vector', b: 'vector', c: 'vector' } as const;

/**
 * Returns the vectors of a product. Returns undefined for an invalid combination of shape, types
 * and layouts.
 */
function product(mods: Mods, types: Readonly<Record<WmmaMatrix, string | undefined>>): Readonly<Record<string, VectorType>> | undefined {
  const a = wmmaVector('a', mods.shape, types.a, mods.alayout);
  const b = wmmaVector('b', mods.shape, types.b, mods.blayout);
  const c = wmmaVector('c', mods.shape, types.c, 'row');
  const d = wmmaVector('d', mods.shape, types.d, 'row');
  return a && b && c && d && { a, b, c, d };
}

/**
 * Returns the vectors of a product whose modifiers specify the types of all matrices. A and B must
 * have the same type.
 */
function typed(mods: Mods): Readonly<Record<string, VectorType>> | undefined {
  const { dtype, atype, btype, ctype } = mods;
  return atype === btype ? product(mods, { a: atype, b: btype, c: ctype, d: dtype }) : undefined;
}

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
  {
    ...base,
    name: 'wmma.mma.f16',
    writes: ['d'],
    effects: exchange,
    syntax: 'wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d, a, b, c',
    where: { alayout: layout, blayout: layout, shape: tall, dtype: ['f16', 'f32'], ctype: ['f16', 'f32'] },
    types: operands,
    vectors: (mods) => product(mods, { a: 'f16', b: 'f16', c: mods.ctype, d: mods.dtype }),
    since: [oblong],
    section: section('mma'),
    doc: 'Product of f16 matrices and a sum, in f16 or f32.',
  },
  {
    ...base,
    name: 'wmma.mma.f32',
    writes: ['d'],
    effects: exchange,
    syntax: 'wmma.mma.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype d, a, b, c',
    where: { alayout: layout, blayout: layout, shape: [...tall, 'm16n16k8'], dtype: ['f32'], atype: ['bf16', 'tf32'], btype: ['bf16', 'tf32'], ctype: ['f32'] },
    types: operands,
    vectors: typed,
    ptx: '7.0',
    target: 'sm_80',
    section: section('mma'),
    doc: 'Product of bf16 or tf32 matrices and a sum.',
  },
  {
    ...base,
    name: 'wmma.mma.f64',
    writes: ['d'],
    effects: exchange,
    syntax: 'wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.dtype.atype.btype.ctype d, a, b, c',
    where: { alayout: layout, blayout: layout, shape: ['m8n8k4'], rnd, dtype: ['f64'], atype: ['f64'], btype: ['f64'], ctype: ['f64'] },
    types: operands,
    vectors: typed,
    ptx: '7.0',
    target: 'sm_80',
    section: section('mma'),
    doc: 'Product of f64 matrices and a sum.',
  },
  {
    ...base,
    name: 'wmma.mma.s32',
    writes: ['d'],
    effects: exchange,
    syntax: 'wmma.mma.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype{.satfinite} d, a, b, c',
    where: { alayout: layout, blayout: layout, shape: [...tall, 'm8n8k32'], dtype: ['s32'], atype: ['s8', 'u8', 's4', 'u4'], btype: ['s8', 'u8', 's4', 'u4'], ctype: ['s32'] },
    types: operands,
    vectors: typed,
    ptx: '6.3',
    target: 'sm_72',
    since: byType('atype'),
    section: section('mma'),
    doc: 'Product of matrices of bytes or half bytes and a sum, which wraps or saturates.',
  },
  {
    ...base,
    name: 'wmma.mma.b1',
    writes: ['d'],
    effects: exchange,
    syntax: 'wmma.mma.op.popc.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype d, a, b, c',
    where: { op: ['xor', 'and'], alayout: ['row'], blayout: ['col'], shape: ['m8n8k128'], dtype: ['s32'], atype: ['b1'], btype: ['b1'], ctype: ['s32'] },
    types: operands,
    vectors: typed,
    ptx: '6.3',
    target: 'sm_75',
    since: [{ slot: 'op', values: ['and'], ptx: '7.1', target: 'sm_80' }],
    section: section('mma'),
    doc: 'Counts the ones in the exclusive or, or the and, of rows and columns of bits, and adds.',
  },
]);

export type WmmaRowName = RowNames<typeof wmmaRows>;
/** The names of the rows that multiply matrices. */
export type WmmaProductName = Extract<WmmaRowName, `wmma.mma.${string}`>;

const isProduct = (name: WmmaRowName): name is WmmaProductName => name.startsWith('wmma.mma.');
const wmmaProductNames: readonly WmmaProductName[] = wmmaRows.flatMap(({ name }) => (isProduct(name) ? [name] : []));

/** The names of the rows that load or store a matrix. */
export type WmmaMemoryName = Exclude<WmmaRowName, WmmaProductName>;

/** Returns a table with `entry` for each row that multiplies matrices. */
export const eachWmmaProduct = <T>(entry: T): Readonly<Record<WmmaProductName, T>> => Object.fromEntries(wmmaProductNames.map((name) => [name, entry])) as Readonly<Record<WmmaProductName, T>>;
