// Case files: which files are accepted and refused, and that a launch is unchanged after it is
// written and read.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { describeCase, parseCase, writeCase } from '../../../../src/harness/launches/case-file.ts';
import { readCase, saveCase } from '../../../../src/harness/launches/case-file-node.ts';

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

describe('accepted fields', () => {
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

  test.each(['b8', 'b16', 'b32', 'b64'])('a buffer of %s with unspecified contents', (type) => {
    const json = JSON.stringify({ ...good, params: [{ ...buffer, type, expect: 'any' }] });
    const launch = parseCase(json, '.version 8.0', 'dir/one.ptx');
    expect(launch.params).toMatchObject([{ kind: 'buffer', type, bytes: 8, expect: 'any' }]);
    expect(parseCase(writeCase(launch, 'one.ptx'), launch.ptx, launch.ptxFile)).toEqual(launch);
  });

  test.each([
    ['a scalar of bits', { name: 'n', kind: 'b32', value: 1 }, 'unknown kind'],
    ['contents given as a word', { ...buffer, expect: 'none' }, 'params[0].expect'],
    ['a tolerance of bits', { ...buffer, type: 'b32', tolerance: { rel: 0, abs: 0 } }, 'f16, bf16, f32 and f64 only'],
    ['unknown bits', { ...buffer, type: 'b128' }, 'unknown type'],
  ])('but not %s', (_, param, message) => {
    expect(() => describeCase(JSON.stringify({ ...good, params: [param] }))).toThrow(message);
  });

  test('a struct by value', () => {
    const [param] = describeCase(JSON.stringify({ ...good, params: [{ name: 'c', kind: 'bytes', data: '/wA=' }] }))
      .launch.params;
    expect(param).toEqual({ name: 'c', kind: 'bytes', data: Uint8Array.of(255, 0) });
  });
});

const texture = { name: 't', kind: 'texture', type: 'u8', size: [2, 2], channels: 1 };

test('textures and surfaces are written as they were read', () => {
  const border: readonly number[] = [1, 0, 1, 0];
  const sampled = {
    filter: 'linear',
    address: ['wrap', 'mirror', 'border'],
    normalizedCoordinates: true,
    normalizedReads: true,
    border,
  };
  const params = [
    { ...texture, channels: 4, size: [1, 2], ...sampled, data: 'AAECAwQFBgc=' },
    { name: 'table', kind: 'texture', type: 'f32', size: [1], linear: true },
    { name: 'layers', kind: 'surface', type: 'f16', size: [1, 1], layers: 2, expect: 'AAECAw==' },
    { name: 'tex_ref', kind: 'texture', type: 's32', size: [1, 1, 1], reference: true },
  ];
  const launch = parseCase(JSON.stringify({ ...good, params }), '');
  expect(launch.params.map((param) => (param.kind === 'buffer' ? param.image : undefined))).toMatchObject([
    { texel: 'u8', channels: 4, size: [1, 2], sampling: sampled },
    {
      texel: 'f32',
      channels: 1,
      size: [1],
      linear: true,
      sampling: { filter: 'point', address: ['clamp', 'clamp', 'clamp'] },
    },
    { texel: 'f16', channels: 1, size: [1, 1], layers: 2 },
    { texel: 's32', size: [1, 1, 1], reference: true },
  ]);
  expect(parseCase(writeCase(launch, 'k.ptx'), '')).toEqual({ ...launch, ptxFile: 'k.ptx' });
});

test.each([
  { sizes: [64, 9], box: [16, 4], swizzle: '32B' },
  { sizes: [16, 9, 7, 3], im2col: { lower: [-1, 0], upper: [-1, 1], channels: 8, pixels: 64 }, fill: 'nan' },
])('a tensor map %j', (members) => {
  const map = { name: 'map', kind: 'tensormap', to: 1, type: 'f16', ...members };
  const launch = parseCase(JSON.stringify({ ...good, params: [map, buffer] }), '');
  expect(launch.params[0]).toMatchObject({ kind: 'bytes', tensorMap: members });
  expect(parseCase(writeCase(launch, 'k.ptx'), '')).toEqual({ ...launch, ptxFile: 'k.ptx' });
});

