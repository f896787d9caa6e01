// The tests that a user names: files, and variants of the built-in shapes.
import type { LitmusTest } from '../../memory-model/index.ts';
import { parseLitmus, verdictOf } from '../../memory-model/index.ts';
import { families, variants } from './families.ts';

/**
 * Returns the built-in tests whose name matches a pattern: `*` stands for any text, and a shape
 * alone for its variants with strong accesses of GPU scope.
 */
export function builtInTests(pattern: string): readonly LitmusTest[] {
  const whole = pattern in families ? `${pattern}+*+gpu+*` : pattern;
  const escaped = whole.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  const matches = new RegExp(`^${escaped}$`);
  return variants()
    .filter(({ name }) => matches.test(name))
    .map(({ name, text }) => {
      const [test] = parseLitmus({ file: name, text });
      if (test === undefined) throw new RangeError(`the built-in test ${name} is empty`);
      return test;
    });
}

/**
 * Returns the default tests: the variants in different blocks whose weak outcome PTX forbids, with
 * strong accesses of GPU scope.
 */
export function defaultTests(): readonly LitmusTest[] {
  return builtInTests('*+gpu+apart').filter(
    (test) => /\+(relaxed|release)/.test(test.name) && verdictOf(test) === 'forbidden',
  );
}
