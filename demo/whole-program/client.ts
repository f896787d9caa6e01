// The page's client of the worker that runs whole programs.
import { WorkerClient } from '../workers/client.ts';
import type { ProgramRequests } from './messages.ts';

export type ProgramClient = WorkerClient<ProgramRequests>;

/** The longest time of a timer, in milliseconds: a program may run until the user stops it. */
const unlimitedMs = 2 ** 31 - 1;

/** Creates the client of the worker. `script` is the address of the worker's script. */
export function openProgramClient(script: string): ProgramClient {
  return new WorkerClient<ProgramRequests>({
    script,
    name: 'program',
    limitMs: () => unlimitedMs,
    inTurn: true,
    overrun: () => 'The program was stopped.',
  });
}
