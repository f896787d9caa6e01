// Runs the host half of a program in a worker that blocks while it waits for the device.

import { BlockingRequests, blockFor } from '../blocking-reply.ts';
import type { DeviceCommand, ProgramMessage, ProgramStart } from '../protocol.ts';
import { type HostSystem, runHost } from './run-host.ts';

/**
 * The maximum number of commands in a message, and the time in milliseconds within which commands
 * are collected. A message costs more than most commands.
 */
const maxPending = 64;
const maxDelayMs = 0.5;

/** Runs a program. Posts its output, its requests, and finally its exit code. */
export async function runBlocking(
  start: ProgramStart,
  system: Pick<HostSystem, 'files' | 'readInput'>,
  post: (message: ProgramMessage) => void,
): Promise<void> {
  const requests = new BlockingRequests(post);
  const pending: DeviceCommand[] = [];
  let sent = Number.NEGATIVE_INFINITY;
  const sendAll = (): void => {
    if (pending.length === 0) return;
    post({ kind: 'commands', commands: pending.splice(0) });
    sent = performance.now();
  };
  const end = await runHost(start, {
    ...system,
    write: (stream, bytes) => post({ kind: 'output', stream, bytes }),
    send: (command) => {
      pending.push(command);
      if (pending.length >= maxPending || performance.now() - sent > maxDelayMs) sendAll();
    },
    waiting: {
      kind: 'blocks',
      request: (request) => {
        sendAll();
        return requests.request(request);
      },
      sleep: (ms) => {
        sendAll();
        blockFor(ms);
      },
    },
  });
  sendAll();
  post({ kind: 'exit', ...end });
}
