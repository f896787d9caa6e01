// The thread of a program in Node.
import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { missing } from '../../base/invariants.ts';
import type { ProgramStart } from '../protocol.ts';
import { nodeFiles } from './node-files.ts';
import { runBlocking } from './run-blocking.ts';

const port = parentPort ?? missing('the parent thread');

function readInput(to: Uint8Array): number {
  try {
    return readSync(0, to, 0, to.length, null);
  } catch {
    return 0;
  }
}

await runBlocking(workerData as ProgramStart, { files: nodeFiles(process.cwd()), readInput }, (message) =>
  port.postMessage(message),
);
