// Case files: what is read, what is refused, and that writing gives the same launch back.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeCase, parseCase, writeCase } from '../../src/harness/launches/case-file.ts';
import { readCase, saveCase } from '../../src/harness/launches/case-file-node.ts';

const buffer = { name: 'in', kind: 'buffer', type: 'u32', bytes: 8, data: 'AQAAAAIAAAA=' };
const good = {
  id: 'one',
  group: 'g',
  ptx: 'one.ptx',
  entry: 'k',
  grid: [2, 1, 1],
  block: [32, 2, 1],
  sharedBytes: 16,
  params: [buffer],
};

describe('what is read', () => {
  test('dimensions, buffers and defaults', () => {
    const { sharedBytes: _, group: __, ...short } = good;
    const launch = parseCase(JSON.stringify({ ...short, golden: { gpu: 'any' } }), '.version 8.0', 'dir/one.ptx');
    expect(launch).toEqual({
      id: 'one',
      group: '',
      ptx: '.version 8.0',
      ptxFile: 'dir/one.ptx',
      entry: 'k',
      grid: [2, 1, 1],
      block: [32, 2, 1],
      sharedBytes: 0,
      params: [{ name: 'in', kind: 'buffer', type: 'u32', bytes: 8, data: Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0) }],
    });
  });

  const scalars: readonly [string, unknown, number | bigint][] = [
    ['u32', 4294967295, 4294967295],
    ['s32', -1, -1],
    ['u64', '18446744073709551615', 18446744073709551615n],
    ['s64', '-9223372036854775808', -9223372036854775808n],
    ['u64', '0xff', 255n],
    ['s64', 7, 7n],
    ['u8', 255, 255],
    ['s16', -32768, -32768],
    ['f32', 0.5, 0.5],
    ['f64', '-Infinity', Number.NEGATIVE_INFINITY],
    ['f32', 'NaN', Number.NaN],
  ];
  test.each(scalars)('%s %s', (kind, value, expected) => {
    const [param] = describeCase(JSON.stringify({ ...good, params: [{ name: 'n', kind, value }] })).launch.params;
    expect(param).toEqual({ name: 'n', kind: 'scalar', type: kind, value: expected });
  });

  test('a struct by value', () => {
    const [param] = describeCase(JSON.stringify({ ...good, params: [{ name: 'c', kind: 'bytes', data: '/wA=' }] }))
      .launch.params;
    expect(param).toEqual({ name: 'c', kind: 'bytes', data: Uint8Array.of(255, 0) });
  });
});

describe('what is refused', () => {
  const rows: readonly [object, string][] = [
    [{ entry: undefined }, 'entry: is missing'],
    [{ id: '' }, 'id: must be a non-empty string'],
    [{ grid: [1, 1] }, 'grid: must be [x, y, z]'],
    [{ grid: [1, 0, 1] }, 'grid[1]: must be at least 1'],
    [{ block: [1.5, 1, 1] }, 'block[0]: must be an integer from 0 to 1024, not 1.5'],
    [{ block: [64, 32, 1] }, 'block: has 2048 threads; at most 1024'],
    [{ sharedBytes: -4 }, 'sharedBytes: must be an integer from 0 to 232448, not -4'],
    [{ params: 7 }, 'params: must be an array'],
    [{ params: [5] }, 'params[0]: must be an object'],
    [
      { params: [{ name: 'n', kind: 'half', value: 1 }] },
      "params[0].kind: unknown kind 'half'; one of buffer, bytes, u8, s8, u16, s16, u32, s32, u64, s64, f32, f64",
    ],
    [{ params: [{ name: 'n', kind: 'u32' }] }, 'params[0].value: is missing'],
    [{ params: [{ name: 'n', kind: 'u32', value: -1 }] }, 'params[0].value: -1 does not fit u32'],
    [{ params: [{ name: 'n', kind: 's8', value: 128 }] }, 'params[0].value: 128 does not fit s8'],
    [{ params: [{ name: 'n', kind: 'u32', value: 0.5 }] }, 'params[0].value: 0.5 is not an integer'],
    [{ params: [{ name: 'n', kind: 'f32', value: 'big' }] }, "params[0].value: 'big' is not a number"],
    [{ params: [{ ...buffer, type: 'b32' }] }, "params[0].type: unknown type 'b32'"],
    [{ params: [{ ...buffer, bytes: 12 }] }, 'params[0].data: holds 8 bytes, but the buffer has 12'],
    [{ params: [{ ...buffer, data: '!!' }] }, 'params[0].data: is not valid base64'],
    [{ params: [{ ...buffer, expect: 'AAAA' }] }, 'params[0].expect: holds 3 bytes, but the buffer has 8'],
    [
      { params: [{ ...buffer, tolerance: { rel: 1 } }] },
      'params[0].tolerance.abs: must be a number that is not negative',
    ],
    [
      { params: [{ ...buffer, tolerance: { rel: 0, abs: 0 } }] },
      'params[0].tolerance: is for f32 and f64 only, not u32',
    ],
  ];
  test.each(rows)('%j', (change, message) => {
    expect(() => describeCase(JSON.stringify({ ...good, ...change }))).toThrow(message);
  });

  test('text that is no JSON', () => {
    expect(() => describeCase('{"id": ')).toThrow(/^is not JSON: /);
    expect(() => describeCase('[]')).toThrow('must be a JSON object');
  });
});

test('a written case reads back the same', () => {
  const params = [
    { ...buffer, type: 'f32', expect: 'AACAPwAAAAA=', tolerance: { rel: 1e-5, abs: 0 } },
    { name: 'n', kind: 's64', value: '-5' },
    { name: 'x', kind: 'f32', value: 'NaN' },
    { name: 'y', kind: 'f32', value: 0.1 },
    { name: 'c', kind: 'bytes', data: 'AQID' },
  ];
  const launch = parseCase(JSON.stringify({ ...good, params }), 'text', 'one.ptx');
  const again = parseCase(writeCase(launch, 'one.ptx'), 'text', 'one.ptx');
  // f32 scalars are written as the value they are stored as.
  const stored = launch.params.map((p) =>
    p.kind === 'scalar' && p.name === 'y' ? { ...p, value: Math.fround(0.1) } : p,
  );
  expect(again).toEqual({ ...launch, params: stored });
});

test('cases on disk name their file in errors', () => {
  const dir = mkdtempSync(join(tmpdir(), 'lanewise-case-'));
  try {
    const launch = parseCase(JSON.stringify(good), '.version 8.0', join(dir, 'one.ptx'));
    expect(readCase(saveCase(launch, dir))).toEqual(launch);
    const broken = join(dir, 'broken.json');
    writeFileSync(broken, JSON.stringify({ ...good, grid: 3 }));
    expect(() => readCase(broken)).toThrow(`${broken}: grid: must be [x, y, z]`);
    writeFileSync(broken, JSON.stringify({ ...good, ptx: 'absent.ptx' }));
    expect(() => readCase(broken)).toThrow(/absent\.ptx: cannot be read/);
    expect(() => readCase(join(dir, 'none.json'))).toThrow(/none\.json: cannot be read/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
