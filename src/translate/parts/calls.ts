// Calls of run-time functions, and the stack of recursive functions: a part of the compiler that a
// page loads on use.

import { callPart } from '../build/parts.ts';
import { buildFault, buildService } from '../build/services.ts';
import { hasRoom, pop, push, siteOf } from '../build/stack-code.ts';

export function provideCalls(): void {
  callPart.provide({ buildFault, buildService, hasRoom, pop, push, siteOf });
}
