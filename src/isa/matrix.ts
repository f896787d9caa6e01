// Matrices in the registers of a warp: multiply-accumulate, loads from and stores to shared memory,
// and transposition.
import { fragmentVectors } from './fragments.ts';
import { type Effects, type Mods, type RowNames, rows, type VectorType } from './row.ts';

const section = (name: string) => `warp-level-matrix-instructions-${name}`;
const rnd = ['rn', 'rz', 'rm', 'rp'] as const;
const either = ['row', 'col'] as const;
const accumulators = ['f16', 'f32'] as const;
const bytes = ['s8', 'u8'] as const;
const nibbles = ['s4', 'u4'] as const;
const eights = ['e4m3', 'e5m2'] as const;
const nums = ['x1', 'x2', 'x4'] as const;
const space = ['shared', 'shared::cta'] as const;

/**
 * The effects of an exchange among all lanes of a warp. The manual does not promise that it orders
 * memory accesses.
 */
const exchange = { memory: 'none', strength: 'weak', orders: 'none', collective: 'warp', waits: true } as const satisfies Effects;
const fragments = { d: 'vector', a: 'vector', b: 'vector', c: 'vector' } as const;
const multiply = { kind: 'matrix', writes: ['d'], effects: exchange, types: fragments, vectors: fragmentVectors, section: section('mma') } as const;
/** The last two operands of a sparse product: the metadata, and their selector. */
const sparse = { ...multiply, types: { ...fragments, e: 'b32', f: 'immediate' }, operandRule: 'sparse product', ptx: '7.1', target: 'sm_80', section: section('mma-sp') } as const;
const variants = { metadata: ['sp', 'sp::ordered_metadata'] } as const;
const ordered = { slot: 'metadata', values: ['sp::ordered_metadata'], ptx: '8.5', target: 'sm_80' } as const;
const sparseSyntax = 'mma.metadata.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c, e, f';
const saturatingSyntax = 'mma.metadata.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c, e, f';
const counts: Readonly<Record<string, number>> = { x1: 1, x2: 2, x4: 4 };
const words = ({ num = '' }: Mods): VectorType => ({ type: 'b32', count: counts[num] ?? 0 });
const turing = { ptx: '6.5', target: 'sm_75' } as const;
const ampere = { ptx: '7.0', target: 'sm_80' } as const;
const window = { slot: 'space', values: ['shared::cta'], ptx: '7.8', target: 'sm_75' } as const;

