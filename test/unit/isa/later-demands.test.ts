// Forms that need a later version only because two of their modifiers are combined.
import { expect, test } from 'vitest';
import { type IsaRow, laterDemands, textureRows } from '../../../src/isa/index.ts';

test.each([
  ['min', 'u64', ['8.1']],
  ['max', 'u64', ['8.1']],
  ['add', 'u64', []],
  ['add', 's64', ['8.1']],
  ['min', 'u32', []],
])('sured.b.%s of %s', (op, type, versions) => {
  const rows: readonly IsaRow[] = textureRows;
  const row = rows.find(({ name }) => name === 'sured.b');
  expect(row && laterDemands(row, { op, type }).map(({ ptx }) => ptx)).toEqual(versions);
});
