// Buffer contents given as numbers, patterns and files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ElementKind } from '../../../../src/base/launch.ts';
import { readScalar, scalarFormats } from '../../../../src/base/scalars.ts';
import { parseCase, writeCase } from '../../../../src/harness/launches/case-file.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { filled } from '../../../../src/harness/launches/contents.ts';
import { parseNpy } from '../../../../src/harness/launches/npy.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-contents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const caseOf = (param: object): string =>
  JSON.stringify({
    id: 'c',
    ptx: 'k.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [1, 1, 1],
    params: [{ name: 'b', kind: 'buffer', ...param }],
  });

function dataOf(param: object): Uint8Array | undefined {
  const [first] = parseCase(caseOf(param), '').params;
  return first?.kind === 'buffer' ? first.data : undefined;
}

const elements = (type: ElementKind, bytes: Uint8Array): (number | bigint)[] =>
  Array.from({ length: bytes.length / scalarFormats[type].bytes }, (_, index) => readScalar(type, bytes, index));

describe('patterns', () => {
  test.each<[ElementKind, string, (number | bigint)[]]>([
    ['f32', 'iota', [0, 1, 2, 3]],
    ['s64', 'iota', [0n, 1n, 2n, 3n]],
    ['f16', 'ones', [1, 1, 1, 1]],
    ['u8', 'zeros', [0, 0, 0, 0]],
    ['b64', 'ones', [1n, 1n, 1n, 1n]],
  ])('%s %s', (type, fill, expected) => {
    const data = dataOf({ type, bytes: 4 * scalarFormats[type].bytes, data: { fill } });
    expect(data && elements(type, data)).toEqual(expected);
  });

  test('iota wraps in narrow integers', () => {
    expect([...filled('u8', 258, 'iota').subarray(254)]).toEqual([254, 255, 0, 1]);
  });

  test.each<ElementKind>(['f16', 'bf16', 'f32', 'f64'])('random %s are in [0, 1) and differ', (type) => {
    const values = elements(type, filled(type, 4096 * scalarFormats[type].bytes, 'random', 3)).map(Number);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(Math.abs(values.reduce((sum, value) => sum + value, 0) / values.length - 0.5)).toBeLessThan(0.03);
    expect(new Set(values).size).toBeGreaterThan(100);
  });

  test('random integers vary in every bit, and a seed determines them', () => {
    const bits = elements('u32', filled('u32', 4096, 'random', 1)).map(Number);
    expect(bits.reduce((all, value) => all | value, 0) >>> 0).toBe(0xffff_ffff);
    expect(filled('u32', 64, 'random', 1)).toEqual(filled('u32', 64, 'random'));
    expect(filled('u32', 64, 'random', 2)).not.toEqual(filled('u32', 64, 'random'));
  });
});

describe('numbers', () => {
  test('of the type, as JSON or as strings', () => {
    expect([...(dataOf({ type: 'f32', bytes: 8, data: [0.5, 'Infinity'] }) ?? [])]).toEqual([
      0, 0, 0, 63, 0, 0, 128, 127,
    ]);
    expect(dataOf({ type: 'u64', bytes: 8, data: ['0xffffffffffffffff'] })).toEqual(new Uint8Array(8).fill(255));
  });

  test.each([
    [{ type: 'u32', bytes: 8, data: [1] }, 'params[0].data: has 1 numbers, but the buffer has 2 elements of u32'],
    [{ type: 'u8', bytes: 1, data: [256] }, 'params[0].data[0]: 256 does not fit in u8'],
    [{ type: 'u8', bytes: 1, data: [1.5] }, 'params[0].data[0]: 1.5 is not an integer'],
    [
      { type: 'u8', bytes: 1, data: { fill: 'tens' } },
      "unknown fill 'tens': expected one of zeros, ones, iota, random",
    ],
    [{ type: 'u8', bytes: 1, data: { fill: 'random', seed: -1 } }, 'params[0].data.seed: must be an integer'],
    [{ type: 'u8', bytes: 1, data: {} }, 'params[0].data.file: is missing'],
    [{ type: 'u8', bytes: 1, expect: { file: 'x.bin' } }, "params[0].expect.file: 'x.bin' names a file, which only"],
    [{ type: 'u8', bytes: 1, data: { file: 'x.json' } }, 'must end in .bin or .npy'],
  ])('%j', (param, message) => {
    expect(() => parseCase(caseOf(param), '')).toThrow(message);
  });
});

