// The builders of instructions on 16-bit and smaller floats, and of video instructions: a part of
// the compiler that a page loads on use.

import { lanePart } from '../build/lane/part.ts';
import { rareLaneRows } from '../build/lane/rare.ts';
import { legalizeHalf } from '../legalize/floats/half.ts';
import { joinHalfPairs } from '../legalize/floats/half-pairs.ts';
import { halfPart } from '../legalize/parts.ts';

export function provideRareLanes(): void {
  lanePart.provide(rareLaneRows);
  halfPart.provide({ joinHalfPairs, legalizeHalf });
}
