import { expect, test } from 'vitest';
import type { GpuJob, GpuResult } from '../../src/harness/webgpu/job.ts';
import { GpuError } from '../../src/harness/webgpu/job.ts';
import { shaderErrorText } from '../../src/harness/webgpu/pipeline-cache.ts';
import { decodeJob, decodeResult, encodeError, encodeJob, encodeResult } from '../../src/harness/webgpu/wire.ts';

async function joined(parts: Uint8Array<ArrayBuffer>[]): Promise<ArrayBuffer> {
  return await new Blob(parts).arrayBuffer();
}

test('a job survives, whatever the lengths and offsets of its data', async () => {
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

test('a result survives, and owns its bytes', async () => {
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

test('a shader error stands over its line, with a caret', () => {
  const job = { label: 'case', code: 'one\ntwo three\nfour' };
  const errors = Array.from({ length: 7 }, () => ({ message: 'no such thing', lineNum: 2, linePos: 5 }));
  expect(shaderErrorText(job, errors.slice(0, 1))).toBe('case:2:5: no such thing\n  2 | two three\n    |     ^');
  expect(shaderErrorText(job, [{ message: 'too large', lineNum: 0, linePos: 0 }])).toBe('case: too large');
  expect(shaderErrorText(job, errors)).toMatch(/\nand 2 more$/);
});
