// The single listing of supported instructions. A page loads those that few kernels need on use, so
// code for pages imports values from the other files.
import { asyncUpdateRows } from './async-updates.ts';
import { clusterRows } from './clusters.ts';
import { copyRows } from './copies.ts';
import { doubleRows } from './double.ts';
import { floatRows } from './float.ts';
import { halfRows } from './half.ts';
import { halfConvertRows } from './half-convert.ts';
import { hintRows } from './hints.ts';
import { integerRows } from './integer.ts';
import { provideRows } from './match.ts';
import { matrixRows } from './matrix.ts';
import { mbarrierRows } from './mbarriers.ts';
import { memoryRows } from './memory.ts';
import type { IsaRow } from './row.ts';
import { selectRows } from './select.ts';
import { floatPairRows, smallFloatRows } from './small-float.ts';
import { stackRows } from './stack.ts';
import { tensorRows } from './tensors.ts';
import { textureRows } from './texture.ts';
import { packedIntegerRows, videoRows } from './video.ts';
import { warpRows } from './warp.ts';
import { wgmmaRows } from './wgmma.ts';
import { wmmaRows } from './wmma.ts';

export { type AsyncUpdateRowName, asyncUpdateRows } from './async-updates.ts';
export { type ClusterRowName, clusterRows } from './clusters.ts';
export { type CopyRowName, copyRows } from './copies.ts';
export { type DoubleRowName, doubleRows } from './double.ts';
export { type FloatRowName, floatRows } from './float.ts';
export { type HalfRowName, halfRows } from './half.ts';
export { type HalfConvertRowName, halfConvertRows } from './half-convert.ts';
export { type HintRowName, hintRows } from './hints.ts';
export { type IntegerRowName, integerRows } from './integer.ts';
export { eachMma, type MatrixRowName, type MmaRowName, matrixRows, mmaRowNames } from './matrix.ts';
export { type MbarrierRowName, mbarrierRows } from './mbarriers.ts';
export { type MemoryRowName, memoryRows } from './memory.ts';
export { destinations, type Effects, effectsOf, type Flow, type IsaRow, isCall, type LaterDemand, laterDemands, type Mods, type OperandRule, type OperandType, type PtxType, type RowKind, type VectorType } from './row.ts';
export { type SelectRowName, selectRows } from './select.ts';
export { type SelectorKind, selectors } from './selectors.ts';
export { builtInFunction, missingService, type ReportName, type Service, type ServiceName, serviceOf } from './services.ts';
export { type FloatPairRowName, floatPairRows, type SmallFloatRowName, smallFloatRows } from './small-float.ts';
export { gridBarrierBytes, reservedSharedBytes, reservedSharedOffsets, type SpecialRegister, specialRegisters, warpSize } from './special-registers.ts';
export { type StackRowName, stackRows } from './stack.ts';
export { type TensorRowName, tensorRows } from './tensors.ts';
export { type TextureRowName, textureRows } from './texture.ts';
export { type PackedIntegerRowName, packedIntegerRows, type VideoRowName, videoRows } from './video.ts';
export { type WarpRowName, warpRows } from './warp.ts';
export { type WgmmaProductName, type WgmmaRowName, wgmmaRows } from './wgmma.ts';
export { eachWmmaProduct, type WmmaMemoryName, type WmmaProductName, type WmmaRowName, wmmaRows } from './wmma.ts';

/** Rows that are pure functions of one lane. */
export const laneIsaRows = [...integerRows, ...floatRows, ...doubleRows, ...selectRows, ...halfRows, ...halfConvertRows, ...packedIntegerRows, ...videoRows, ...smallFloatRows, ...floatPairRows];
export type LaneRowName = (typeof laneIsaRows)[number]['name'];

/** The supported forms of PTX instructions. */
export const isaRows: readonly IsaRow[] = [...warpRows, ...matrixRows, ...wmmaRows, ...wgmmaRows, ...laneIsaRows, ...memoryRows, ...copyRows, ...asyncUpdateRows, ...clusterRows, ...mbarrierRows, ...hintRows, ...tensorRows, ...textureRows, ...stackRows];

provideRows(isaRows);
