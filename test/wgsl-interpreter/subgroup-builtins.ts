// Subgroup builtins. They read only the active lanes.
// https://www.w3.org/TR/WGSL/#subgroup-builtin-functions

import { raise } from './error.ts';
import { compileAs, concrete } from './expressions.ts';
import { toBits, toFloat } from './float.ts';
import type { Lanes, Machine } from './machine.ts';
import { at } from './machine.ts';
import type { Operation } from './operators.ts';
import { binaryOperators } from './operators.ts';
import type { Builtin, CallNode, Env, Expr } from './program.ts';
import type * as ast from './syntax/ast.ts';
import type { ScalarName, Type } from './types.ts';
import { bool, elementOf, registersOf, typeName, u32, vector } from './types.ts';
import { computed, isUniform } from './values.ts';

/**
 * Returns the value of a lane for which WGSL leaves it indeterminate. The value is always the same,
 * and unlikely to be right by chance.
 */
export function poison(lane: number): number {
  return (0xdeadbeef ^ Math.imul(lane + 1, 0x9e3779b9)) >>> 0;
}

type Work = (m: Machine, lanes: Lanes) => void;

/** Compiles a subgroup builtin. Throws if the program or the options forbid it. */
function subgroup(
  env: Env,
  node: CallNode,
  type: Type,
  operands: readonly Expr[],
  work: (register: number, operands: readonly number[]) => Work,
): Expr {
  if (!env.program.extensions.has('subgroups')) raise(node, `${node.name} needs enable subgroups;`);
  const value = computed(env, type, operands, (register, stable) => {
    const perform = work(
      register,
      stable.map((operand) => operand.register),
    );
    return (m, lanes) => {
      if (m.uniformSubgroups && lanes.length !== m.all.length) {
        raise(node, `${node.name} in divergent control flow: ${lanes.length} of ${m.all.length} lanes`);
      }
      perform(m, lanes);
    };
  });
  return { ...value, constant: false };
}

function operand(args: readonly ast.Expression[], index: number, node: CallNode): ast.Expression {
  return args[index] ?? raise(node, `${node.name} needs ${index + 1} arguments`);
}

function data(env: Env, args: readonly ast.Expression[], node: CallNode, hint?: ScalarName): Expr {
  const expr = concrete(env, operand(args, 0, node), hint);
  const name = elementOf(expr.type);
  if (name === undefined || name === 'bool') raise(node, `${node.name} does not take ${typeName(expr.type)}`);
  return expr;
}

/** Returns 1 for each active lane of the subgroup, by lane. */
function activity(m: Machine, lanes: Lanes): Uint8Array {
  const active = new Uint8Array(m.size);
  for (const lane of lanes) active[lane] = 1;
  return active;
}

/**
 * Copies `count` registers from the lane that `source` returns, or poison if that lane is inactive
 * or does not exist.
 */
function gather(count: number, register: number, from: number, source: (m: Machine, lane: number) => number): Work {
  return (m, lanes) => {
    const active = activity(m, lanes);
    for (const lane of lanes) {
      const other = source(m, lane);
      const readable = active[other] === 1;
      for (let i = 0; i < count; i++) {
        m.registers[(register + i) * m.size + lane] = readable
          ? at(m.registers, (from + i) * m.size + other)
          : poison(lane);
      }
    }
  };
}

const word = (m: Machine, register: number, lane: number): number => at(m.registers, register * m.size + lane);

/**
 * Returns a shuffle builtin. `uniform` states whether the second operand must be uniform, as deltas
 * and masks must, but not the lane number of `subgroupShuffle`.
 */
function shuffle(uniform: boolean, source: (lane: number, amount: number) => number): Builtin {
  return (env, args, node, hint) => {
    const value = data(env, args, node, hint);
    const second = operand(args, 1, node);
    const amount = uniform ? compileAs(env, second, u32) : concrete(env, second, 'u32');
    const name = elementOf(amount.type);
    if (name !== 'u32' && name !== 'i32') raise(node, `${node.name} expects an integer id`);
    return subgroup(env, node, value.type, [value, amount], (register, [from = 0, by = 0]) => {
      const move = gather(registersOf(value.type), register, from, (m, lane) => source(lane, word(m, by, lane)));
      return (m, lanes) => {
        if (uniform && !isUniform(m, lanes, by)) raise(node, `${node.name}: the second argument is not uniform`);
        move(m, lanes);
      };
    });
  };
}

const broadcast: Builtin = (env, args, node, hint) => {
  const value = data(env, args, node, hint);
  const id = concrete(env, operand(args, 1, node), 'u32');
  if (!id.constant) raise(node, 'subgroupBroadcast: the id is not a const-expression');
  return subgroup(env, node, value.type, [value, id], (register, [from = 0, by = 0]) =>
    gather(registersOf(value.type), register, from, (m, lane) => word(m, by, lane)),
  );
};

const broadcastFirst: Builtin = (env, args, node, hint) => {
  const value = data(env, args, node, hint);
  return subgroup(env, node, value.type, [value], (register, [from = 0]) => (m, lanes) => {
    const first = lanes[0] ?? 0;
    gather(registersOf(value.type), register, from, () => first)(m, lanes);
  });
};

const elect: Builtin = (env, _args, node) =>
  subgroup(env, node, bool, [], (register) => (m, lanes) => {
    for (const lane of lanes) m.registers[register * m.size + lane] = lane === lanes[0] ? 1 : 0;
  });

