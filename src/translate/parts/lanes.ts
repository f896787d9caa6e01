// The builders of instructions on 16-bit and smaller floats, and of video instructions: a part of
// the compiler that a page loads on use.

import { rareLaneRows } from '../build/lane/rare.ts';
import { lanePart } from '../parts.ts';

export function provideRareLanes(): void {
  lanePart.provide(rareLaneRows);
}
