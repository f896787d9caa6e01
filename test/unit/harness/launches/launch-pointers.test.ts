// Structs passed by value that contain pointers: each executor inserts its own addresses.
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { packParams } from '../../../../src/harness/cuda/params.ts';
import { parseCase, writeCase } from '../../../../src/harness/launches/case-file.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const words = (...values: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);

/**
 * `struct { u32 *values; u64 distance; u32 *results; }`, which also points to a later parameter.
 */
const launch: Launch = {
  id: 'struct',
  group: '',
  ptx: `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .align 8 .b8 view[24], .param .u64 out)
{
  .reg .b64 %values, %results, %distance;
  .reg .b32 %word;
  ld.param.u64 %values, [view];
  ld.param.u64 %distance, [view+8];
  ld.param.u64 %results, [view+16];
  add.u64 %values, %distance, %values;
  ld.global.u32 %word, [%values];
  st.global.u32 [%results], %word;
  ret;
}
`,
  ptxFile: 'k.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [1, 1, 1],
  sharedBytes: 0,
  params: [
    { name: 'in', kind: 'buffer', type: 'u32', bytes: 16, data: words(11, 22, 33, 44) },
    {
      name: 'view',
      kind: 'bytes',
      data: words(0, 0, 8, 0, 0, 0),
      pointers: [
        { at: 0, to: 0, offset: 4 },
        { at: 16, to: 2, offset: 8 },
      ],
    },
    { name: 'out', kind: 'buffer', type: 'u32', bytes: 16 },
  ],
};
const expected = words(0, 0, 44, 0);

test('the reference follows the pointers of a struct', () => {
  expect(runOnCpu(launch, { sanitize: true })).toMatchObject({ status: 'done', findings: [] });
  expect(runOnCpu(launch).outputs.get(2)).toEqual(expected);
});

test('native arguments hold the addresses', () => {
  const { bytes } = packParams(launch.params, {
    addressOf: (index) => BigInt(4096 * (index + 1)),
    encode: () => new Uint8Array(128),
  });
  const view = new DataView(bytes.buffer);
  expect([16, 24, 32].map((at) => view.getBigUint64(at, true))).toEqual([4100n, 8n, 3n * 4096n + 8n]);
});

test('a case file keeps the pointers', () => {
  expect(parseCase(writeCase(launch, launch.ptxFile), launch.ptx)).toEqual(launch);
});

describe('refused in a case file', () => {
  const withPointers = (pointers: unknown): string => {
    const described = JSON.parse(writeCase(launch, launch.ptxFile));
    described.params[1].pointers = pointers;
    return JSON.stringify(described);
  };
  test.each([
    ['no list', 5, 'params[1].pointers: must be an array'],
    ['a place outside the struct', [{ at: 17, to: 0, offset: 0 }], 'params[1].pointers[0].at'],
    ['a parameter that is not a buffer', [{ at: 0, to: 1, offset: 0 }], 'params[1].pointers[0].to'],
    ['a parameter that does not exist', [{ at: 0, to: 3, offset: 0 }], 'params[1].pointers[0].to'],
    ['an offset outside the buffer', [{ at: 0, to: 0, offset: 17 }], 'params[1].pointers[0].offset'],
  ])('%s', (_, pointers, message) => {
    expect(() => parseCase(withPointers(pointers), launch.ptx)).toThrow(message);
  });
});

describe('in lockstep', () => {
  test.each([32, 1])('on subgroups of %i', async (size) => {
    const { outputs } = await lockstepExecutor(size).run(launch);
    expect(outputs.get(2)).toEqual(expected);
  });
});

/**
 * Two pointers into one buffer: the second parameter is an address inside the buffer of the first
 * parameter.
 */
const copy: Launch = {
  ...launch,
  id: 'copy',
  ptx: `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 to, .param .u64 from)
{
  .reg .b64 %to, %from;
  .reg .b32 %word;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.global.u32 %word, [%from];
  st.global.u32 [%to+4], %word;
  ret;
}
`,
  params: [
    { name: 'to', kind: 'buffer', type: 'u32', bytes: 16, data: words(11, 22, 33, 44) },
    { name: 'from', kind: 'bytes', data: words(0, 0), pointers: [{ at: 0, to: 0, offset: 8 }] },
  ],
};

describe('a pointer into the buffer of another parameter', () => {
  const copied = words(11, 33, 33, 44);

  test('on the reference', () => {
    expect(runOnCpu(copy, { sanitize: true })).toMatchObject({ status: 'done', findings: [] });
    expect(runOnCpu(copy).outputs.get(0)).toEqual(copied);
  });

  test.each([32, 1])('in lockstep, on subgroups of %i', async (size) => {
    const { outputs } = await lockstepExecutor(size).run(copy);
    expect(outputs.get(0)).toEqual(copied);
  });
});
