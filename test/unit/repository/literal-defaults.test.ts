// A literal default for a value that cannot be missing turns a lost value into a wrong lane. So
// each default in the compiler has a comment that begins with `Absent:` and states why the value
// may be absent. Values that cannot be missing are read with the accessors of
// src/base/invariants.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { groupBy } from '../../../src/base/group-by.ts';

const root = new URL('../../../', import.meta.url);

/**
 * Matches a literal: a number, a string, a boolean, an empty list, an object, or a constant of the
 * IR or of WGSL.
 */
const literal = String.raw`-?\d|['"\x60]|\[\]|\{|true\b|false\b|new [A-Z]|(?:w|b|builder)\.(?:[uif](?:32|64)|int|bool)\(|constant\(|undef\(`;
const nullish = new RegExp(String.raw`\?\?\s*\(?(?:${literal})`, 'g');
/** Matches a default in a pattern, such as `const [first = 0] = list`, also in parameters. */
const inPattern = new RegExp(String.raw`(?:\b(?:const|let) |\()\[[^\]=]*\w = (?:${literal})`, 'g');

/** Returns the lines of a text that have a default without a reason. */
function defaultsIn(text: string): readonly number[] {
  const lines = text.split('\n');
  const found = [nullish, inPattern].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split('\n').length),
  );
  return [...new Set(found)].sort((a, b) => a - b).filter((line) => !hasReason(lines, line - 1));
}

/** Returns whether a comment after the default, or before its statement, begins with `Absent:`. */
function hasReason(lines: readonly string[], index: number): boolean {
  const isComment = (line: string) => /^(?:\/\/|\/\*\*|\*)/.test(line);
  const isReason = (line: string) => /(?:\/\/|\/\*\*|^\*).*Absent: \w/.test(line);
  for (let at = index; at >= 0; at--) {
    const line = lines[at]?.trim() ?? '';
    if (isReason(line)) return true;
    if (isComment(line)) continue;
    if (at < index && (line === '' || /[;},]$/.test(line))) return false;
  }
  return false;
}

const files = ['src/translate', 'src/wgsl'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);
const folderOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 3).join('/');

describe('literal defaults without `Absent:`', () => {
  const byFolder = groupBy(files, folderOf);
  test('are counted in the whole compiler', () => {
    expect(files.length).toBeGreaterThan(300);
  });
  test.each([...byFolder])('in %s', (_, own) => {
    const places = own.flatMap((file) =>
      defaultsIn(readFileSync(new URL(file, root), 'utf8')).map((line) => `${file}:${line}`),
    );
    expect(places).toEqual([]);
  });
});

describe('the check', () => {
  test.each([
    ['const a = map.get(key) ?? 0;', [1]],
    ['const a = list[0] ??\n  [];', [1]],
    ['f(x ?? w.u32(0));', [1]],
    ['const [first = 0n] = list;', [1]],
    ["const f = ([x = 'a']) => x;", [1]],
    ['// Absent: nobody reads it.\nconst a = map.get(key) ?? 0;\nconst b = map.get(key) ?? 0;', [3]],
    ['const a = x ?? 0; // Absent: none.', []],
    ['/** Counts. Absent: none. */\nconst count = (key: Key): number =>\n  counts.get(key) ?? 0;', []],
    ['/**\n * Counts;\n * Absent: none;\n */\nconst count = (key: Key): number =>\n  counts.get(key) ?? 0;', []],
    ['// Why.\nconst a = x ?? false;', [2]],
    ["const a = map.get(key) ?? missing('a key');", []],
    ['const a = copies.get(value) ?? value;', []],
  ])('of %j', (text, lines) => {
    expect(defaultsIn(text)).toEqual(lines);
  });
});
