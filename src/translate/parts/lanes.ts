// The builders of instructions on 16-bit and smaller floats, and of video instructions: a part of
// the compiler that a page loads on use.

import { provideLaneRows } from '../build/lane/index.ts';
import { rareLaneRows } from '../build/lane/rare.ts';

export function provideRareLanes(): void {
  provideLaneRows(rareLaneRows);
}
