// The compiler keeps its knowledge of PTX instructions in tables keyed by row, and the type checker
// demands every key. No other code tests the name of a row.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isaRows, warpRows } from '../../../src/isa/index.ts';
import { isWritable } from '../../../src/translate/emit/lane/insts.ts';
import { mayRemain } from '../../../src/translate/ir/legal.ts';
import { isOpName, operations } from '../../../src/translate/ir/operations.ts';

const folder = fileURLToPath(new URL('../../../src/translate', import.meta.url));

/** The tables keyed by row. All are records without a default. */
const tables: ReadonlySet<string> = new Set([
  'build/lane/arithmetic.ts',
  'build/lane/bits.ts',
  'build/lane/carry.ts',
  'build/lane/compare.ts',
  'build/lane/convert.ts',
  'build/lane/double.ts',
  'build/lane/float.ts',
  'build/lane/half.ts',
  'build/lane/half-compare.ts',
  'build/lane/half-convert.ts',
  'build/lane/logic.ts',
  'build/lane/small-float.ts',
  'build/lane/video-simd.ts',
  'build/copies.ts',
  'build/copy-delays.ts',
  'build/expand-bulk.ts',
  'build/clusters.ts',
  'build/hints.ts',
  'build/mbarriers.ts',
  'build/matrix.ts',
  'build/memory.ts',
  'build/wgmma.ts',
  'build/wmma.ts',
  'build/wmma-product.ts',
  'image/library.ts',
  'ir/operations.ts',
  'ir/warp-facts.ts',
  'tensor/lower-tensors.ts',
]);

/**
 * Names of rows that are not also words of the IR, of the control tree or of WGSL, as `add` and
 * `vote` are.
 */
const rowNames: ReadonlySet<string> = new Set([
  ...warpRows.map(({ name }) => name).filter((name) => name !== 'vote'),
  ...isaRows.flatMap(({ name }) => (name.includes('.') ? [name] : [])),
]);

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));

const codeOf = (file: string): string => readFileSync(join(folder, file), 'utf8').replace(/^\s*\/\/.*$/gm, '');

it('the compiler names rows in tables only', () => {
  const found = files.flatMap((file) => {
    const names = [...codeOf(file).matchAll(/'([^'\n]*)'/g)].map(([, text = '']) => text);
    return tables.has(file) ? [] : names.filter((name) => rowNames.has(name)).map((name) => `${file}: '${name}'`);
  });
  expect(found).toEqual([]);
});

it('the compiler neither compares row names nor searches opcodes', () => {
  const questions =
    /\b(row|row\.name|opcode)\s*[!=]==?\s*['"`]|\b(row|row\.name|opcode)\.(startsWith|endsWith|includes|match)\(/g;
  const found = files.flatMap((file) => [...codeOf(file).matchAll(questions)].map(([text]) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

it('every listed table exists', () => {
  expect(files).toEqual(expect.arrayContaining([...tables]));
});

it('the emitter writes every legal operation', () => {
  const names = Object.keys(operations).filter(isOpName);
  expect(names.filter((op) => mayRemain(op) && !isWritable(op))).toEqual([]);
  expect(names.filter((op) => mayRemain(op)).length).toBeGreaterThan(30);
});
