// Variables in local memory: a part of the compiler that a page loads on use.

import { variablePart } from '../pass-parts.ts';
import { promoteVariables } from '../passes/promote-variables/index.ts';

export function provideVariables(): void {
  variablePart.provide({ promoteVariables });
}