/** Returns a file in the format of `numpy.save`. */
function npy(descr: string, shape: string, data: Uint8Array, order = 'False'): Uint8Array {
  const header = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (${shape}), }`.padEnd(117).concat('\n');
  return Uint8Array.from([
    0x93,
    ...Buffer.from('NUMPY'),
    1,
    0,
    header.length & 255,
    header.length >> 8,
    ...Buffer.from(header),
    ...data,
  ]);
}

describe('files', () => {
  test('of NumPy', () => {
    const data = new Uint8Array(new Float32Array([1, 2, 3, 4, 5, 6]).buffer);
    expect(parseNpy(npy('<f4', '2, 3', data))).toMatchObject({
      type: '<f4',
      float: true,
      bytes: 4,
      shape: [2, 3],
      data,
    });
    expect(parseNpy(npy('<f4', '', data.subarray(0, 4))).shape).toEqual([]);
  });

  test.each([
    [Uint8Array.of(1, 2, 3), 'is not a .npy file'],
    [npy('>f4', '1,', new Uint8Array(4)), 'big-endian'],
    [npy('<c8', '1,', new Uint8Array(8)), 'elements of <c8, which are not numbers'],
    [npy('<f4', '2,', new Uint8Array(4)), 'has 4 bytes of elements, but its shape needs 8'],
    [npy('<f4', '1, 1', new Uint8Array(4), 'True'), 'Fortran order'],
    [npy('<f4', '1,', new Uint8Array(4)).subarray(0, 40), 'an incomplete header'],
  ])('refuses an invalid file: %#', (bytes, message) => {
    expect(() => parseNpy(bytes)).toThrow(message);
  });

  test('beside the case only', () => {
    mkdirSync(join(folder, 'cases'), { recursive: true });
    const write = (param: object): string => {
      const path = join(folder, 'cases', 'c.json');
      writeFileSync(path, caseOf(param));
      return path;
    };
    writeFileSync(join(folder, 'cases', 'k.ptx'), '');
    writeFileSync(join(folder, 'secret.bin'), 'abcd');
    writeFileSync(join(folder, 'cases', 'x.bin'), 'abcd');
    writeFileSync(join(folder, 'cases', 'x.npy'), npy('<i4', '1,', Uint8Array.of(9, 0, 0, 0)));
    const read = (param: object) => readCase(write(param)).params[0];
    expect(read({ type: 'u8', bytes: 4, data: { file: 'x.bin' } })).toMatchObject({ data: Buffer.from('abcd') });
    expect(read({ type: 's32', bytes: 4, expect: { file: 'x.npy' } })).toMatchObject({
      expect: Buffer.from([9, 0, 0, 0]),
    });
    const refused =
      (file: string, type = 'u8') =>
      () =>
        read({ type, bytes: 4, data: { file } });
    expect(refused('../secret.bin')).toThrow(
      'params[0].data.file: must name a file in the folder of the case or below it',
    );
    expect(refused('none.bin')).toThrow('none.bin: cannot be read: no such file or folder');
    expect(refused('x.npy', 'f32')).toThrow("params[0].data.file: 'x.npy' contains elements of <i4, not f32");
  });
});

describe('writeCase with `readable`', () => {
  test.each<[ElementKind, string, unknown]>([
    ['f32', 'AACAPwAAAEA=', [1, 2]],
    ['f32', 'AACAPwAAgD8=', { fill: 'ones' }],
    // A NaN with a payload, and -0.
    ['f32', 'AQDAfwAAAEA=', 'AQDAfwAAAEA='],
    ['f32', 'AAAAgAAAAEA=', ['-0', 2]],
    ['u64', '//////////8=', ['18446744073709551615']],
    ['b32', '/////w==', [4294967295]],
  ])('%s %s', (type, base64, expected) => {
    const bytes = Buffer.from(base64, 'base64').length;
    const launch = parseCase(caseOf({ type, bytes, data: base64 }), '');
    const json = writeCase(launch, 'k.ptx', { readable: true });
    expect(JSON.parse(json).params[0].data).toEqual(expected);
    expect(parseCase(json, '').params).toEqual(launch.params);
  });
});
