// Atomic operations: a part of the compiler that a page loads on use.

import { atomicWriterPart } from '../emit/memory/atomic-part.ts';
import { writeAtomic, writeHalf } from '../emit/memory/atomics.ts';
import { writeCell } from '../emit/memory/cells.ts';
import { atomicPart } from '../legalize/memory/atomic-part.ts';
import { legalizeAtomic } from '../legalize/memory/atomics.ts';
import { loadCells, storeCells } from '../legalize/memory/cells.ts';
import { racePart } from '../pass-parts.ts';
import { markRaces } from '../passes/memory/mark-races.ts';

export function provideAtomics(): void {
  racePart.provide({ markRaces });
  atomicPart.provide({ legalizeAtomic, loadCells, storeCells });
  atomicWriterPart.provide({ writeAtomic, writeHalf, writeCell });
}
