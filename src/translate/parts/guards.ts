// Shared guards of exact f32: a part of the compiler that a page loads on use.

import { guardPart } from '../pass-parts.ts';
import { shareGuards } from '../passes/share-guards/index.ts';

export function provideGuards(): void {
  guardPart.provide({ shareGuards });
}
