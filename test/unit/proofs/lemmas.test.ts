// The lemmas that make proofs small, checked on few lanes for all values of small words.
import { expect, test } from 'vitest';
import { at } from '../../../src/base/invariants.ts';
import { termOf } from '../../proofs/claim.ts';
import { proveShader } from '../../proofs/prove-shader.ts';
import { withoutExtremes } from '../../proofs/terms/agreement.ts';
import { decide, selectedValues } from '../../proofs/terms/bits.ts';
import { digestOfEquation } from '../../proofs/terms/digest.ts';
import { OtherLanes } from '../../proofs/terms/free-others.ts';
import { generalize } from '../../proofs/terms/generalize.ts';
import { localize } from '../../proofs/terms/localize.ts';
import { bitsOf, withFactors } from '../../proofs/terms/low-bits.ts';
import { Reductions } from '../../proofs/terms/reached.ts';
import { orderOf, replace } from '../../proofs/terms/rewrite.ts';
import { shapeOf } from '../../proofs/terms/shape.ts';
import { Solver } from '../../proofs/terms/solver.ts';
import { strengthen } from '../../proofs/terms/strengthen.ts';
import {
  add, and, bitAnd, bitAt, bitOr, bitXor, bool, complement, constant, type Extremum, equal, extend, extract, extremum, implies, isTrue, ite, mul,
  not, or, shiftLeft, sub, type Term, variable, wordOf, yes,
} from '../../proofs/terms/term.ts'; // biome-ignore format: a list
import { seeded } from '../../seed.ts';

const lanes = [0, 1, 2, 3];
const isProved = (claim: Term): boolean => decide(claim)?.kind === 'proved';

/** Evaluates a term for all values of its variables. */
function* evaluations(term: Term): Generator<Term> {
  const variables = orderOf(term).filter(({ kind }) => kind === 'variable');
  const bits = variables.reduce((sum, { width }) => sum + Math.max(width, 1), 0);
  for (let values = 0; values < 2 ** bits; values++) {
    let rest = values;
    const known = new Map<Term, Term>();
    for (const each of variables) {
      known.set(each, constant(rest, Math.max(each.width, 1)));
      if (each.width === 0) known.set(each, equal(constant(rest & 1), constant(1)));
      rest >>= Math.max(each.width, 1);
    }
    yield replace(term, known);
  }
}
const holdsForAll = (claim: Term): boolean => [...evaluations(claim)].every(isTrue);

const extremes = (['umin', 'umax', 'smin', 'smax'] as const).map(
  (op: Extremum) =>
    [
      op,
      { umin: -1, umax: 0, smin: 0x7fffffff, smax: 0x80000000 }[op],
      (a: Term, b: Term) => extremum(op, a, b),
    ] as const,
);
const reductions = [['add', 0, add], ['xor', 0, bitXor], ['or', 0, bitOr], ['and', -1, bitAnd], ...extremes] as const;

test.each(reductions)(
  'reductions by %s are equal if each lane contributes under the same condition',
  (name, identity, of) => {
    const value = lanes.map((lane) => variable(`v${lane}`));
    const isMember = lanes.map((lane) => variable(`g${lane}`, 0));
    const part = (lane: number): Term =>
      ite(at(isMember, lane, 'a lane'), at(value, lane, 'a lane'), constant(identity));
    const chain = lanes.map(part).reduce(of);
    const tree = of(of(part(2), part(0)), of(part(3), part(1)));
    const claims = {
      right: strengthen(equal(chain, tree)),
      missing: strengthen(equal(chain, of(of(part(2), part(0)), part(1)))),
      twice: strengthen(equal(chain, of(tree, part(1)))),
    };
    expect(isProved(claims.right)).toBe(true);
    expect(isProved(claims.missing)).toBe(false);
    // A lane may contribute twice to a minimum, but not to a sum.
    expect(isProved(claims.twice)).toBe(name !== 'add' && name !== 'xor');
    // The lemma agrees with the values, for all members and some words.
    const words = [0, 1, 0x7fffffff, 0x80000001];
    for (const first of words)
      for (const second of words) {
        const known = new Map(value.map((each, lane) => [each, constant(lane % 2 === 0 ? first : second)]));
        expect(holdsForAll(replace(equal(chain, tree), known))).toBe(true);
      }
  },
);

