// The addresses of elements of a sparse product's B whose columns fill two rows of 32 bytes, against
// an NVIDIA H200 (driver 580.159.04).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { elementAddress } from '../../../../src/cpu-ref/matrix/shared-matrix.ts';
import { type ElementType, elementBits } from '../../../../src/isa/fragments.ts';

type Recorded = readonly [
  type: ElementType,
  start: number,
  leading: number,
  stride: number,
  base: number,
  elements: readonly (readonly [column: number, k: number, address: number])[],
];

/** Some layouts whose second rows do not follow the first ones. Each element encoded its address. */
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('sparse-rows-h200.json', import.meta.url), 'utf8'),
);

test.each(recorded)('%s: start %i, leading offset %i, stride offset %i, base offset %i', (...layout) => {
  const [type, start, leading, stride, base, elements] = layout;
  const matrix = { start, leading, stride, base, pitch: 32 };
  const addresses = elements.map(([column, k]) => elementAddress(matrix, true, column, k, elementBits[type] / 8));
  expect(addresses).toEqual(elements.map(([, , address]) => address));
});
