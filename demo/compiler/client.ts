// The page's client of the worker that parses, translates and interprets.
import { WorkerClient } from '../workers/client.ts';
import type { CompilerRequests } from './messages.ts';

export type CompilerClient = WorkerClient<CompilerRequests>;

/**
 * The time limit of a request in milliseconds. A large kernel of a real compiler needs several
 * seconds on a slow machine.
 */
export const limitMs = 10_000;

const works: { readonly [K in keyof CompilerRequests]: string } = {
  parse: 'Reading the text',
  trace: 'Running the reference',
  inspect: 'Running the reference',
  translate: 'Translating',
  reference: 'Running the reference',
  judge: 'Running the reference',
};

/** Creates the client of the worker. `script` is the address of the worker's script. */
export function openCompiler(script: string): CompilerClient {
  return new WorkerClient<CompilerRequests>({
    script,
    name: 'compiler',
    limitMs: () => limitMs,
    inTurn: true,
    overrun: (kind) => `${works[kind]} took more than ${limitMs / 1000} s and was stopped.`,
  });
}
