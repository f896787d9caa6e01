// f64: a part of the compiler that a page loads on use.

import { joinDoubleChains } from '../legalize/doubles/double-chains.ts';
import { guardDoubles } from '../legalize/doubles/double-guards.ts';
import { legalizeDoubles } from '../legalize/doubles/f64.ts';
import { doublePart } from '../legalize/parts.ts';

export function provideDoubles(): void {
  doublePart.provide({ legalizeDoubles, guardDoubles, joinDoubleChains });
}
