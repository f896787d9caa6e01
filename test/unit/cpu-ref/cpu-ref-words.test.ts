// The functions on words must return the same results as the reference functions, which are the
// definition.
import { describe, expect, test } from 'vitest';
import { type Bits, compareWords, laneFunctions } from '../../../src/cpu-ref/index.ts';
import { random } from '../../../src/harness/suites/random.ts';
import { coveringChoices } from '../../../src/harness/suites/rows/cover-choices.ts';
import { modChoices, operandType, sourceNames } from '../../../src/harness/suites/rows/instruction-text.ts';
import { bitsOf } from '../../../src/harness/suites/rows/lane-kernel.ts';
import { drawerOf } from '../../../src/harness/suites/rows/lane-values.ts';
import type { LaneRowName } from '../../../src/isa/index.ts';
import { isaRows } from '../../../src/isa/index.ts';

const isLaneRow = (name: string): name is LaneRowName => Object.hasOwn(laneFunctions, name);

const rows = isaRows.filter(({ name }) => /^setp?(\.|$)/.test(name));

function bitsAt(words: Uint32Array, at: number, type: string): Bits {
  const low = words[at] ?? 0;
  return bitsOf(type) > 32 ? (BigInt(words[at + 1] ?? 0) << 32n) | BigInt(low) : low;
}

describe('comparisons', () => {
  test('some rows compare words', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  test.each(rows.map((row) => [row.name, row] as const))('%s', (name, row) => {
    if (!isLaneRow(name)) throw new RangeError(`${name} has no reference`);
    const wrong: string[] = [];
    const choices = modChoices(row);
    const covering = coveringChoices(choices);
    for (const mods of choices.filter((choice, index) => covering.has(choice) || index % 7 === 0)) {
      const types = sourceNames(row).map((source) => operandType(row, mods, source));
      const stride = types.some((type) => bitsOf(type) > 32) ? 2 : 1;
      const drawers = types.map((type, index) => drawerOf(type, types[index - 1]));
      const compare = compareWords(name, mods, stride, row.writes.length);
      if (compare === undefined) throw new RangeError(`${name} is not compared in words`);
      const rng = random(1, name, JSON.stringify(mods));
      const words = new Uint32Array(2 * types.length + 3);
      const results = new Uint32Array(stride * row.writes.length).fill(0xa5a5a5a5);
      for (let lane = 0; lane < 12; lane++) {
        // The operands of a different instruction precede these operands in the array.
        for (const [index, draw] of drawers.entries()) {
          const at = 3 + index * stride;
          draw(rng, words, at, index === 0 ? undefined : at - stride);
        }
        compare(words, 3, results);
        const operands = types.map((type, index) => bitsAt(words, 3 + index * stride, type));
        const expected = laneFunctions[name](mods, operands).slice(0, row.writes.length);
        const got = Array.from({ length: row.writes.length }, (_, index) => results[index * stride]);
        if (got.join() !== expected.join())
          wrong.push(`${JSON.stringify(mods)} ${operands.join()}: ${got}, not ${expected}`);
      }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  });
});
