// The groups of rows, by their names. Code needs them without the rows, which a page may not have
// loaded.
import type { AsyncUpdateRowName } from './async-updates.ts';
import type { ClusterRowName } from './clusters.ts';
import type { CopyRowName } from './copies.ts';
import type { MatrixRowName, MmaRowName } from './matrix.ts';
import type { MbarrierRowName } from './mbarriers.ts';
import type { TensorRowName } from './tensors.ts';
import type { WgmmaRowName } from './wgmma.ts';
import type { WmmaMemoryName, WmmaProductName, WmmaRowName } from './wmma.ts';

type AsyncRowName = AsyncUpdateRowName | ClusterRowName | CopyRowName | MbarrierRowName | TensorRowName;
type MatrixName = MatrixRowName | WgmmaRowName | WmmaRowName;

/** Whether a row is of `mma`, whose operands are matrices in registers. */
export const isMmaRow = (name: string): name is MmaRowName => name.startsWith('mma.');

/** Whether a row is of `match`, which compares the values of lanes. */
export const isMatchRow = (name: string): boolean => name.startsWith('match.');

/** Whether a row is of `wgmma`, the products of warpgroups. */
export const isWgmmaRow = (name: string): name is WgmmaRowName => name.startsWith('wgmma.');

/** Whether a row is of `wmma`, which loads, multiplies or stores whole matrices. */
export const isWmmaRow = (name: MatrixName): name is WmmaRowName => name.startsWith('wmma.');
export const isWmmaProduct = (name: WmmaMemoryName | WmmaProductName): name is WmmaProductName => name.startsWith('wmma.mma.');

/** Whether a row is of an asynchronous copy or update, an mbarrier or a cluster. */
export const isAsyncRow = (name: string): name is AsyncRowName => /^(cp\.|tensormap\.|mbarrier\.|barrier\.cluster\.|(st|red)\.async$|mapa$|getctarank$)/.test(name);

/** The rows that the translator lowers to other PTX. */
export type LoweredRowName = TensorRowName | 'cp.async.bulk.multicast';

/** Whether a row is of a copy with a tensor map or to several blocks, or changes a tensor map. */
export const isLoweredRow = (name: string): name is LoweredRowName => name === 'cp.async.bulk.multicast' || /^(cp\.(reduce\.)?async\.bulk\.(prefetch\.)?tensor|tensormap\.)/.test(name);

/** Whether a row is of a copy of pixels, in im2col mode. */
export const isPixelRow = (name: string): boolean => name.endsWith('.im2col');

/** Whether a row names a block of a cluster by its rank. */
export const isRankRow = (name: string): boolean => name === 'mapa';

/** Whether a row arrives at an mbarrier. */
export const isArrivalRow = (name: string): boolean => name.startsWith('mbarrier.arrive');
