// Runs the host half of a program in a worker that blocks while it waits for the device.

import { blockFor, requestAndBlock } from '../blocking-reply.ts';
import type { ProgramMessage, ProgramStart } from '../protocol.ts';
import { type HostSystem, runHost } from './run-host.ts';

/** Runs a program. Posts its output, its requests, and finally its exit code. */
export async function runBlocking(
  start: ProgramStart,
  system: Pick<HostSystem, 'files' | 'readInput'>,
  post: (message: ProgramMessage) => void,
): Promise<void> {
  const end = await runHost(start, {
    ...system,
    write: (stream, bytes) => post({ kind: 'output', stream, bytes }),
    send: (request) => post({ kind: 'command', request }),
    waiting: { kind: 'blocks', request: (request) => requestAndBlock(request, post), sleep: blockFor },
  });
  post({ kind: 'exit', ...end });
}
