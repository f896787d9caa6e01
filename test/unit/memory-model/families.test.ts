// Compares the checker with a second implementation, on families of litmus tests.
import { expect, test } from 'vitest';
import { families, variants } from '../../../src/harness/litmus/families.ts';
import { parseLitmus, verdictOf } from '../../../src/memory-model/index.ts';
import { drawn } from '../../effort.ts';
import { naiveAllows } from '../../memory-model/naive-model.ts';

const all = variants();

test('there are more than 300 variants with different names', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(300);
});

test.each(Object.keys(families))('the checker and the second implementation agree on %s', (family) => {
  const own = drawn(
    all.filter(({ name }) => name.startsWith(`${family}+`)),
    6,
  );
  const verdicts = own.map((variant) => {
    const [parsed] = parseLitmus({ file: `${variant.name}.litmus`, text: variant.text });
    return [variant.name, parsed && verdictOf(parsed)];
  });
  expect(verdicts).toEqual(own.map((variant) => [variant.name, naiveAllows(variant) ? 'allowed' : 'forbidden']));
});

// Derived by hand from the manual, for strong accesses of GPU scope in different blocks. Without
// order, PTX only guarantees coherence. A release and an acquire forbid the shapes in which each
// thread reads from the one before. `fence.sc` between all accesses forbids every weak outcome.
const coherence = ['CoRR', 'CoWW', 'CoWR', 'CoRW'];
const chains = ['MP', 'LB', 'S', 'WRC', 'ISA2', 'WWC'];
test.each([
  { order: 'relaxed', forbidden: coherence },
  { order: 'relaxed+acq_rel', forbidden: [...coherence, ...chains] },
  { order: 'release+acquire', forbidden: [...coherence, ...chains] },
  { order: 'relaxed+sc', forbidden: Object.keys(families) },
])('$order forbids the shapes that the manual forbids', ({ order, forbidden }) => {
  const found = Object.keys(families).filter((family) => {
    const variant = all.find(({ name }) => name === `${family}+${order}+gpu+apart`);
    const [parsed] = parseLitmus({ file: 'family.litmus', text: variant?.text ?? '' });
    return parsed && verdictOf(parsed) === 'forbidden';
  });
  expect(found.sort()).toEqual([...forbidden].sort());
});
