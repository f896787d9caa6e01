import { describe, expect, it, test } from 'vitest';
import {
  checkResult,
  decodeJob,
  decodeResult,
  decodeSequenceResult,
  encodeError,
  encodeJob,
  encodeResult,
} from '../../../../src/harness/webgpu/wire.ts';
import type { GpuJob, GpuResult } from '../../../../src/runtime/device/job.ts';
import { GpuError } from '../../../../src/runtime/device/job.ts';
import { shaderErrorText } from '../../../../src/runtime/device/shaders.ts';

async function joined(parts: Uint8Array<ArrayBuffer>[]): Promise<ArrayBuffer> {
  return await new Blob(parts).arrayBuffer();
}

test('a job survives the transfer, with any lengths and offsets of its data', async () => {
  const backing = Uint8Array.from({ length: 100 }, (_, i) => i);
  const job: GpuJob = {
    label: 'grüße',
    code: '// ∀\nfn main() {}',
    entryPoint: 'main',
    buffers: [
      { binding: 3, kind: 'storage', bytes: 16, data: backing.subarray(7, 12), read: true },
      { binding: 0, kind: 'uniform', bytes: 8, data: new Uint8Array(0), read: false },
      { binding: 1, kind: 'read-only-storage', bytes: 64, read: false },
      { binding: 2, kind: 'storage', bytes: 64, data: backing.slice(0, 64), read: true },
    ],
    workgroups: [1, 2, 3],
  };
  expect(decodeJob(await joined(encodeJob(job)))).toEqual(job);
});

test('a result survives the transfer, and owns its bytes', async () => {
  const result: GpuResult = {
    ms: 1.25,
    buffers: new Map([
      [4, Uint8Array.of(1, 2, 3)],
      [0, new Uint8Array(0)],
    ]),
  };
  const decoded = decodeResult(await joined(encodeResult(result)));
  expect(decoded).toEqual(result);
  expect(decoded.buffers.get(4)?.buffer.byteLength).toBe(3);
});

test('an error is thrown on the other side, with its kind', async () => {
  const message = await joined(encodeError(new GpuError('out-of-memory', 'too much')));
  expect(() => decodeResult(message)).toThrow(expect.objectContaining({ kind: 'out-of-memory', message: 'too much' }));
  const broken = await joined(encodeError(new TypeError('a bug')));
  expect(() => decodeResult(broken)).toThrow(expect.objectContaining({ kind: 'lost', message: 'a bug' }));
});

test('a shader error is shown at its line, with a caret', () => {
  const job = { label: 'case', code: 'one\ntwo three\nfour' };
  const errors = Array.from({ length: 7 }, () => ({ message: 'no such thing', lineNum: 2, linePos: 5 }));
  expect(shaderErrorText(job, errors.slice(0, 1))).toBe('case:2:5: no such thing\n  2 | two three\n    |     ^');
  expect(shaderErrorText(job, [{ message: 'too large', lineNum: 0, linePos: 0 }])).toBe('case: too large');
  expect(shaderErrorText(job, errors)).toMatch(/\nand 2 more$/);
});

describe('a message that is not an answer', () => {
  const answer = (head: unknown, ...payloads: Uint8Array[]): ArrayBuffer => {
    const text = new TextEncoder().encode(JSON.stringify(head));
    const start = new Uint8Array(Math.ceil((4 + text.length) / 8) * 8);
    new DataView(start.buffer).setUint32(0, text.length, true);
    start.set(text, 4);
    const message = Buffer.concat([start, ...payloads]);
    return message.buffer.slice(message.byteOffset, message.byteOffset + message.length);
  };
  it.each([
    ['nothing', new ArrayBuffer(0)],
    ['a head that is longer than the message', Uint32Array.of(0xffffffff, 0).buffer],
    ['a head that is not JSON', Uint32Array.of(4, 0x7b7b7b7b).buffer],
    ['null', answer(null)],
    ['no time', answer({ buffers: [] })],
    ['no buffers', answer({ ms: 1 })],
    ['invalid buffers', answer({ ms: 1, buffers: { length: 1 } })],
    ['a buffer without a size', answer({ ms: 1, buffers: [{ binding: 0 }] })],
    ['a buffer of a negative size', answer({ ms: 1, buffers: [{ binding: 0, bytes: -8 }] })],
    ['a buffer that is longer than the message', answer({ ms: 1, buffers: [{ binding: 0, bytes: 64 }] })],
    ['one buffer twice', answer({ ms: 1, buffers: [0, 0].map(() => ({ binding: 0, bytes: 0 })) })],
    ['an error of an unknown kind', answer({ error: { kind: 'fine', message: { toString: 1 } } })],
  ])('%s has its own error', (_, message) => {
    expect(() => decodeResult(message)).toThrow(expect.objectContaining({ name: 'GpuError', kind: 'lost' }));
    expect(() => decodeSequenceResult(message)).toThrow(expect.objectContaining({ name: 'GpuError', kind: 'lost' }));
  });

  const job: GpuJob = {
    label: 'k',
    code: '',
    entryPoint: 'main',
    buffers: [
      { binding: 0, kind: 'read-only-storage', bytes: 8, read: false },
      { binding: 1, kind: 'storage', bytes: 8, read: true },
    ],
    workgroups: [1, 1, 1],
  };
  it.each([
    ['lacks a buffer', []],
    ['has a shorter buffer', [[1, 4]]],
    ['has another buffer', [[0, 8]]],
    ['has an extra buffer', [1, 2].map((binding) => [binding, 8])],
  ])('a result that %s is refused', (_, sizes) => {
    const buffers = new Map(sizes.map(([binding = 0, bytes = 0]) => [binding, new Uint8Array(bytes)]));
    expect(() => checkResult(job, { ms: 1, buffers })).toThrow(expect.objectContaining({ kind: 'lost' }));
  });
});
