// The sizes of the transformer. The page offers all of them except the smallest, which is for
// tests.
import type { Shape } from './task.ts';

export type SizeName = 'least' | 'tiny' | 'small' | 'medium' | 'large';

export const sizes: Readonly<Record<SizeName, Shape>> = {
  least: { layers: 1, width: 32, context: 32, batch: 1 },
  tiny: { layers: 1, width: 32, context: 32, batch: 4 },
  small: { layers: 2, width: 64, context: 64, batch: 8 },
  medium: { layers: 4, width: 128, context: 128, batch: 16 },
  large: { layers: 6, width: 256, context: 128, batch: 32 },
};

export const isSize = (name: string): name is SizeName => Object.hasOwn(sizes, name);
