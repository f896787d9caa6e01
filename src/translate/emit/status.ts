// The status word: a shader cannot stop a dispatch, so it says in a buffer that a lane trapped or that lanes wait for each other for ever.
import type { Scope } from './scope.ts';

export const statusCodes = { trap: 1, deadlock: 2 } as const;

export function emitTrap(scope: Scope): void {
  emitStatus(scope, statusCodes.trap);
}

export function emitStatus(scope: Scope, code: number): void {
  scope.uses.memories.add('status');
  scope.out.line(`atomicMax(&status, ${code}u);`);
}
