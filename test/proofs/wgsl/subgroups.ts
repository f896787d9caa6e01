// Subgroup functions on terms. They read only active invocations. A value that WGSL leaves
// indeterminate is free. https://www.w3.org/TR/WGSL/#subgroup-builtin-functions

import { getOrInsert } from '../../../src/base/maps.ts';
import {
  add,
  and,
  anything,
  bitXor,
  constant,
  equal,
  isFalse,
  ite,
  no,
  not,
  or,
  sub,
  type Term,
  wordOfBits,
} from '../terms/term.ts';
import type { Environment, Values } from './environment.ts';
import { binary, elementwise } from './operators.ts';
import { at, type Terms } from './place.ts';
import { build, choose, termOf, truth, type Value, word, zip } from './value.ts';

/**
 * Returns, for each invocation, the value of the active invocation that has the given id in its
 * subgroup, or a free value if there is none.
 */
function gather(machine: Environment, values: Values, ids: Terms, mask: Terms): Values {
  const { subgroupSize, size } = machine;
  return machine.each((each) => {
    if (isFalse(at(mask, each))) return at(values, each);
    const first = Math.floor(each / subgroupSize) * subgroupSize;
    const id = at(ids, each);
    let result: Value | undefined;
    for (let other = Math.min(first + subgroupSize, size) - 1; other >= first; other--) {
      const chosen = and(at(mask, other), equal(id, constant(other - first)));
      if (isFalse(chosen)) continue;
      result = choose(chosen, at(values, other), result ?? unknownLike(at(values, other)));
    }
    return result ?? unknownLike(at(values, each));
  });
}

const unknownLike = (value: Value): Value =>
  value.kind === 'list' ? build(value.type, () => anything()) : zip([value], ([term]) => anything(term?.width ?? 32));

/** Computes a value once for each subgroup, and returns it for each invocation. */
function bySubgroup(machine: Environment, of: (members: readonly number[]) => Value): Values {
  const { size, subgroupSize } = machine;
  const known = new Map<number, Value>();
  return machine.each((each) => {
    const first = each - (each % subgroupSize);
    const count = Math.min(subgroupSize, size - first);
    return getOrInsert(known, first, () => of(Array.from({ length: count }, (_, i) => first + i)));
  });
}

const identities: Readonly<Record<string, bigint>> = { Add: 0n, And: 0xffffffffn, Or: 0n, Xor: 0n };

export function subgroupFunction(machine: Environment, name: string, args: readonly Values[], mask: Terms): Values {
  const [values, second] = args;
  const { subgroupSize } = machine;
  const lane = (each: number): Term => constant(each % subgroupSize);
  const amounts = (): Terms => (second ?? []).map((value) => termOf(value));
  if (name === 'subgroupElect')
    return machine.each((each) => truth(and(...earlier(machine, each).map((other) => not(at(mask, other))))));
  if (values === undefined) throw new Error(`${name} has no argument`);
  const predicates = (): Terms => values.map((value) => termOf(value, 'bool'));
  switch (name) {
    case 'subgroupShuffle':
    case 'subgroupBroadcast':
      return gather(machine, values, amounts(), mask);
    case 'subgroupShuffleXor':
      return gather(
        machine,
        values,
        amounts().map((by, each) => bitXor(lane(each), by)),
        mask,
      );
    case 'subgroupShuffleUp':
      return gather(
        machine,
        values,
        amounts().map((by, each) => sub(lane(each), by)),
        mask,
      );
    case 'subgroupShuffleDown':
      return gather(
        machine,
        values,
        amounts().map((by, each) => add(lane(each), by)),
        mask,
      );
    case 'subgroupBroadcastFirst':
      return bySubgroup(machine, (members) =>
        [...members]
          .reverse()
          .reduce<Value>(
            (rest, each) => choose(at(mask, each), at(values, each), rest),
            unknownLike(at(values, at(members, 0))),
          ),
      );
    case 'subgroupBallot': {
      const bits = predicates();
      return bySubgroup(machine, (members) => {
        const all = members.map((each) => and(at(mask, each), at(bits, each)));
        const words = [0, 1, 2, 3].map((index) => {
          const part = all.slice(index * 32, index * 32 + 32);
          const padded = [...part, ...Array.from({ length: 32 - part.length }, no)];
          return word(wordOfBits(padded));
        });
        return { kind: 'list', type: { kind: 'vector', size: 4, element: 'u32' }, items: words };
      });
    }
    case 'subgroupAny':
      return bySubgroup(machine, (members) =>
        truth(or(...members.map((each) => and(at(mask, each), at(predicates(), each))))),
      );
    case 'subgroupAll':
      return bySubgroup(machine, (members) =>
        truth(and(...members.map((each) => or(not(at(mask, each)), at(predicates(), each))))),
      );
    default:
      return reduction(machine, name, values, mask);
  }
}

const earlier = ({ subgroupSize }: Environment, each: number): number[] =>
  Array.from({ length: each % subgroupSize }, (_, index) => each - 1 - index);

function reduction(machine: Environment, name: string, values: Values, mask: Terms): Values {
  const kind = name.slice('subgroup'.length);
  const first = at(values, 0);
  if (first.kind !== 'scalar') throw new Error(`${name} of a vector is not supported`);
  const { type } = first;
  const operators: Readonly<Record<string, string>> = { Add: '+', And: '&', Or: '|', Xor: '^' };
  const operator = operators[kind];
  const identity =
    identities[kind] ??
    (kind === 'Min' ? (type === 'i32' ? 0x7fffffffn : 0xffffffffn) : type === 'i32' ? 0x80000000n : 0n);
  const combine = (a: Term, b: Term): Term => {
    const result =
      operator === undefined ? elementwise(kind.toLowerCase(), type, [a, b]) : binary(operator, type, a, b);
    if (result === undefined) throw new Error(`${name} of ${type} is not supported`);
    return result;
  };
  return bySubgroup(machine, (members) => ({
    kind: 'scalar',
    type,
    term: members.map((each) => ite(at(mask, each), termOf(at(values, each)), constant(identity))).reduce(combine),
  }));
}
