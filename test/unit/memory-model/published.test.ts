// Compares the checker with published verdicts.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type LitmusTest, parseLitmus, verdictOf } from '../../../src/memory-model/index.ts';
import { drawn } from '../../effort.ts';

const file = 'test/memory-model/published.litmus';
const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const tests = parseLitmus({ file, text });

test('the file has all published tests whose proxies PTX can name', () => expect(tests.length).toBe(144));

// The search for the ticket locks takes longest, because their loops have many paths.
const kindOf = ({ name }: LitmusTest): string => (/^Ticketlock/.test(name) ? 'ticket lock' : name);

test.each(drawn(tests, 40, kindOf).map((parsed) => ({ name: parsed.name, parsed })))('$name', ({ parsed }) => {
  expect(verdictOf(parsed)).toBe(parsed.expectation);
});