describe('refused fields', () => {
  const map = { name: 'map', kind: 'tensormap', to: 0, type: 'u32', sizes: [8, 4, 2] };
  const pixels = { lower: [6], upper: [0], channels: 4, pixels: 3 };
  const rows: readonly [object, string][] = [
    [{ entry: undefined }, 'entry: is missing'],
    [{ id: '' }, 'id: must be a non-empty string'],
    [{ grid: [1, 1] }, 'grid: must be [x, y, z]'],
    [{ grid: [1, 0, 1] }, 'grid[1]: must be at least 1'],
    [{ block: [1.5, 1, 1] }, 'block[0]: must be an integer from 0 to 1024, not 1.5'],
    [{ block: [64, 32, 1] }, 'block: has 2048 threads, but the limit is 1024'],
    [{ sharedBytes: -4 }, 'sharedBytes: must be an integer from 0 to 232448, not -4'],
    [{ params: 7 }, 'params: must be an array'],
    [{ params: [5] }, 'params[0]: must be an object'],
    [
      { params: [{ name: 'n', kind: 'half', value: 1 }] },
      "params[0].kind: unknown kind 'half'; one of buffer, memory, tensormap, texture, surface, bytes, u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64",
    ],
    [{ params: [{ name: 'n', kind: 'u32' }] }, 'params[0].value: is missing'],
    [{ params: [{ name: 'n', kind: 'u32', value: -1 }] }, 'params[0].value: -1 does not fit in u32'],
    [{ params: [{ name: 'n', kind: 's8', value: 128 }] }, 'params[0].value: 128 does not fit in s8'],
    [{ params: [{ name: 'n', kind: 'u32', value: 0.5 }] }, 'params[0].value: 0.5 is not an integer'],
    [{ params: [{ name: 'n', kind: 'f32', value: 'big' }] }, "params[0].value: 'big' is not a number"],
    [{ params: [{ ...map, im2col: 4 }] }, 'params[0].im2col: must be an object'],
    [{ params: [{ ...map, im2col: { lower: 1 } }] }, 'params[0].im2col.lower: must be an array'],
    [{ params: [{ ...map, im2col: pixels, box: [1] }] }, 'params[0].im2col: excludes `box`: a map has one of them'],
    [{ params: [{ ...map, im2col: pixels }] }, 'params[0].im2col.upper[0]: leaves -2 pixels in a dimension'],
    [{ params: [{ ...texture, type: 'u64' }] }, 'params[0].type: must be one of u8, s8, u16, s16, u32, s32, f16, f32'],
    [{ params: [{ ...texture, channels: 3 }] }, 'params[0].channels: must be 1, 2 or 4, not 3'],
    [{ params: [{ ...texture, size: [] }] }, 'params[0].size: must be [width], [width, height] or'],
    [{ params: [{ ...texture, size: [2, 0] }] }, 'params[0].size[1]: must be at least 1'],
    [
      { params: [{ ...texture, size: [2, 2, 2], layers: 2 }] },
      'params[0].layers: are allowed for one or two dimensions only',
    ],
    [{ params: [{ ...texture, filter: 'cubic' }] }, "params[0].filter: must be one of point, linear, not 'cubic'"],
    [{ params: [{ ...texture, filter: 'linear' }] }, 'params[0].filter: must be point for u8 without normalized reads'],
    [
      { params: [{ ...texture, type: 'f32', normalizedReads: true }] },
      'applies to integers of 8 and 16 bits, not to f32',
    ],
    [
      { params: [{ ...texture, address: ['wrap', 'fold'] }] },
      "params[0].address[1]: must be one of wrap, clamp, mirror, border, not 'fold'",
    ],
    [{ params: [{ ...texture, border: [1, 2] }] }, 'params[0].border: must be [r, g, b, a]'],
    [{ params: [{ ...texture, border: [0.5, 0, 0, 0] }] }, 'params[0].border: must be integers from 0 to 255 for u8'],
    [{ params: [{ ...texture, linear: true, size: [2, 2] }] }, 'params[0].size: must be [width]'],
    [{ params: [{ ...texture, data: 'AAAA' }] }, 'params[0].data: contains 3 bytes, but the buffer has 4'],
    [{ params: [{ ...buffer, type: 'b128' }] }, "params[0].type: unknown type 'b128'"],
    [{ params: [{ ...buffer, bytes: 12 }] }, 'params[0].data: contains 8 bytes, but the buffer has 12'],
    [{ params: [{ ...buffer, data: '!!' }] }, 'params[0].data: is not valid base64'],
    [{ params: [{ ...buffer, expect: 'AAAA' }] }, 'params[0].expect: contains 3 bytes, but the buffer has 8'],
    [{ params: [{ ...buffer, tolerance: { rel: 1 } }] }, 'params[0].tolerance.abs: must be a nonnegative number'],
    [
      { params: [{ ...buffer, tolerance: { rel: 0, abs: 0 } }] },
      'params[0].tolerance: applies to f16, bf16, f32 and f64 only, not to u32',
    ],
  ];
  const gib = { name: 'b', kind: 'buffer', type: 'u32', bytes: 2 ** 26 };
  const foreign: readonly [string, object, string][] = [
    ['ids that would be paths', { id: '../escaped' }, "id: '../escaped' is not a valid id"],
    ['ids of several lines', { id: 'x\n::error file=a::b' }, "id: 'x\\n::error file=a::b' is not a valid id"],
    ['ids that clear the terminal', { id: '\u001b[2J' }, "id: '\\x1b[2J' is not a valid id"],
    ['a lone surrogate in an id', { id: 'a\ud800' }, "id: 'a\\ud800' is not a valid id"],
    ['ids that are too long for a file', { id: 'a'.repeat(201) }, 'up to 200 letters'],
    ['invalid entry names', { entry: 'k\u001b[2J' }, "entry: 'k\\x1b[2J' is not a valid kernel name"],
    ['types of Object.prototype', { params: [{ ...buffer, type: 'toString' }] }, "unknown type 'toString'"],
    ['kinds of Object.prototype', { params: [{ name: 'n', kind: 'constructor' }] }, "unknown kind 'constructor'"],
    ['long kinds in full', { params: [{ name: 'n', kind: 'k'.repeat(4000) }] }, `unknown kind '${'k'.repeat(40)}…'`],
    ['a size that is an array', { block: [[[1]], 1, 1] }, 'block[0]: must be an integer from 0 to 1024, not an array'],
    ['endless numbers', { params: [{ name: 'n', kind: 'u64', value: '9'.repeat(1000) }] }, 'more than 400 characters'],
    ['5 buffers of 64 MiB', { params: Array(5).fill(gib) }, 'params[4]: all parameters together exceed 268435456'],
    ['a buffer of 1 GiB', { params: [{ ...gib, bytes: 2 ** 30 }] }, 'must be an integer from 0 to 268435456'],
    ['many parameters', { params: Array(4097).fill(buffer) }, 'params: has 4097 elements, but the limit is 4096'],
  ];
  test.each(foreign)('%s', (_, change, message) => {
    expect(() => describeCase(JSON.stringify({ ...good, ...change }))).toThrow(message);
  });

  test.each(rows)('%j', (change, message) => {
    expect(() => describeCase(JSON.stringify({ ...good, ...change }))).toThrow(message);
  });

  test('text that is not JSON', () => {
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
  // An f32 scalar is written as its rounded value.
  const stored = launch.params.map((p) =>
    p.kind === 'scalar' && p.name === 'y' ? { ...p, value: Math.fround(0.1) } : p,
  );
  expect(again).toEqual({ ...launch, params: stored });
});

test('a deeply nested field does not overflow the stack', () => {
  const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
  const json = JSON.stringify({ ...good, block: 'deep' }).replace('"deep"', deep);
  expect(() => describeCase(json)).toThrow('block: must be [x, y, z]');
});

test('a byte order mark before a case is skipped', () => {
  expect(describeCase(`\ufeff${JSON.stringify(good)}`).launch.id).toBe('one');
});

describe('a case on disk', () => {
  const dir = mkdtempSync(join(tmpdir(), 'lanewise-case-'));
  const cases = join(dir, 'cases');
  mkdirSync(join(cases, 'below'), { recursive: true });
  afterAll(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'secret.txt'), 'the secret');
  writeFileSync(join(cases, 'one.ptx'), 'the text');
  writeFileSync(join(cases, 'below', 'two.ptx'), 'more text');
  symlinkSync(join(dir, 'secret.txt'), join(cases, 'link.ptx'));
  symlinkSync(dir, join(cases, 'up'));
  symlinkSync('below/two.ptx', join(cases, 'inner.ptx'));
  writeFileSync(join(cases, 'large.ptx'), '');
  truncateSync(join(cases, 'large.ptx'), 2 ** 26 + 1);
  const caseOf = (ptx: string): string => {
    const path = join(cases, 'case.json');
    writeFileSync(path, JSON.stringify({ ...good, ptx }));
    return path;
  };

  test.each([
    ['beside it', 'one.ptx', 'the text'],
    ['below it', 'below/two.ptx', 'more text'],
    ['through a link inside the folder', 'inner.ptx', 'more text'],
    ['by an indirect path', './below/../one.ptx', 'the text'],
  ])('takes PTX %s', (_, ptx, text) => {
    expect(readCase(caseOf(ptx)).ptx).toBe(text);
  });

  test.each([
    ['above it', '../secret.txt'],
    ['far above the case', '../../../../../../../../../../etc/passwd'],
    ['above the case, where it does not exist', '../absent.ptx'],
    ['by an absolute path', join(dir, 'secret.txt')],
    ['of the kernel', '/proc/self/environ'],
    ['without end', '/dev/zero'],
    ['through a link', 'link.ptx'],
    ['below a linked folder', 'up/secret.txt'],
    ['with a NUL in its name', 'one.ptx\u0000'],
  ])('refuses PTX %s without revealing its contents', (_, ptx) => {
    const path = caseOf(ptx);
    expect(() => readCase(path)).toThrow(`${path}: ptx: must name a file in the folder of the case or below it`);
  });

  test.runIf(process.platform === 'linux')('never waits for a pipe or reads a device', () => {
    execFileSync('mkfifo', [join(cases, 'pipe.ptx')]);
    expect(() => readCase(caseOf('pipe.ptx'))).toThrow(/pipe\.ptx: cannot be read: not a regular file/);
    expect(() => readCase(join(cases, 'pipe.ptx'))).toThrow(/pipe\.ptx: cannot be read: not a regular file/);
    expect(() => readCase('/dev/zero')).toThrow('/dev/zero: cannot be read: not a regular file');
  });

  test('refuses PTX that is too large, and a folder', () => {
    expect(() => readCase(caseOf('large.ptx'))).toThrow(
      /large\.ptx: cannot be read: larger than the limit of 67108864 bytes/,
    );
    expect(() => readCase(caseOf('below'))).toThrow(/below: cannot be read: not a regular file/);
  });

  test('is written to the requested path, whatever its id', () => {
    const launch = { ...parseCase(JSON.stringify(good), 'text'), id: '../escaped' };
    expect(() => saveCase(launch, cases)).toThrow("id: '../escaped' is not a valid id");
    expect(readdirSync(dir).sort()).toEqual(['cases', 'secret.txt']);
  });
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
