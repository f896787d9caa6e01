import { expect, test } from 'vitest';
import { agreementOf } from '../../../../src/harness/compare/answers.ts';

const answersOf = (answers: Readonly<Record<string, string>>) =>
  Object.entries(answers).map(([name, value]) => ({ name, value }));

test.each([
  [{ a: '1', b: '1', c: '1' }, ''],
  [{ a: '1', b: '2' }, ''],
  [{ a: '1', b: '2', c: '1' }, 'only b differs: a and c agree'],
  [{ a: '2', b: '1', c: '1', d: '1' }, 'only a differs: b, c and d agree'],
  [{ a: '1', b: '2', c: '3' }, 'no two agree'],
  [{ a: '1', b: '1', c: '2', d: '2' }, 'a and b agree, so do c and d'],
  [{ a: '1', b: '1', c: '2', d: '3' }, 'a and b agree, c differs, d differs'],
  [{}, ''],
])('%j: %s', (answers, sentence) => {
  expect(agreementOf(answersOf(answers))).toBe(sentence);
});
