// Faults that the tests plant in the guards that f32 operations share. Each fault names the kernel
// that must detect it on an adapter that flushes subnormals.
import type { Fault } from './plant.ts';

type Row = readonly [name: string, from: string, to: string, by: string];

const faultsOf = (file: string, rows: readonly Row[]): Fault[] =>
  rows.map(([name, from, to, by]) => ({ name, file: `translate/${file}`, from, to, by }));

export const guardFaults: readonly Fault[] = [
  ...faultsOf('passes/share-guards/guard.ts', [
    [
      'the threshold of a guard is half as large',
      '2n * powerBits(quantum + testedDigits) - 1n',
      '2n * powerBits(quantum + testedDigits - 1) - 1n',
      'differences of three floats',
    ],
    [
      'the threshold of a guard of several values is half as large',
      "constant('f32', powerBits(quantum + testedDigits))",
      "constant('f32', powerBits(quantum + testedDigits - 1))",
      'differences of four floats',
    ],
  ]),
  ...faultsOf('analysis/quanta.ts', [
    [
      'constants lose a digit',
      'Math.max(exponent, 1) - 150 + zeros',
      'Math.max(exponent, 1) - 149 + zeros',
      'rounding errors of products with constants',
    ],
    [
      'a factor may be half as large',
      'need(a, quantum - knownB)',
      'need(a, quantum - knownB - 1)',
      'rounding errors of products with constants',
    ],
    [
      'the second of two factors may be half as large',
      'need(b, a === b ? partA : quantum - partA)',
      'need(b, a === b ? partA : quantum - partA - 1)',
      'the rounding error of a product',
    ],
    [
      'the root of a square may be half as large',
      'Math.ceil(quantum / 2)',
      'Math.ceil(quantum / 2) - 1',
      'the rounding error of a square',
    ],
    ['a guard does not test a subtrahend', 'need(args[1], quantum)', 'undefined', 'sums that a loop carries'],
    ['a guard does not test an addend', 'need(args[2], quantum)', 'undefined', 'small addends of products'],
    [
      'the uses of a result are ignored',
      'Math.max(needs.get(result) ?? leastQuantum, wanted(result))',
      'leastQuantum',
      'the product of a sum',
    ],
    [
      'a sum has the bound of its larger operand',
      'Math.min(of(a), of(b))',
      'Math.max(of(a), of(b))',
      'products with a sum of a loop',
    ],
    [
      'a product has the bound of its larger factor',
      'of(a) + of(b)',
      'Math.max(of(a), of(b))',
      'products with a product of a loop',
    ],
    [
      'a multiply-add has the bound of its product',
      'Math.min(product, of(c))',
      'product',
      'products with a multiply-add of a loop',
    ],
  ]),
  ...faultsOf('passes/share-guards/facts.ts', [
    ['any known bound is enough', 'fact.quantum >= quantum', 'true', 'products with a sum of a loop'],
    [
      "a received value has the bound of the lane's own value",
      'this.votes.has(condition)',
      'true',
      'sums of exchanged values',
    ],
  ]),
  ...faultsOf('passes/share-guards/index.ts', [
    [
      'the result of the slow path is not tested',
      'tests.condition()',
      'builder.bool(true)',
      'a subnormal sum in a loop',
    ],
    [
      'functions without groups store without a test',
      'parts.size > 0 || memory.watches',
      'parts.size > 0',
      'stored_by_a_function',
    ],
  ]),
  ...faultsOf('passes/share-guards/witnesses.ts', [
    [
      'the start value of a loop is not tested',
      'guard.test(arg, leastQuantum)',
      'undefined',
      'a subnormal sum before a loop',
    ],
    ['the test of a carried value is not used', 'guard.require(witness)', 'undefined', 'a subnormal sum in a loop'],
  ]),
  ...faultsOf('passes/share-guards/shared-memory.ts', [
    [
      'a stored value may be half as large',
      'builder.i32(leastSize(quantum))',
      'builder.i32(leastSize(quantum - 1))',
      'rounding errors of products of stored floats',
    ],
    [
      'a guard tests only the first of several words',
      'inst.args.slice(inst.attrs.place.indexed ? 1 : 0)',
      'inst.args.slice(inst.attrs.place.indexed ? 1 : 0).slice(0, 1)',
      'rounding errors of products of stored floats, one of them smaller',
    ],
    [
      'stored constants are not tested',
      'quantumOfBits(bits) < quantum',
      'false',
      'a subnormal constant that one lane stores',
    ],
  ]),
];
