// The keeper's program. It starts after its owner has ended and has left processes or folders. It
// reads the list of them from standard input, and removes them.

import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { leftoversOf, removeOnce } from './leftovers.ts';

/**
 * The time limit in milliseconds. A process that survives a kill for this long hangs in a driver,
 * and cannot be ended.
 */
const LIMIT_MS = 8_000;
const STEP_MS = 50;

let left = leftoversOf(await text(process.stdin));
for (const end = Date.now() + LIMIT_MS; left.length > 0 && Date.now() < end; await sleep(STEP_MS))
  left = removeOnce(left);
