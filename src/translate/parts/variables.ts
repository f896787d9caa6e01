// Variables in local and shared memory: a part of the compiler that a page loads on use.

import { BlockMemory } from '../emit/program/block-memory.ts';
import { blockMemoryPart } from '../emit/program/block-memory-part.ts';
import { variablePart } from '../pass-parts.ts';
import { checkShared } from '../passes/memory/check-shared.ts';
import { placeArrays } from '../passes/memory/place-arrays.ts';
import { promoteVariables } from '../passes/promote-variables/index.ts';

export function provideVariables(): void {
  variablePart.provide({ promoteVariables, checkShared, placeArrays });
  blockMemoryPart.provide({ BlockMemory });
}