/** Whether all members have the value of the first member, and whether all pairs have equal values. */
function agreement(width: number, forgotten: number, none?: Term): readonly [Term, Term] {
  const value = lanes.map((lane) => variable(`w${lane}`, width));
  const isMember = lanes.map((lane) => variable(`g${lane}`, 0));
  const member = (lane: number): Term => at(isMember, lane, 'a lane');
  const first = lanes.reduceRight(
    (rest, lane) => ite(member(lane), at(value, lane, 'a lane'), rest),
    none ?? at(value, 0, 'a lane'), // Absent: the value of the first lane.
  );
  const withFirst = lanes.map((lane) => implies(member(lane), equal(at(value, lane, 'a lane'), first)));
  const pairs = lanes.flatMap((a) =>
    lanes
      .filter((b) => b > a && b !== forgotten)
      .map((b) => implies(and(member(a), member(b)), equal(at(value, a, 'a lane'), at(value, b, 'a lane')))),
  );
  return [and(...withFirst), and(...pairs)];
}

test('conjunctions of equations are equivalent for words if they are for one bit', () => {
  const [withFirst, pairs] = agreement(2, -1);
  expect(holdsForAll(equal(withFirst, pairs))).toBe(true);
  const [wide, widePairs] = agreement(32, -1);
  const claim = strengthen(equal(wide, widePairs));
  expect(orderOf(claim).some(({ width }) => width > 1)).toBe(false);
  expect(isProved(claim)).toBe(true);
  // Without members, the first value may be any constant.
  const [constantFirst] = agreement(32, -1, constant(5));
  expect(isProved(strengthen(equal(constantFirst, widePairs)))).toBe(true);
  const [other, fewPairs] = agreement(32, 3);
  expect(isProved(strengthen(equal(other, fewPairs)))).toBe(false);
});

test.each([
  ['umax', 'umin', 0, -1],
  ['smax', 'smin', 0x80000000, 0x7fffffff],
] as const)(
  'the %s and the %s of values are equal if all values are equal, and there is one',
  (largest, smallest, least, greatest) => {
    const value = lanes.map((lane) => variable(`v${lane}`));
    const isMember = lanes.map((lane) => variable(`g${lane}`, 0));
    const extremeOf = (op: Extremum, identity: number, members: readonly Term[]): Term =>
      value
        .map((each, lane) => ite(at(members, lane, 'a lane'), each, constant(identity)))
        .reduce((a, b) => extremum(op, a, b));
    const max = extremeOf(largest, least, isMember);
    const claim = equal(max, extremeOf(smallest, greatest, isMember));
    const simple = withoutExtremes(claim);
    expect(orderOf(simple).some(({ kind }) => kind === largest || kind === smallest)).toBe(false);
    const words = [0, 0x7fffffff, 0x80000000, 0xffffffff];
    for (const first of words)
      for (const second of words) {
        const known = new Map(value.map((each, lane) => [each, constant(lane % 2 === 0 ? first : second)]));
        const both = equal(replace(simple, known), replace(claim, known));
        expect(holdsForAll(both)).toBe(true);
      }
    const others = isMember.map((_, lane) => at(isMember, (lane + 1) % 4, 'a lane'));
    const mixed = equal(max, extremeOf(smallest, greatest, others));
    expect(withoutExtremes(mixed)).toBe(mixed);
  },
);

