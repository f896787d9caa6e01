// The builders of lane instructions that few kernels have.
import { halfRows } from './half.ts';
import { halfCompareRows } from './half-compare.ts';
import { halfConvertRows } from './half-convert.ts';
import { smallFloatRows } from './small-float.ts';
import { videoRows } from './video.ts';

export const rareLaneRows = { ...halfRows, ...halfCompareRows, ...halfConvertRows, ...videoRows, ...smallFloatRows };
