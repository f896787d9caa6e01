// Answers with phases.

import { expect, test } from 'vitest';
import { PhasedWork } from '../../../../src/harness/webgpu/browser/phased-work.ts';
import {
  decodeRequest,
  encodeContinue,
  encodePhase,
  encodeResult,
  phaseIn,
} from '../../../../src/harness/webgpu/wire.ts';
import type { OnPhase } from '../../../../src/runtime/device/job.ts';

const delay = (ms: number) => new Promise((done) => setTimeout(done, ms));

const compiled = (compileMs: number) => async (onPhase: OnPhase) => {
  onPhase('compiling');
  await delay(compileMs);
  onPhase('running');
  await delay(5);
  return 'result';
};

async function answers(work: PhasedWork<string>): Promise<unknown[]> {
  const all: unknown[] = [];
  for (;;) {
    const answer = await work.next();
    all.push(answer.phase ?? answer.result);
    if (answer.phase === undefined) return all;
  }
}

test.each([
  ['a short compilation', compiled(5), 1_000, ['result']],
  ['a long compilation', compiled(30), 10, ['compiling', 'running', 'result']],
  ['a compiled shader', async () => 'result', 0, ['result']],
] as const)('%s', async (_, work, quietMs, expected) => {
  expect(await answers(new PhasedWork(work, quietMs))).toEqual(expected);
});

test('an error after a phase', async () => {
  const work = new PhasedWork(async (onPhase) => {
    onPhase('compiling');
    await delay(20);
    throw new Error('the shader is wrong');
  }, 5);
  expect(await work.next()).toEqual({ phase: 'compiling' });
  await expect(work.next()).rejects.toThrow('the shader is wrong');
});

test('a message tells a phase from a result', async () => {
  const message = (parts: Uint8Array<ArrayBuffer>[]) => new Blob(parts).arrayBuffer();
  expect(phaseIn(await message(encodePhase('compiling')))).toBe('compiling');
  expect(phaseIn(await message(encodeResult({ ms: 1, buffers: new Map() })))).toBeUndefined();
  expect(phaseIn(new ArrayBuffer(3))).toBeUndefined();
  expect(decodeRequest(await message(encodeContinue()))).toEqual({ kind: 'continue' });
});
