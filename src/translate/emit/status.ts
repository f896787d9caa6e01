// The status word: a shader cannot stop a dispatch, so it says in a buffer that a lane trapped or that lanes wait for each other for ever.
import * as w from '../../wgsl/tree/build.ts';
import type { Emitter } from './emitter.ts';

export const statusCodes = { trap: 1, deadlock: 2 } as const;

export function writeStatus(emitter: Emitter, code: number): void {
  const word = w.addressOf(emitter.uses.use(emitter.uses.status));
  emitter.writer.push({ kind: 'do', call: w.builtin('atomicMax', 'u32', word, w.u32(code)) });
}

export const writeTrap = (emitter: Emitter): void => writeStatus(emitter, statusCodes.trap);
