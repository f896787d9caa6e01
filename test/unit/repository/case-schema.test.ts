// docs/reference/case.schema.json describes the case files that the reader accepts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { describeCase } from '../../../src/harness/launches/case-file.ts';
import { root } from './docs-blocks.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true }).compile(
  JSON.parse(read('docs/reference/case.schema.json')),
);
const errors = (value: unknown): readonly string[] =>
  validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

const folders = ['test/kernels', 'test/fuzz-cases', 'docs/examples'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name)),
);

test('all cases of the repository are valid', () => {
  expect(files.length).toBeGreaterThan(500);
  const invalid = files.filter((file) => errors(JSON.parse(read(file))).length > 0);
  expect(invalid.map((file) => [file, ...errors(JSON.parse(read(file)))])).toEqual([]);
});

test('the page shows a case of docs/examples', () => {
  expect(read('docs/reference/case-format.md')).toContain(read('docs/examples/saxpy.json'));
});

describe('an invalid case', () => {
  const base = (): Record<string, unknown> => JSON.parse(read('docs/examples/saxpy.json'));
  const buffer = { name: 'x', kind: 'buffer', type: 'f32', bytes: 4 };
  const withParam = (param: object) => ({ ...base(), params: [param] });
  const { ptx: _, ...withoutPtx } = base();

  test.each<[string, object]>([
    ['without PTX', withoutPtx],
    ['with a space in its id', { ...base(), id: 'a b' }],
    ['with a grid of two numbers', { ...base(), grid: [1, 1] }],
    ['with an empty grid', { ...base(), grid: [0, 1, 1] }],
    ['with a fraction of a block', { ...base(), block: [1.5, 1, 1] }],
    ['with too large a block', { ...base(), block: [2048, 1, 1] }],
    ['with too much shared memory', { ...base(), sharedBytes: 2 ** 20 }],
    ['with a name that is not a kernel', { ...base(), entry: '1st' }],
    ['with a string for a flag', { ...base(), cooperative: 'yes' }],
    ['with one string for its output', { ...base(), prints: 'a' }],
    ['with an object for its parameters', { ...base(), params: {} }],
    ['with an unknown kind', withParam({ name: 'x', kind: 'pointer' })],
    ['with an unknown type', withParam({ ...buffer, type: 'f128' })],
    ['with an empty buffer', withParam({ ...buffer, bytes: 0 })],
    ['with invalid base64', withParam({ ...buffer, data: '*' })],
    ['with no elements', withParam({ ...buffer, data: [] })],
    ['with an unknown pattern', withParam({ ...buffer, data: { fill: 'twos' } })],
    ['with a boolean for an element', withParam({ ...buffer, data: [true] })],
    ['with a number for a file', withParam({ ...buffer, data: { file: 7 } })],
    ['with a file of another kind', withParam({ ...buffer, data: { file: 'x.txt' } })],
    ['with a negative seed', withParam({ ...buffer, data: { fill: 'random', seed: -1 } })],
    ['with bytes above 255', withParam({ name: 's', kind: 'bytes', data: [256] })],
    ['with a tolerance for integers', withParam({ ...buffer, type: 'u32', tolerance: { rel: 0, abs: 0 } })],
    ['with an incomplete tolerance', withParam({ ...buffer, tolerance: { rel: 0 } })],
    ['with a negative tolerance', withParam({ ...buffer, tolerance: { rel: -1, abs: 0 } })],
    ['without a name', withParam({ kind: 'u32', value: 1 })],
    ['without a value', withParam({ name: 'n', kind: 'u32' })],
    ['with a fraction for an integer', withParam({ name: 'n', kind: 'u32', value: 1.5 })],
    ['with a word for an integer', withParam({ name: 'n', kind: 'u32', value: 'one' })],
    ['with an empty struct', withParam({ name: 's', kind: 'bytes', data: '' })],
    [
      'with an incomplete pointer',
      withParam({ name: 's', kind: 'bytes', data: 'AAAAAAAAAAA=', pointers: [{ at: 0 }] }),
    ],
    ['with a texture without a size', withParam({ name: 't', kind: 'texture', type: 'f32' })],
    ['with three channels', withParam({ name: 't', kind: 'texture', type: 'f32', size: [4], channels: 3 })],
    ['with an unknown filter', withParam({ name: 't', kind: 'texture', type: 'f32', size: [4], filter: 'cubic' })],
    ['with a surface of four dimensions', withParam({ name: 's', kind: 'surface', type: 'u8', size: [1, 1, 1, 1] })],
  ])('%s is rejected by the schema and by the reader', (_, value) => {
    expect(errors(value)).not.toEqual([]);
    expect(() => describeCase(JSON.stringify(value))).toThrow();
  });

  test('with a misspelled member is rejected by the schema', () => {
    expect(errors({ ...base(), sharedbytes: 4 })).not.toEqual([]);
  });
});

test('both accept a case with every member', () => {
  const everything = {
    id: 'all',
    group: 'docs',
    ptx: 'all.ptx',
    entry: '_Z3allv',
    grid: [1, 2, 3],
    block: [8, 8, 2],
    sharedBytes: 128,
    cluster: [1, 2, 1],
    cooperative: true,
    prints: ['1\n'],
    fails: 'trap',
    params: [
      { name: 'a', kind: 'buffer', type: 'bf16', bytes: 2, data: 'AAA=', expect: 'any', tolerance: { rel: 0, abs: 1 } },
      { name: 'l', kind: 'buffer', type: 'f32', bytes: 8, data: [1.5, 'NaN'], expect: { fill: 'random', seed: 7 } },
      { name: 's', kind: 'bytes', data: [1, 2, 3] },
      { name: 'b', kind: 'u64', value: '0xffffffffffffffff' },
      { name: 'c', kind: 'f64', value: '-Infinity' },
      { name: 'd', kind: 'bytes', data: 'AAAAAAAAAAA=', pointers: [{ at: 0, to: 0, offset: 2 }] },
      {
        name: 'e',
        kind: 'texture',
        type: 'u8',
        size: [2, 2],
        filter: 'linear',
        normalizedReads: true,
        address: ['wrap'],
      },
      { name: 'f', kind: 'surface', type: 'f32', channels: 4, size: [1], layers: 2, reference: true },
    ],
  };
  expect(errors(everything)).toEqual([]);
  expect(() => describeCase(JSON.stringify(everything))).not.toThrow();
});
