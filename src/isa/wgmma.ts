// wgmma: a warpgroup, which is four consecutive warps, multiplies matrices asynchronously. B is in
// shared memory, A in shared memory or in registers, and the sums are in registers.
import { laneElements, matrixForm, registerElements } from './fragments.ts';
import { type Effects, type Mods, type RowNames, rows, type VectorType } from './row.ts';

const section = (name: string) => `asynchronous-warpgroup-level-matrix-instructions-wgmma-${name}`;
const eightBits = ['e4m3', 'e5m2'] as const;
/**
 * Along K, a product always has 256 bits. With a sparse A, B has 512 bits, as a dense product of
 * elements of half the size would have.
 */
const alongBits = 256;

const order = { memory: 'none', strength: 'weak', orders: 'none', collective: 'warp', waits: true } as const satisfies Effects;
const base = { kind: 'matrix', writes: [], effects: order, types: {}, ptx: '8.0', target: 'sm_90a' } as const;

const eights = (most: number, step: number): readonly number[] => Array.from({ length: most / step }, (_, index) => step * (index + 1));
const shapesOf = (columns: readonly number[], bits: number): readonly string[] => columns.map((n) => `m64n${n}k${alongBits / bits}`);
const floats = eights(256, 8);
/** Integers and bits have fewer shapes. */
const integers = [8, 24, ...eights(256, 16)].sort((a, b) => a - b);

/**
 * The product of one warp of the warpgroup with 8 columns of B, as modifiers of `mma`. The words of
 * D of the warp are those of these products, one after the other.
 */
export function partMods(mods: Mods): Mods {
  const { shape = '', dtype = '', atype = '' } = mods;
  const own = { ...mods, shape: shape.replace(/^m64n\d+/, 'm16n8'), ctype: dtype };
  // Only sums of these types differ from those of `mma`.
  return eightBits.some((type) => type === atype) ? { ...own, warpgroup: 'warpgroup' } : own;
}

/** Returns the number of columns of B and D. */
export const columnsOf = ({ shape = '' }: Mods): number => Number(/n(\d+)/.exec(shape)?.[1]);

/**
 * Returns the registers of D, which are also those of the addend, and of A if it is in registers.
 */
function vectors(mods: Mods): Readonly<Record<string, VectorType>> {
  const form = matrixForm(partMods(mods));
  const { d } = form.types;
  const words = (laneElements(form, 'd') / registerElements(d)) * (columnsOf(mods) / 8);
  const sums = { type: d === 'f32' ? 'f32' : d === 's32' ? 's32' : 'b32', count: words } as const;
  return { d: sums, c: sums, a: { type: 'b32', count: 4 } };
}

const product = {
  ...base,
  writes: ['d'],
  effects: { ...order, memory: 'reads' },
  vectors,
  alternatives: { a: 'b64' },
  implied: { c: 'd' },
  operandRule: 'warpgroup product',
  section: section('mma-async'),
} as const;
const sparse = { ...product, ptx: '8.2', section: section('mma-async-sp') } as const;
const metadata = ['sp'] as const;
const operands = { d: 'vector', a: 'vector', b: 'b64', scaled: 'pred', c: 'vector' } as const;
const signs = { signa: 'immediate', signb: 'immediate' } as const;
const codes = { e: 'b32', f: 'immediate' } as const;
const bytes = ['s8', 'u8'] as const;

