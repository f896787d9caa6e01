// The runtime on Dawn in this process. The tests in test/unit/runtime cover the same code in detail
// on a fake GPU.
import { expect, test } from 'vitest';
import { Runtime } from '../../src/runtime/node.ts';
import { hasSwiftShader, openRuntime, swiftShader } from './runtime-support.ts';
import { tour } from './runtime-tour.mjs';
import { toured, tourKernels } from './runtime-tour.ts';

test.skipIf(!hasSwiftShader)('memory, launches, replays and faults give the expected results', async () => {
  Object.assign(process.env, swiftShader);
  expect(await tour(Runtime, tourKernels)).toEqual(toured);
});

test.skipIf(!hasSwiftShader)('after a lost device every call fails', async () => {
  const rt = await openRuntime();
  const x = rt.alloc(64);
  const reading = x.read(Uint32Array);
  rt.device.destroy();
  await reading.catch(() => undefined);
  await rt.device.lost;
  await expect(rt.synchronize()).rejects.toThrow(expect.objectContaining({ kind: 'lost' }));
  expect(() => rt.alloc(4)).toThrow(expect.objectContaining({ kind: 'lost' }));
  expect(rt.close()).toEqual([{ label: '', bytes: 64 }]);
});
