import { expect, test } from 'vitest';
import { standing } from '../../src/harness/compare/standing.ts';

const voices = (answers: Readonly<Record<string, string>>) =>
  Object.entries(answers).map(([name, answer]) => ({ name, answer }));

test.each([
  [{ a: '1', b: '1', c: '1' }, ''],
  [{ a: '1', b: '2' }, ''],
  [{ a: '1', b: '2', c: '1' }, 'b stands alone: a and c agree'],
  [{ a: '2', b: '1', c: '1', d: '1' }, 'a stands alone: b, c and d agree'],
  [{ a: '1', b: '2', c: '3' }, 'no two agree'],
  [{ a: '1', b: '1', c: '2', d: '2' }, 'a and b agree, so do c and d'],
  [{ a: '1', b: '1', c: '2', d: '3' }, 'a and b agree, c differs, d differs'],
  [{}, ''],
])('%j: %s', (answers, sentence) => {
  expect(standing(voices(answers))).toBe(sentence);
});
