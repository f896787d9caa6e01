// The comparison never skips elements silently.
import { describe, expect, test } from 'vitest';
import type { BufferParam, Launch, LaunchOutputs } from '../../../../src/base/launch.ts';
import {
  compareOutputs,
  expectedOutputs,
  threadPlace,
  withinTolerance,
} from '../../../../src/harness/compare/compare.ts';

function launchOf(param: Partial<BufferParam>): Launch {
  const buffer: BufferParam = { name: 'out', kind: 'buffer', type: 'u32', bytes: 8, ...param };
  return {
    id: 'c',
    group: '',
    ptx: '',
    ptxFile: '',
    entry: 'k',
    grid: [3, 2, 1],
    block: [48, 1, 1],
    sharedBytes: 0,
    params: [buffer],
  };
}

function outputs(...bytes: number[]): LaunchOutputs {
  return new Map([[0, Uint8Array.from(bytes)]]);
}

function floats(...values: number[]): LaunchOutputs {
  return new Map([[0, new Uint8Array(Float32Array.from(values).buffer)]]);
}

describe('bits', () => {
  test('a zero that should be another value, and a value that should be zero', () => {
    const expected = outputs(0, 0, 0, 0, 1, 0, 0, 0);
    expect(compareOutputs(launchOf({}), expected, outputs(0, 0, 0, 0, 0, 0, 0, 0))).toEqual({
      compared: 2,
      partial: 0,
      undefined: 0,
      mismatches: 1,
      first: { param: 'out', index: 1, expected: '0x00000001', got: '0x00000000', expectedValue: '1', gotValue: '0' },
    });
    expect(compareOutputs(launchOf({}), expected, outputs(0, 0, 0, 128, 1, 0, 0, 0)).mismatches).toBe(1);
  });

  test('signed zeros and NaN payloads differ without a tolerance', () => {
    const launch = launchOf({ type: 'f32' });
    expect(compareOutputs(launch, floats(0, 1), floats(-0, 1)).mismatches).toBe(1);
    expect(compareOutputs(launch, outputs(0, 0, 192, 127), outputs(1, 0, 192, 127)).mismatches).toBe(1);
  });

  test('a missing or short buffer mismatches in every element it lacks', () => {
    const expected = outputs(1, 0, 0, 0, 2, 0, 0, 0);
    expect(compareOutputs(launchOf({}), expected, new Map())).toMatchObject({ compared: 2, mismatches: 2 });
    expect(compareOutputs(launchOf({}), expected, outputs(1, 0, 0, 0))).toMatchObject({ compared: 2, mismatches: 1 });
  });

  test('bytes after the last whole element count as one more element', () => {
    const result = compareOutputs(launchOf({ bytes: 6 }), outputs(1, 0, 0, 0, 5, 6), outputs(1, 0, 0, 0, 5, 7));
    expect(result).toMatchObject({
      compared: 2,
      mismatches: 1,
      first: { index: 1, expected: '0x0605', got: '0x0705' },
    });
  });

  test('an element without a defined bit is counted, not compared', () => {
    const masks = outputs(255, 255, 255, 255, 0, 0, 0, 0);
    const result = compareOutputs(launchOf({}), outputs(9, 0, 0, 0, 2, 0, 0, 0), outputs(1, 0, 0, 0, 3, 0, 0, 0), {
      undefinedMasks: masks,
    });
    expect(result).toMatchObject({ compared: 1, undefined: 1, mismatches: 1, first: { index: 1 } });
  });

  test('in an element with some undefined bits, the others are compared', () => {
    const masks = outputs(0xf0, 0, 255, 255, 255, 255, 255, 254);
    const compared = (...got: number[]) =>
      compareOutputs(launchOf({}), outputs(0x12, 0, 0, 0, 0, 0, 0, 1), outputs(...got), { undefinedMasks: masks });
    expect(compared(0xa2, 0, 7, 8, 9, 9, 9, 9)).toMatchObject({ compared: 2, partial: 2, undefined: 0, mismatches: 0 });
    expect(compared(0xa3, 0, 0, 0, 0, 0, 0, 1)).toMatchObject({ mismatches: 1, first: { index: 0 } });
    expect(compared(0x12, 0, 0, 0, 0, 0, 0, 0)).toMatchObject({ mismatches: 1, first: { index: 1 } });
  });

  test('the writer of the first mismatch is named', () => {
    const writers = new Map([[0, Int32Array.of(-1, -1, -1, -1, 181, 181, 181, 181)]]);
    const result = compareOutputs(launchOf({}), outputs(0, 0, 0, 0, 2, 0, 0, 0), outputs(0, 0, 0, 0, 3, 0, 0, 0), {
      writers,
    });
    // Thread 181 of blocks of 48: block 3, which is (0, 1, 0), thread 37, which is lane 5 of warp
    // 1.
    expect(result.first?.writer).toEqual({ block: [0, 1, 0], warp: 1, lane: 5 });
  });
});

describe('tolerance', () => {
  const tolerance = { rel: 1e-3, abs: 1e-6 };
  const rows: readonly [number, number, boolean][] = [
    [1, 1.0009, true],
    [1, 1.0011, false],
    [0, 9e-7, true],
    [0, 2e-6, false],
    [-5, 5, false],
    [0, -0, true],
    [Number.NaN, Number.NaN, true],
    [Number.NaN, 0, false],
    [0, Number.NaN, false],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, true],
    [Number.POSITIVE_INFINITY, 3e38, false],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false],
    [3e38, Number.POSITIVE_INFINITY, false],
  ];
  test.each(rows)('%d and %d: %s', (expected, got, agrees) => {
    expect(withinTolerance(expected, got, tolerance)).toBe(agrees);
    const launch = launchOf({ type: 'f32', bytes: 4, tolerance });
    expect(compareOutputs(launch, floats(expected), floats(got)).mismatches).toBe(agrees ? 0 : 1);
  });
});

test('only buffers with `expect` are expected', () => {
  expect(expectedOutputs(launchOf({})).size).toBe(0);
  expect(expectedOutputs(launchOf({ expect: new Uint8Array(8) })).get(0)).toEqual(new Uint8Array(8));
});

test('threads are placed with x fastest', () => {
  expect(threadPlace(launchOf({}), 0)).toEqual({ block: [0, 0, 0], warp: 0, lane: 0 });
  expect(threadPlace(launchOf({}), 48 * 5 + 47)).toEqual({ block: [2, 1, 0], warp: 1, lane: 15 });
});
