// Tokens of a text: the lexer's fast path must return the tokens that its patterns match.
import { describe, expect, test } from 'vitest';
import { Reporter } from '../../../src/ptx/diagnostics/reporter.ts';
import { tokenize } from '../../../src/ptx/lexer/lexer.ts';
import { IdSet } from '../../../src/translate/ir/id-map.ts';

function tokensOf(text: string): readonly string[] {
  const tokens = tokenize(text, new Reporter());
  return Array.from({ length: tokens.length - 1 }, (_, at) => `${tokens.kindOf(at)} ${tokens.textOf(at)}`);
}

describe('tokens', () => {
  test.each([
    ['42', ['int 42']],
    ['42U 017 0x1f 0b11', ['int 42U', 'int 017', 'int 0x1f', 'int 0b11']],
    ['1.5 .5 2e3 1. 0f3f800000', ['float 1.5', 'float .5', 'float 2e3', 'float 1.', 'float 0f3f800000']],
    ['0f3f8', ['int 0f3f8']],
    ['7abc', ['int 7abc']],
    ['%r1%2', ['word %r1', 'word %2']],
    ['4%2', ['int 4', 'mark %', 'int 2']],
    ['(a)%b', ['mark (', 'word a', 'mark )', 'mark %', 'word b']],
    ['tex.1d.v4', ['word tex', 'dot .1d', 'dot .v4']],
    ['a .1d', ['word a', 'float .1d']],
    ['a<<b>=c', ['word a', 'mark <<', 'word b', 'mark >=', 'word c']],
    ['a/b// c\n/* d */e', ['word a', 'mark /', 'word b', 'word e']],
    ['"日" "月" "日"', ['string "日"', 'string "月"', 'string "日"']],
    ['"é" "è"', ['string "é"', 'string "è"']],
  ])('%s', (text, expected) => {
    expect(tokensOf(text)).toEqual(expected);
  });
});

test('an IdSet holds the same numbers as a Set', () => {
  const [numbers, objects] = [new IdSet<{ readonly id: number }>(), new Set<number>()];
  let state = 1;
  for (let step = 0; step < 4_000; step++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const id = 5_000 + ((state >> 8) % (step % 5 === 0 ? 200_000 : 300));
    if (step % 3 === 2) {
      numbers.delete({ id });
      objects.delete(id);
    } else {
      numbers.add({ id });
      objects.add(id);
    }
    expect(numbers.has({ id })).toBe(objects.has(id));
  }
  expect(numbers.size).toBe(objects.size);
  for (let id = 0; id < 210_000; id++) if (numbers.has({ id }) !== objects.has(id)) expect.fail(`number ${id}`);
});
