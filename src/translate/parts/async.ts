// Asynchronous copies, mbarriers and clusters: a part of the compiler that a page loads on use.

import { asyncRows } from '../build/async-rows.ts';
import { expandBulkCopies } from '../build/expand-bulk.ts';
import { writeMbarrier } from '../emit/memory/mbarriers.ts';
import { asyncPart } from '../parts.ts';

export function provideAsync(): void {
  asyncPart.provide({ asyncRows, expandBulkCopies, writeMbarrier });
}
