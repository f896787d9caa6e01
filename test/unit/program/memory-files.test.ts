// The files of programs in a page.
import { expect, test } from 'vitest';
import { FileFailure, type OpenChoice } from '../../../src/program/host/files.ts';
import { memoryFiles } from '../../../src/program/host/memory-files.ts';

const choice = (given: Partial<OpenChoice>): OpenChoice => ({
  ...{ create: false, exclusive: false, truncate: false, writes: true },
  ...given,
});
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the code of the failure of `work`. */
function failure(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof FileFailure ? error.code : String(error);
  }
}

const open = () => memoryFiles([['data/in.txt', bytes('abc')]]);

function contentOf(files: ReturnType<typeof open>, path: string): string {
  const to = new Uint8Array(100);
  return new TextDecoder().decode(to.subarray(0, files.open(path, choice({})).read(0, to)));
}

test('a file is read and written at offsets, and grows with zeros', () => {
  const files = open();
  const file = files.open('./data/../data/in.txt', choice({}));
  expect(file.size()).toBe(3);
  expect(file.read(2, new Uint8Array(4))).toBe(1);
  expect(file.read(9, new Uint8Array(4))).toBe(0);
  file.write(5, bytes('xy'));
  expect(contentOf(files, 'data/in.txt')).toBe('abc\0\0xy');
  file.resize(1);
  file.resize(3);
  expect(contentOf(files, 'data/in.txt')).toBe('a\0\0');
  files.open('data/in.txt', choice({ truncate: true }));
  expect(file.size()).toBe(0);
});

test('folders list their files, and are removed when they are empty', () => {
  const files = open();
  files.makeFolder('out');
  files.open('out/a', choice({ create: true })).write(0, bytes('1'));
  expect([files.list('.'), files.list('out'), files.facts('out'), files.facts('out/a')]).toEqual([
    ['data', 'out'],
    ['a'],
    { kind: 'folder', bytes: 0 },
    { kind: 'file', bytes: 1 },
  ]);
  expect(failure(() => files.removeFolder('out'))).toBe('ENOTEMPTY');
  files.rename('out/a', 'data/a');
  expect([contentOf(files, 'data/a'), files.list('out')]).toEqual(['1', []]);
  files.removeFolder('out');
  files.remove('data/a');
  expect([files.list('.'), files.list('data')]).toEqual([['data'], ['in.txt']]);
});

test('failures have the codes of POSIX', () => {
  const files = open();
  const codes = [
    () => files.open('absent', choice({})),
    () => files.open('absent/a', choice({ create: true })),
    () => files.open('data/in.txt/a', choice({ create: true })),
    () => files.open('data/in.txt', choice({ create: true, exclusive: true })),
    () => files.open('data', choice({})),
    () => files.makeFolder('data'),
    () => files.list('data/in.txt'),
    () => files.remove('absent'),
    () => files.facts('absent'),
  ].map(failure);
  expect(codes).toEqual(['ENOENT', 'ENOENT', 'ENOTDIR', 'EEXIST', 'EISDIR', 'EEXIST', 'ENOTDIR', 'ENOENT', 'ENOENT']);
});
