// Kernels that cover the compiler: at least one kernel uses each part.
import type { Dim3, Launch } from '../../src/base/launch.ts';
import { memberLaunch } from '../lockstep/member-kernels.ts';
import { hopperKernels } from './hopper-kernels.ts';
import { laneKernels } from './lane-kernels.ts';
import { memoryKernels } from './memory-kernels.ts';
import { valueKernels } from './value-kernels.ts';

const registers = '.reg .b64 %o, %d<8>; .reg .b32 %i, %n<8>; .reg .f32 %f<4>; .reg .b16 %h<8>;';
const block: Dim3 = [64, 1, 1];

const kernelsOfBlocks = Object.entries({ ...laneKernels, ...memoryKernels, ...valueKernels }).map(
  ([name, body]): Launch => ({ ...memberLaunch(`  ${registers}\n${body}`, block), id: name }),
);

export const faultKernels: ReadonlyMap<string, Launch> = new Map(
  [...kernelsOfBlocks, ...hopperKernels].map((launch) => [launch.id, launch]),
);
