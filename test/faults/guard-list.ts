// Faults in the guards that f32 operations share. Each names the kernel that shows it on an adapter
// that flushes subnormals.
import type { Fault } from './plant.ts';

type Row = readonly [name: string, from: string, to: string, by: string];

const faultsOf = (file: string, rows: readonly Row[]): Fault[] =>
  rows.map(([name, from, to, by]) => ({ name, file: `translate/${file}`, from, to, by }));

export const guardFaults: readonly Fault[] = [
  ...faultsOf('passes/share-guards/guard.ts', [
    [
      'a guard asks for half of what it should',
      '2n * powerBits(quantum + testedDigits) - 1n',
      '2n * powerBits(quantum + testedDigits - 1) - 1n',
      'differences of three floats',
    ],
    [
      'a guard of several values asks for half of what it should',
      "constant('f32', powerBits(quantum + testedDigits))",
      "constant('f32', powerBits(quantum + testedDigits - 1))",
      'differences of four floats',
    ],
  ]),
  ...faultsOf('analysis/quanta.ts', [
    [
      'constants have one digit less than they have',
      'Math.max(exponent, 1) - 150 + zeros',
      'Math.max(exponent, 1) - 149 + zeros',
      'rests of products with constants',
    ],
    [
      'a factor need only be half as large',
      'need(a, quantum - knownB)',
      'need(a, quantum - knownB - 1)',
      'rests of products with constants',
    ],
    [
      'of two factors the second need only be half as large',
      'need(b, a === b ? partA : quantum - partA)',
      'need(b, a === b ? partA : quantum - partA - 1)',
      'the rest of a product',
    ],
    [
      'the root of a square need only be half as large',
      'Math.ceil(quantum / 2)',
      'Math.ceil(quantum / 2) - 1',
      'the rest of a square',
    ],
    ['nothing is asked of what is subtracted', 'need(args[1], quantum)', 'undefined', 'sums that a loop passes on'],
    ['nothing is asked of an addend', 'need(args[2], quantum)', 'undefined', 'small addends of products'],
    [
      'what a result is needed for is forgotten',
      'Math.max(needs.get(result) ?? leastQuantum, wanted(result))',
      'leastQuantum',
      'the product of a sum',
    ],
    [
      'a sum is known to be as the larger of two',
      'Math.min(of(a), of(b))',
      'Math.max(of(a), of(b))',
      'products with a sum of a loop',
    ],
    [
      'a product is known to be as the larger factor',
      'of(a) + of(b)',
      'Math.max(of(a), of(b))',
      'products with a product of a loop',
    ],
    [
      'a multiply-add is known to be as the product',
      'Math.min(product, of(c))',
      'product',
      'products with a multiply-add of a loop',
    ],
  ]),
  ...faultsOf('passes/share-guards/facts.ts', [
    ['whatever is known is enough', 'fact.quantum >= quantum', 'true', 'products with a sum of a loop'],
    [
      'what a lane knows of its own value it knows of a received one',
      'this.votes.has(condition)',
      'true',
      'sums of what lanes exchange',
    ],
  ]),
  ...faultsOf('passes/share-guards/index.ts', [
    [
      'what the slow way gives is not looked at',
      'tests.condition()',
      'builder.bool(true)',
      'a subnormal sum that a loop comes to',
    ],
    ['functions without groups store unseen', 'memory.watchStores(func, builder)', 'undefined', 'stored_by_a_function'],
  ]),
  ...faultsOf('passes/share-guards/witnesses.ts', [
    [
      'what a loop begins with is not looked at',
      'guard.test(arg, leastQuantum)',
      'undefined',
      'a subnormal sum that a loop begins with',
    ],
    [
      'what a loop has passed on is not asked for',
      'guard.require(witness)',
      'undefined',
      'a subnormal sum that a loop comes to',
    ],
  ]),
  ...faultsOf('passes/share-guards/shared-memory.ts', [
    [
      'what is stored need only be half as large',
      'builder.i32(leastSize(quantum))',
      'builder.i32(leastSize(quantum - 1))',
      'rests of products of stored floats',
    ],
    [
      'of several words only the first is looked at',
      'inst.args.slice(inst.attrs.place.indexed ? 1 : 0)',
      'inst.args.slice(inst.attrs.place.indexed ? 1 : 0).slice(0, 1)',
      'rests of products of stored floats, of which one is smaller',
    ],
    [
      'stored constants are not looked at',
      'quantumOfBits(bits) < quantum',
      'false',
      'a subnormal constant that one lane stores',
    ],
  ]),
];
