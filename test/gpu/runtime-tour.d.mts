import type { Runtime } from '../../src/runtime/index.ts';

export function tour(runtime: typeof Runtime, ptx: string): Promise<unknown>;