export const wgmmaRows = rows([
  {
    ...base,
    name: 'wgmma.fence',
    syntax: 'wgmma.fence.sync.aligned',
    section: section('fence'),
    doc: 'Orders accesses of registers and shared memory before later products of the warpgroup.',
  },
  { ...base, name: 'wgmma.commit_group', syntax: 'wgmma.commit_group.sync.aligned', section: section('commit-group'), doc: "Makes a group of the warp's products that are in none." },
  { ...base, name: 'wgmma.wait_group', syntax: 'wgmma.wait_group.sync.aligned n', types: { n: 'immediate' }, section: section('wait-group'), doc: "Waits for all of the warp's groups but the last `n`." },
  {
    ...product,
    name: 'wgmma.f16',
    syntax: 'wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, scaled, signa, signb{, transa}, transb',
    where: { shape: shapesOf(floats, 16), dtype: ['f16', 'f32'], atype: ['f16'], btype: ['f16'] },
    types: { ...operands, ...signs, transa: 'immediate', transb: 'immediate' },
    doc: 'Product of f16 matrices, plus D if `scaled` is true.',
  },
  {
    ...product,
    name: 'wgmma.bf16',
    syntax: 'wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, scaled, signa, signb{, transa}, transb',
    where: { shape: shapesOf(floats, 16), dtype: ['f32'], atype: ['bf16'], btype: ['bf16'] },
    types: { ...operands, ...signs, transa: 'immediate', transb: 'immediate' },
    doc: 'Product of bf16 matrices, plus D if `scaled` is true.',
  },
  {
    ...product,
    name: 'wgmma.tf32',
    syntax: 'wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, scaled, signa, signb',
    where: { shape: shapesOf(floats, 32), dtype: ['f32'], atype: ['tf32'], btype: ['tf32'] },
    types: { ...operands, ...signs },
    doc: 'Product of tf32 matrices, plus D if `scaled` is true.',
  },
  {
    ...product,
    name: 'wgmma.fp8',
    syntax: 'wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b, scaled, signa, signb',
    where: { shape: shapesOf(floats, 8), dtype: ['f16', 'f32'], atype: eightBits, btype: eightBits },
    types: { ...operands, ...signs },
    doc: 'Product of matrices of 8-bit floating point, plus D if `scaled` is true.',
  },
  {
    ...product,
    name: 'wgmma.s8',
    syntax: 'wgmma.mma_async.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b, scaled',
    where: { shape: shapesOf(integers, 8), dtype: ['s32'], atype: bytes, btype: bytes },
    types: operands,
    doc: 'Product of matrices of bytes, plus D if `scaled` is true; it wraps or saturates.',
  },
  {
    ...product,
    name: 'wgmma.b1',
    syntax: 'wgmma.mma_async.sync.aligned.shape.dtype.atype.btype.op.popc d, a, b, scaled',
    where: { shape: shapesOf(integers, 1), dtype: ['s32'], atype: ['b1'], btype: ['b1'], op: ['and'] },
    types: operands,
    doc: 'Counts the ones in the and of rows and columns of bits, plus D if `scaled` is true.',
  },
  {
    ...sparse,
    name: 'wgmma.sp.f16',
    syntax: 'wgmma.mma_async.metadata.sync.aligned.shape.dtype.atype.btype d, a, b, e, f, scaled, signa, signb{, transa}, transb',
    where: { metadata, shape: shapesOf(floats, 8), dtype: ['f16', 'f32'], atype: ['f16'], btype: ['f16'] },
    types: { ...operands, ...codes, ...signs, transa: 'immediate', transb: 'immediate' },
    doc: 'Product of a sparse and a dense f16 matrix, plus D if `scaled` is true.',
  },
  {
    ...sparse,
    name: 'wgmma.sp.bf16',
    syntax: 'wgmma.mma_async.metadata.sync.aligned.shape.dtype.atype.btype d, a, b, e, f, scaled, signa, signb{, transa}, transb',
    where: { metadata, shape: shapesOf(floats, 8), dtype: ['f32'], atype: ['bf16'], btype: ['bf16'] },
    types: { ...operands, ...codes, ...signs, transa: 'immediate', transb: 'immediate' },
    doc: 'Product of a sparse and a dense bf16 matrix, plus D if `scaled` is true.',
  },
  {
    ...sparse,
    name: 'wgmma.sp.tf32',
    syntax: 'wgmma.mma_async.metadata.sync.aligned.shape.dtype.atype.btype d, a, b, e, f, scaled, signa, signb',
    where: { metadata, shape: shapesOf(floats, 16), dtype: ['f32'], atype: ['tf32'], btype: ['tf32'] },
    types: { ...operands, ...codes, ...signs },
    doc: 'Product of a sparse and a dense tf32 matrix, plus D if `scaled` is true.',
  },
  {
    ...sparse,
    name: 'wgmma.sp.fp8',
    syntax: 'wgmma.mma_async.metadata.sync.aligned.shape.dtype.atype.btype d, a, b, e, f, scaled, signa, signb',
    where: { metadata, shape: shapesOf(floats, 4), dtype: ['f16', 'f32'], atype: eightBits, btype: eightBits },
    types: { ...operands, ...codes, ...signs },
    doc: 'Product of a sparse and a dense matrix of 8-bit floating point, plus D if `scaled` is true.',
  },
  {
    ...sparse,
    name: 'wgmma.sp.s8',
    syntax: 'wgmma.mma_async.metadata.sync.aligned.shape{.satfinite}.dtype.atype.btype d, a, b, e, f, scaled',
    where: { metadata, shape: shapesOf(integers, 4), dtype: ['s32'], atype: bytes, btype: bytes },
    types: { ...operands, ...codes },
    doc: 'Product of a sparse and a dense matrix of bytes, plus D if `scaled` is true; it wraps or saturates.',
  },
]);

export type WgmmaRowName = RowNames<typeof wgmmaRows>;
/** The names of the rows that multiply. */
export type WgmmaProductName = Exclude<WgmmaRowName, 'wgmma.fence' | 'wgmma.commit_group' | 'wgmma.wait_group'>;
