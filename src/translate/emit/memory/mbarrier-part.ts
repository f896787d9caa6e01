// Operations on mbarriers in WGSL, which a page loads on use.

import { Part } from '../../../base/part.ts';
import type { writeMbarrier } from './mbarriers.ts';

export const mbarrierPart = new Part<{ readonly writeMbarrier: typeof writeMbarrier }>('async');
