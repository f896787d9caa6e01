// The keeper's program: starts when the process that it kept has gone and left something, reads what that is, and removes it.

import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { leftoversOf, removeOnce } from './leftovers.ts';

/** A process that does not end when it is killed hangs in a driver: nothing helps then. */
const LIMIT_MS = 8_000;
const STEP_MS = 50;

let left = leftoversOf(await text(process.stdin));
for (const end = Date.now() + LIMIT_MS; left.length > 0 && Date.now() < end; await sleep(STEP_MS))
  left = removeOnce(left);
