// The builders of rare lane instructions, which a page loads on use.

import { Part } from '../../../base/part.ts';
import type { rareLaneRows } from './rare.ts';

/** Instructions on 16-bit and smaller floats, and video instructions. */
export const lanePart = new Part<typeof rareLaneRows>('lanes');
