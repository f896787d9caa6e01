// The messages between the page and the worker that runs a whole program.
import type { ProgramRequest } from '../../src/program/page/wire.ts';

/** A piece of the program's output, or the name of the device on which its kernels run. */
export type ProgramProgress =
  | { readonly kind: 'output'; readonly stream: 1 | 2; readonly text: string }
  | { readonly kind: 'device'; readonly name: string };

export interface ProgramRequests {
  run: { args: ProgramRequest; result: { readonly code: number }; progress: ProgramProgress };
}
