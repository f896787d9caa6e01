// The memory of blocks in a buffer, which a page loads on use.

import { Part } from '../../../base/part.ts';
import type { BlockMemory } from './block-memory.ts';

export const blockMemoryPart = new Part<{ readonly BlockMemory: typeof BlockMemory }>('variables');