test('a choice is equal to the choice between its selected values', () => {
  const [a, b, c] = [variable('a', 2), variable('b', 2), variable('c', 2)];
  const [p, q] = [variable('p0', 0), variable('q0', 0)];
  const choice = ite(p, ite(q, a, b), ite(and(p, q), c, ite(q, b, a)));
  const values = selectedValues(choice);
  if (values === undefined) throw new Error('the conditions have no diagrams');
  expect(new Set(values.keys())).toEqual(new Set([a, b]));
  const rebuilt = [...values].reduce((rest, [value, condition]) => ite(condition, value, rest), c);
  expect(holdsForAll(equal(choice, rebuilt))).toBe(true);
});

test('a claim follows from the claim about few lanes', () => {
  const bit = (lane: number): Term => variable(`b${lane}`, 0);
  const claims = [
    or(and(bit(0), bit(1)), not(and(bit(0), bit(1), or(bit(2), bit(3))))),
    equal(and(bit(0), or(bit(1), bit(2))), bit(0)),
    ite(bit(3), or(bit(0), not(bit(0))), equal(bit(1), bit(2))),
    implies(and(bit(0), bit(2)), or(bit(0), bit(3))),
    not(ite(bit(3), bit(0), and(bit(1), not(bit(0))))),
    implies(ite(or(bit(0), bit(2)), and(bit(0), bit(1)), bit(0)), bit(0)),
  ];
  const results = claims.map((claim) => {
    const local = localize(claim, and(bit(0), bit(1)).lanes);
    expect(local.lanes & ~3).toBe(0);
    expect(holdsForAll(implies(local, claim))).toBe(true);
    return isProved(local);
  });
  expect(results).toEqual([true, false, false, true, false, true]);
});

test('a claim follows from the claim with free values for the parts about other lanes', () => {
  const bit = (lane: number): Term => variable(`b${lane}`, 0);
  const any = or(...lanes.map(bit));
  const othersOf = (lane: number): Term => or(and(any, bit(lane)), and(not(any), bit(2)));
  const claims = [
    implies(bit(0), ite(any, bit(0), bit(1))),
    equal(and(bit(0), ite(any, bit(1), bit(2))), and(bit(0), bit(1))),
    equal(and(bit(0), or(...lanes.map(othersOf))), bit(0)),
    or(any, and(...lanes.map((lane) => not(bit(lane))))),
    equal(and(any, bit(0)), and(bit(0), bit(1))),
    implies(any, or(bit(0), bit(1))),
  ];
  const results = claims.map((claim) => {
    const free = new OtherLanes().free(claim, and(bit(0), bit(1)).lanes);
    expect(orderOf(free).some(({ kind, name }) => kind === 'variable' && /^b[23]/.test(name))).toBe(false);
    if (isProved(free)) expect(holdsForAll(claim)).toBe(true);
    return isProved(free);
  });
  expect(results).toEqual([true, true, true, true, false, false]);
});

test('a claim about a function of values follows from the claim about free words', () => {
  const [a, b] = [variable('a0', 3), variable('b1', 3)];
  const bucketOf = (value: Term): Term => bitAnd(mul(value, value), constant(3, 3));
  const isInSame = or(
    ...[0, 1, 2, 3].map((n) => and(...[a, b].map((value) => equal(bucketOf(value), constant(n, 3))))),
  );
  const claims = [or(not(equal(a, b)), isInSame), or(equal(a, b), isInSame)];
  const results = claims.map((claim) => {
    const general = generalize(claim);
    expect(orderOf(general).some(({ kind }) => kind === 'bvmul')).toBe(false);
    if (isProved(general)) expect(holdsForAll(claim)).toBe(true);
    return isProved(general);
  });
  expect(results).toEqual([true, false]);
});