const ballot: Builtin = (env, args, node) => {
  const predicate = compileAs(env, operand(args, 0, node), bool);
  return subgroup(env, node, vector(4, 'u32'), [predicate], (register, [from = 0]) => (m, lanes) => {
    const words = new Uint32Array(4);
    for (const lane of lanes)
      if (word(m, from, lane) !== 0) words[lane >>> 5] = at(words, lane >>> 5) | (1 << (lane & 31));
    for (let i = 0; i < 4; i++) for (const lane of lanes) m.registers[(register + i) * m.size + lane] = at(words, i);
  });
};

function vote(decide: (m: Machine, lanes: Lanes, register: number) => boolean): Builtin {
  return (env, args, node) => {
    const predicate = compileAs(env, operand(args, 0, node), bool);
    return subgroup(env, node, bool, [predicate], (register, [from = 0]) => (m, lanes) => {
      const answer = decide(m, lanes, from) ? 1 : 0;
      for (const lane of lanes) m.registers[register * m.size + lane] = answer;
    });
  };
}

interface Reduction {
  readonly identity: Readonly<Partial<Record<ScalarName, number>>>;
  readonly operation: Readonly<Partial<Record<ScalarName, Operation | undefined>>>;
}

const tables = binaryOperators;
const smaller = (a: number, b: number): number => toBits(Math.min(toFloat(a), toFloat(b)));
const larger = (a: number, b: number): number => toBits(Math.max(toFloat(a), toFloat(b)));

const reductions: Readonly<Record<string, Reduction>> = {
  Add: {
    identity: { u32: 0, i32: 0, f32: 0 },
    operation: { u32: tables.u32['+'], i32: tables.i32['+'], f32: tables.f32['+'] },
  },
  Mul: {
    identity: { u32: 1, i32: 1, f32: toBits(1) },
    operation: { u32: tables.u32['*'], i32: tables.i32['*'], f32: tables.f32['*'] },
  },
  Min: {
    identity: { u32: 0xffffffff, i32: 0x7fffffff, f32: toBits(Infinity) },
    operation: { u32: (a, b) => Math.min(a, b), i32: (a, b) => Math.min(a | 0, b | 0), f32: smaller },
  },
  Max: {
    identity: { u32: 0, i32: 0x80000000, f32: toBits(-Infinity) },
    operation: { u32: (a, b) => Math.max(a, b), i32: (a, b) => Math.max(a | 0, b | 0), f32: larger },
  },
  And: { identity: { u32: 0xffffffff, i32: 0xffffffff }, operation: { u32: (a, b) => a & b, i32: (a, b) => a & b } },
  Or: { identity: { u32: 0, i32: 0 }, operation: { u32: (a, b) => a | b, i32: (a, b) => a | b } },
  Xor: { identity: { u32: 0, i32: 0 }, operation: { u32: (a, b) => a ^ b, i32: (a, b) => a ^ b } },
};

/**
 * Reduces over the active lanes in ascending order. Each lane receives the total, its inclusive
 * prefix or its exclusive prefix.
 */
function reduce(reduction: Reduction, scan: 'whole' | 'inclusive' | 'exclusive'): Builtin {
  return (env, args, node, hint) => {
    const value = data(env, args, node, hint);
    const name = elementOf(value.type);
    const kind = name === 'abstract' || name === undefined ? 'u32' : name;
    const operation = reduction.operation[kind];
    const identity = reduction.identity[kind];
    if (operation === undefined || identity === undefined) {
      return raise(node, `${node.name} does not take ${typeName(value.type)}`);
    }
    return subgroup(env, node, value.type, [value], (register, [from = 0]) => (m, lanes) => {
      for (let i = 0; i < registersOf(value.type); i++) {
        const target = (register + i) * m.size;
        let total = identity;
        for (const lane of lanes) {
          const next = operation(total, word(m, from + i, lane), 0, 0) >>> 0;
          m.registers[target + lane] = scan === 'exclusive' ? total : next;
          total = next;
        }
        if (scan === 'whole') for (const lane of lanes) m.registers[target + lane] = total;
      }
    });
  };
}

const scans = (['Add', 'Mul'] as const).flatMap((name) => {
  const reduction = reductions[name] ?? { identity: {}, operation: {} };
  return [
    [`subgroupInclusive${name}`, reduce(reduction, 'inclusive')],
    [`subgroupExclusive${name}`, reduce(reduction, 'exclusive')],
  ] as const;
});

export const subgroupBuiltins: readonly (readonly [string, Builtin])[] = [
  ['subgroupShuffle', shuffle(false, (_, id) => id)],
  ['subgroupShuffleXor', shuffle(true, (lane, mask) => (lane ^ mask) >>> 0)],
  ['subgroupShuffleUp', shuffle(true, (lane, delta) => lane - delta)],
  ['subgroupShuffleDown', shuffle(true, (lane, delta) => lane + delta)],
  ['subgroupBroadcast', broadcast],
  ['subgroupBroadcastFirst', broadcastFirst],
  ['subgroupElect', elect],
  ['subgroupBallot', ballot],
  ['subgroupAny', vote((m, lanes, from) => lanes.some((lane) => word(m, from, lane) !== 0))],
  ['subgroupAll', vote((m, lanes, from) => lanes.every((lane) => word(m, from, lane) !== 0))],
  ...Object.entries(reductions).map(([name, each]) => [`subgroup${name}`, reduce(each, 'whole')] as const),
  ...scans,
];
