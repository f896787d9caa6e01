// Tests a device without free memory. A separate process has a memory limit, so that its software
// adapter reports the error like a GPU.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasSwiftShader, swiftShader } from './runtime-support.ts';

const root = join(import.meta.dirname, '../..');
const isBuilt = existsSync(join(root, 'dist/runtime/node.js'));
/**
 * The limit of the address space in KiB. The limit is small because the adapter clears all memory
 * that it allocates, which takes time.
 */
const limit = 1_700_000;

test.skipIf(!hasSwiftShader || !isBuilt)('a full device is reported, and the program continues', async () => {
  const command = `ulimit -v ${limit} && exec "${process.execPath}" test/gpu/out-of-memory.mjs`;
  // With the default number of arenas, each thread reserves addresses for its own allocations.
  const env = { ...process.env, ...swiftShader, MALLOC_ARENA_MAX: '1' };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: root, env, timeout: 240_000 });
  const missing = expect.stringMatching(
    /^out-of-memory: `piece \d+` of 200000000 bytes was not allocated: the device is out of memory$/,
  );
  expect(JSON.parse(stdout)).toEqual({
    heapWorks: 1,
    full: expect.stringMatching(/^out-of-memory: `piece \d+` of 200000000 bytes: /),
    others: 2,
    launched: missing,
    written: missing,
    address: missing,
    buffer: missing,
    // The contents of the heap, and the allocation that was to move there, are unchanged.
    grown: expect.stringMatching(/^out-of-memory: a heap of \d+ bytes: /),
    heapStays: [1, 4],
    largeStays: 17,
    again: 200_000_000,
    grownNow: [true, 17],
    leaks: ['first', 'in the heap', 'large', 'again'],
  });
});
