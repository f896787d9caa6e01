// Operands of instructions that few kernels use. A page loads these instructions on use.

import { Part } from '../../base/part.ts';
import type { selectors } from '../../isa/selectors.ts';
import type { resolveImageSlot } from './resolve-image.ts';

export const rareOperandPart = new Part<{
  readonly selectors: typeof selectors;
  readonly resolveImageSlot: typeof resolveImageSlot;
}>('opcodes');