export const matrixRows = rows([
  {
    ...multiply,
    name: 'mma.quad',
    syntax: 'mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c',
    where: { shape: ['m8n8k4'], alayout: either, blayout: either, dtype: accumulators, atype: ['f16'], btype: ['f16'], ctype: accumulators },
    ptx: '6.4',
    target: 'sm_70',
    doc: 'Four products of f16 matrices, each in eight lanes.',
  },
  {
    ...multiply,
    name: 'mma.f16',
    syntax: 'mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c',
    where: { shape: ['m16n8k8', 'm16n8k16'], dtype: accumulators, atype: ['f16'], btype: ['f16'], ctype: accumulators },
    ...turing,
    since: [{ slot: 'shape', values: ['m16n8k16'], ...ampere }],
    doc: 'Product of f16 matrices and a sum, in f16 or f32.',
  },
  { ...multiply, name: 'mma.bf16', syntax: 'mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c', where: { shape: ['m16n8k8', 'm16n8k16'], dtype: ['f32'], atype: ['bf16'], btype: ['bf16'], ctype: ['f32'] }, ...ampere, doc: 'Product of bf16 matrices and a sum.' },
  { ...multiply, name: 'mma.tf32', syntax: 'mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c', where: { shape: ['m16n8k4', 'm16n8k8'], dtype: ['f32'], atype: ['tf32'], btype: ['tf32'], ctype: ['f32'] }, ...ampere, doc: 'Product of tf32 matrices and a sum.' },
  {
    ...multiply,
    name: 'mma.fp8',
    syntax: 'mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c',
    where: { shape: ['m16n8k16', 'm16n8k32'], dtype: accumulators, atype: eights, btype: eights, ctype: accumulators },
    ptx: '8.4',
    target: 'sm_89',
    since: [
      { slot: 'shape', values: ['m16n8k16'], ptx: '8.7', target: 'sm_89' },
      { slot: 'dtype', values: ['f16'], ptx: '8.7', target: 'sm_89' },
    ],
    doc: 'Product of matrices of 8-bit floating point and a sum, in f16 or f32.',
  },
  {
    ...multiply,
    name: 'mma.f64',
    syntax: 'mma.sync.aligned.shape.row.col{.rnd}.dtype.atype.btype.ctype d, a, b, c',
    where: { shape: ['m8n8k4', 'm16n8k4', 'm16n8k8', 'm16n8k16'], rnd, dtype: ['f64'], atype: ['f64'], btype: ['f64'], ctype: ['f64'] },
    ...ampere,
    since: [{ slot: 'shape', values: ['m16n8k4', 'm16n8k8', 'm16n8k16'], ptx: '7.8', target: 'sm_90' }],
    doc: 'Product of f64 matrices and a sum.',
  },
  {
    ...multiply,
    name: 'mma.s8',
    syntax: 'mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c',
    where: { shape: ['m8n8k16', 'm16n8k16', 'm16n8k32'], dtype: ['s32'], atype: bytes, btype: bytes, ctype: ['s32'] },
    ...turing,
    since: [{ slot: 'shape', values: ['m16n8k16', 'm16n8k32'], ...ampere }],
    doc: 'Product of matrices of bytes and a sum, which wraps or saturates.',
  },
  {
    ...multiply,
    name: 'mma.s4',
    syntax: 'mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c',
    where: { shape: ['m8n8k32', 'm16n8k32', 'm16n8k64'], dtype: ['s32'], atype: nibbles, btype: nibbles, ctype: ['s32'] },
    ...turing,
    since: [{ slot: 'shape', values: ['m16n8k32', 'm16n8k64'], ...ampere }],
    doc: 'Product of matrices of half bytes and a sum, which wraps or saturates.',
  },
  {
    ...multiply,
    name: 'mma.b1',
    syntax: 'mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype.op.popc d, a, b, c',
    where: { shape: ['m8n8k128', 'm16n8k128', 'm16n8k256'], dtype: ['s32'], atype: ['b1'], btype: ['b1'], ctype: ['s32'], op: ['xor', 'and'] },
    ptx: '7.0',
    target: 'sm_75',
    since: [
      { slot: 'shape', values: ['m16n8k128', 'm16n8k256'], ...ampere },
      { slot: 'op', values: ['and'], ptx: '7.1', target: 'sm_80' },
    ],
    doc: 'Counts the ones in the exclusive or, or the and, of rows and columns of bits, and adds.',
  },
  { ...sparse, name: 'mma.sp.f16', syntax: sparseSyntax, where: { ...variants, shape: ['m16n8k16', 'm16n8k32'], dtype: accumulators, atype: ['f16'], btype: ['f16'], ctype: accumulators }, since: [ordered], doc: 'Product of a sparse and a dense f16 matrix and a sum, in f16 or f32.' },
  { ...sparse, name: 'mma.sp.bf16', syntax: sparseSyntax, where: { ...variants, shape: ['m16n8k16', 'm16n8k32'], dtype: ['f32'], atype: ['bf16'], btype: ['bf16'], ctype: ['f32'] }, since: [ordered], doc: 'Product of a sparse and a dense bf16 matrix and a sum.' },
  { ...sparse, name: 'mma.sp.tf32', syntax: sparseSyntax, where: { ...variants, shape: ['m16n8k8', 'm16n8k16'], dtype: ['f32'], atype: ['tf32'], btype: ['tf32'], ctype: ['f32'] }, since: [ordered], doc: 'Product of a sparse and a dense tf32 matrix and a sum.' },
  { ...sparse, name: 'mma.sp.fp8', syntax: sparseSyntax, where: { ...variants, shape: ['m16n8k64'], dtype: ['f32'], atype: eights, btype: eights, ctype: ['f32'] }, ptx: '8.4', target: 'sm_89', since: [ordered], doc: 'Product of a sparse and a dense matrix of 8-bit floating point and a sum.' },
  { ...sparse, name: 'mma.sp.s8', syntax: saturatingSyntax, where: { ...variants, shape: ['m16n8k32', 'm16n8k64'], dtype: ['s32'], atype: bytes, btype: bytes, ctype: ['s32'] }, since: [ordered], doc: 'Product of a sparse and a dense matrix of bytes and a sum, which wraps or saturates.' },
  { ...sparse, name: 'mma.sp.s4', syntax: saturatingSyntax, where: { ...variants, shape: ['m16n8k64', 'm16n8k128'], dtype: ['s32'], atype: nibbles, btype: nibbles, ctype: ['s32'] }, since: [ordered], doc: 'Product of a sparse and a dense matrix of half bytes and a sum, which wraps or saturates.' },
  {
    name: 'ldmatrix',
    kind: 'matrix',
    writes: ['d'],
    effects: { ...exchange, memory: 'reads' },
    syntax: 'ldmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16 d, [a]',
    where: { num: nums, space },
    types: { d: 'vector', a: 'address' },
    vectors: (mods) => ({ d: words(mods) }),
    ...turing,
    since: [window],
    section: section('ldmatrix'),
    doc: 'Loads 8x8 matrices of 16-bit elements from shared memory: lane i of each eight gives the address of row i.',
  },
  {
    name: 'stmatrix',
    kind: 'matrix',
    writes: [],
    effects: { ...exchange, memory: 'writes' },
    syntax: 'stmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16 [a], b',
    where: { num: nums, space },
    types: { a: 'address', b: 'vector' },
    vectors: (mods) => ({ b: words(mods) }),
    ptx: '7.8',
    target: 'sm_90',
    section: section('stmatrix'),
    doc: 'Stores 8x8 matrices of 16-bit elements to shared memory: lane i of each eight gives the address of row i.',
  },
  { name: 'movmatrix', kind: 'matrix', constants: 'none', writes: ['d'], effects: exchange, syntax: 'movmatrix.sync.aligned.m8n8.trans.b16 d, a', types: { d: 'b32', a: 'b32' }, ptx: '7.8', target: 'sm_75', section: section('movmatrix'), doc: 'Transposes an 8x8 matrix of 16-bit elements across the warp.' },
]);

export type MatrixRowName = RowNames<typeof matrixRows>;
/** The names of the rows that multiply matrices. */
export type MmaRowName = Extract<MatrixRowName, `mma.${string}`>;

const isMma = (name: MatrixRowName): name is MmaRowName => name.startsWith('mma.');
export const mmaRowNames: readonly MmaRowName[] = matrixRows.flatMap(({ name }) => (isMma(name) ? [name] : []));

/** Returns a table with `entry` for each row that multiplies matrices. */
export const eachMma = <T>(entry: T): Readonly<Record<MmaRowName, T>> => Object.fromEntries(mmaRowNames.map((name) => [name, entry])) as Readonly<Record<MmaRowName, T>>;