test('the bits of a word are those of its operands', () => {
  const [a, b] = [variable('a', 3), variable('b', 3)];
  const words = [
    bitAnd(a, b),
    bitOr(a, complement(b)),
    bitXor(a, b),
    shiftLeft(a, constant(1, 3)),
    bitAnd(a, sub(a, constant(1, 3))),
    ite(equal(bitAnd(b, constant(2, 3)), constant(0, 3)), a, b),
  ];
  for (const word of words)
    for (const index of [0, 1, 2])
      expect(holdsForAll(equal(wordOf(bitAt(word, index), 3), bitAnd(bitwise(word, index), constant(1, 3))))).toBe(
        true,
      );
});
/** Shifts a bit of a word to the lowest position. */
const bitwise = (word: Term, index: number): Term =>
  index === 0
    ? word
    : add(
        constant(0, 3),
        ite(equal(bitAnd(word, constant(1 << index, 3)), constant(0, 3)), constant(0, 3), constant(1, 3)),
      );

test('bits of sums, products and shifted words are those of the operands', () => {
  const [a, b] = [variable('a', 3), variable('b', 3)];
  const four = shiftLeft(extend(b, 6), constant(2, 6));
  const words = [
    add(extend(a, 6), four),
    sub(extend(a, 6, true), four),
    mul(shiftLeft(extend(a, 6), constant(1, 6)), four),
    ite(equal(a, b), four, complement(extend(a, 6, true))),
    bitXor(four, bitOr(extend(a, 6), bitAnd(four, constant(12, 6)))),
  ];
  for (const word of words)
    for (const [low, width] of [[0, 2], [0, 5], [1, 3], [2, 4], [4, 2]] as const) {
      expect(holdsForAll(equal(bitsOf(word, low, width), extract(word, low, width)))).toBe(true);
      expect(holdsForAll(equal(withFactors(word), word))).toBe(true);
    } // biome-ignore format: short
});

test('products of numbers in two intervals are between the products of their ends', () => {
  const ends = [-4, -3, -1, 0, 1, 2, 4];
  const intervals = ends.flatMap((min) => ends.filter((max) => max >= min).map((max) => [min, max] as const));
  const inside = ([min, max]: readonly [number, number]): number[] =>
    Array.from({ length: max - min + 1 }, (_, index) => min + index);
  for (const a of intervals)
    for (const b of intervals) {
      const corners = a.flatMap((x) => b.map((y) => x * y));
      const products = inside(a).flatMap((x) => inside(b).map((y) => x * y));
      expect(Math.min(...products)).toBe(Math.min(...corners));
      expect(Math.max(...products)).toBe(Math.max(...corners));
    }
});

test('equations of one row of words have the digest of the same equations of another row', () => {
  const [a, b, p] = [variable('a1'), variable('b1'), variable('p1', 0)];
  const equation = (x: Term, y: Term): string => digestOfEquation(ite(p, add(x, constant(1)), y), x);
  expect(equation(a, a)).toBe(equation(b, b));
  expect(equation(a, variable('a2'))).toBe(equation(b, variable('b2')));
  expect(equation(a, variable('a2'))).not.toBe(equation(a, a));
  expect(equation(a, b)).not.toBe(equation(a, a));
  expect(equation(a, b)).not.toBe(equation(b, a));
});

test('x * x + x is zero if x is 0 or -1, in words of each small width', () => {
  for (const width of [2, 3, 8]) {
    const x = variable('x', width);
    const isZero = equal(add(mul(x, x), x), constant(0, width));
    expect(orderOf(isZero).some(({ kind }) => kind === 'bvmul')).toBe(false);
    const values = Array.from({ length: 2 ** width }, (_, value) => BigInt(value));
    const expected = values.filter((value) => (value * value + value) % 2n ** BigInt(width) === 0n);
    expect(values.filter((value) => isTrue(replace(isZero, new Map([[x, constant(value, width)]]))))).toEqual(expected);
  }
});

test('claims about other lanes have the same shape', () => {
  const claim = (lane: number): Term => equal(add(variable(`a${lane}`), variable(`b${lane}`)), constant(7));
  const shape = shapeOf(claim(1));
  expect(shape.key).toBe(shapeOf(claim(2)).key);
  expect(shape.key).not.toBe(shapeOf(equal(add(variable('a1'), variable('a1')), constant(7))).key);
  expect(shape.variables).toEqual([variable('a1'), variable('b1')]);
});

test.each([
  ['pending &= pending - 1u;', 'proved'],
  ['pending &= ~(pending | 1u);', 'refuted'],
  ['pending &= ~1u;', 'refuted'],
])('a loop over the bits of a word with %s is %s', async (change, kind) => {
  const code = `@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1)
fn main() {
  var pending = in[0] & 15u;
  var copy = 0u;
  loop {
    if (pending == 0u) { break; }
    let lowest = countTrailingZeros(pending);
    copy |= 1u << lowest;
    ${change}
  }
  out[0] = copy;
}`;
  const [input, output] = [variable('in'), constant(0)];
  const buffers = new Map([[0, [input]], [1, [output]]]); // biome-ignore format: short
  const verdict = await proveShader(new Solver(), {
    code,
    options: { invocations: 1, subgroupSize: 1, buffers, output: 1 },
    claims: (words) => [{ condition: yes(), found: at(words, 0, 'a word'), expected: bitAnd(input, constant(15)) }],
  });
  expect(verdict.kind).toBe(kind);
});

test('partial results under conditions are sums of the values that they contain', () => {
  const group = [0, 1, 2].map((lane) => variable(`g${lane}`, 0));
  const values = [0, 1, 2].map((lane) => variable(`v${lane}`));
  const random = seeded('partial results');
  const pick = <T extends object>(items: readonly T[]): T => at(items, random.below(items.length), 'an item');
  // In each of two steps, each lane adds the partial result of another lane under a condition.
  const step = (partial: readonly Term[]): readonly Term[] =>
    partial.map((own) => {
      const others = partial.filter((each) => each !== own);
      return add(own, ite(pick([...group, ...group.map(not)]), pick(others), constant(0)));
    });
  const members = Array.from({ length: 8 }, (_, set) => group.map((_, lane) => bool(((set >> lane) & 1) === 1)));
  const reductions = new Reductions();
  const outcomes = Array.from({ length: 100 }, () => {
    const found = at(step(step(values)), 0, 'a result');
    // Counts in octal digits how often the result contains each value.
    const counts = members.map((isMember) => {
      const known = [...group.map((each, lane) => [each, at(isMember, lane, 'a lane')] as const), ...values.map(power)];
      return Number(replace(found, new Map(known)).value);
    });
    const countOf = (count: number, lane: number): number => Math.floor(count / 8 ** lane) % 8;
    const contains = (lane: number): Term =>
      or(
        ...members
          .filter((_, set) => countOf(at(counts, set, 'a count'), lane) > 0)
          .map((isMember) => and(...group.map((each, other) => equal(each, at(isMember, other, 'a lane'))))),
      );
    const sum = values.map((value, lane) => ite(contains(lane), value, constant(0))).reduce(add);
    const isOnce = counts.every((count) => [0, 1, 2].every((lane) => countOf(count, lane) <= 1));
    const areEqual = reductions.areEqual(yes(), yes(), found, sum);
    if (areEqual) expect(isOnce).toBe(true);
    const wrong = add(sum, ite(pick(group), pick(values), constant(0)));
    expect(reductions.areEqual(yes(), yes(), found, wrong)).toBe(false);
    return areEqual;
  });
  expect(new Set(outcomes)).toEqual(new Set([true, false]));
});

const power = (value: Term, lane: number): readonly [Term, Term] => [value, constant(8 ** lane)];

test('a claim holds if its condition does not', () => {
  const claim = { condition: equal(variable('x'), constant(1)), found: variable('x'), expected: constant(1) };
  expect(isProved(termOf(claim))).toBe(true);
});
