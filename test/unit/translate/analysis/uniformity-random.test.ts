// Uniformity on random graphs of blocks: values that the analysis calls uniform are equal in all
// lanes of an execution.
import { describe, expect, it } from 'vitest';
import { controlGraph } from '../../../../src/translate/analysis/control-dependence.ts';
import { LaunchFacts } from '../../../../src/translate/analysis/launch-facts.ts';
import { everyLane, rank } from '../../../../src/translate/analysis/levels.ts';
import { analyzeUniformity } from '../../../../src/translate/analysis/uniformity.ts';
import { ValueLevels } from '../../../../src/translate/analysis/value-levels.ts';
import { Builder, Ids } from '../../../../src/translate/ir/builder.ts';
import {
  type Block,
  constant,
  type Definition,
  type Func,
  isDefinition,
  type Value,
} from '../../../../src/translate/ir/nodes.ts';
import { operations } from '../../../../src/translate/ir/operations.ts';
import { printFunc } from '../../../../src/translate/ir/print.ts';
import { cleanUp } from '../../../../src/translate/passes/clean-up.ts';
import { generator } from '../../../ir/random-graph.ts';

const block = [32, 1, 1] as const;
const registers = 4;

interface Shape {
  readonly kind: Func['kind'];
  /** Whether jumps respect the nesting of loops and arms. */
  readonly structured: boolean;
}

/**
 * Builds a function whose blocks have all registers as parameters. `%clock` has a different value
 * in each lane. The last result of a device function is whether it ended the thread.
 */
function randomFunc(seed: number, { kind, structured }: Shape): Func {
  const random = generator(seed);
  const ids = new Ids();
  const b = new Builder(ids);
  const count = 3 + random(9);
  const blocks = Array.from({ length: count }, () => {
    const made = b.block();
    for (let index = 0; index < registers; index++) b.param(made, 'i32', `%r${index}`);
    return made;
  });
  const entry = b.block();
  const given = Array.from({ length: registers }, (_, index) =>
    kind === 'function' ? b.param(entry, 'i32', `%u${index}`) : constant('i32', 5 * index + 1),
  );
  // The targets of a structured block's jumps: forward in the innermost loop, to its header, or
  // after it.
  const loops: { readonly from: number; readonly to: number }[] = [];
  for (let made = 0; made < 3; made++) {
    const [from, to] = [random(count), random(count)].sort((x, y) => x - y) as [number, number];
    if (
      loops.every(
        (other) =>
          to < other.from ||
          other.to < from ||
          (other.from <= from && to <= other.to) ||
          (from <= other.from && other.to <= to),
      )
    )
      loops.push({ from, to });
  }
  const targetOf = (at: number): number => {
    if (!structured) return random(count);
    const inside = loops.filter(({ from, to }) => from <= at && at <= to);
    const forwards = Math.min(at + 1 + random(3), count - 1);
    const entered = loops.some(({ from, to }) => from < forwards && forwards <= to && (at < from || at > to));
    const loop = inside[random(inside.length)];
    if (loop && random(2) === 0) return loop.from;
    return entered || forwards <= at ? at + 1 : forwards;
  };
  blocks.forEach((at, number) => {
    const values: Value[] = [...at.params];
    b.into(at.insts);
    const lane = (): Value => b.emit('special', { name: '%laneid', type: 'i32' }, [])[0] ?? any();
    const any = (): Value => values[random(registers)] ?? constant('i32', 1);
    for (let steps = random(3); steps > 0; steps--) {
      const kinds = [
        () => constant('i32', random(5)),
        () => constant('i32', random(5)),
        () => b.iadd(any(), constant('i32', 1 + random(3))),
        () => b.and(any(), constant('i32', 3)),
        () => b.select(b.icmp('ult', any(), any()), any(), any()),
        () => b.emit('special', { name: '%clock', type: 'i32' }, [])[0] ?? any(),
        // The thread's number in the grid, which determines the warp.
        () => b.iadd(b.imul(any(), constant('i32', 32)), lane()),
        () => b.lshrw(b.iadd(b.imul(any(), constant('i32', 32)), lane()), constant('i32', 5)),
        () => b.lshrw(any(), constant('i32', 5)),
      ];
      const result = kinds[random(kinds.length)]?.();
      if (result) values[random(registers)] = result;
    }
    if (kind === 'kernel' && random(3) === 0) b.emit('warp', { row: 'bar.warp.sync', mods: {} }, [constant('i32', -1)]);
    const edge = (to: number) => ({
      to: blocks[Math.min(to, count - 1)] ?? at,
      args: [...values],
    });
    const ways = random(6);
    if (number === count - 1 || ways === 0) {
      if (number === count - 1 || random(2) === 0) {
        at.end =
          kind === 'function' && random(3) > 0
            ? { kind: 'return', values: [any(), constant('i1', 0)], span: undefined }
            : { kind: 'exit', span: undefined };
        return;
      }
    }
    if (ways < 2) at.end = { kind: 'jump', to: edge(targetOf(number)), span: undefined };
    else if (ways === 5) {
      const selector = b.and(any(), constant('i32', 3));
      at.end = {
        kind: 'switch',
        selector,
        edges: [0, 1, 2].map(() => edge(targetOf(number))),
        span: undefined,
      };
    } else {
      const clock = () => b.emit('special', { name: '%clock', type: 'i32' }, [])[0] ?? any();
      const left = random(3) === 0 ? clock() : any();
      const condition = b.icmp(random(2) ? 'ult' : 'ne', left, constant('i32', random(12)));
      at.end = {
        kind: 'branch',
        condition,
        then: edge(targetOf(number)),
        else: edge(targetOf(number)),
        span: undefined,
      };
    }
  });
  const [first = entry] = blocks;
  entry.end = { kind: 'jump', to: { to: first, args: given }, span: undefined };
  const func: Func = {
    name: 'f',
    kind,
    results: kind === 'function' ? ['i32', 'i1'] : [],
    blocks: [entry, ...blocks],
  };
  if (random(2)) cleanUp(func, b);
  return func;
}

/**
 * The execution of one lane: the successive values of each definition, and how often each block
 * runs.
 */
interface Trace {
  readonly values: Map<Definition, bigint[]>;
  readonly visits: Map<Block, number>;
  /** Undefined if the function ended the thread. */
  readonly returned: bigint | undefined;
  /** Whether the function ended in few steps. */
  readonly ended: boolean;
}

function run(func: Func, lane: number): Trace {
  const values = new Map<Definition, bigint[]>();
  const visits = new Map<Block, number>();
  let clock = 0;
  const read = (value: Value): bigint => {
    if (value.kind === 'constant') return value.bits;
    return isDefinition(value) ? (values.get(value)?.at(-1) ?? 0n) : 0n;
  };
  const write = (value: Definition, bits: bigint) => {
    const list = values.get(value) ?? [];
    values.set(value, list);
    list.push(bits);
  };
  let [at] = func.blocks;
  at?.params.forEach((param, index) => {
    write(param, BigInt(3 * index + 2));
  });
  for (let step = 0; at !== undefined && step < 200; step++) {
    visits.set(at, (visits.get(at) ?? 0) + 1);
    for (const inst of at.insts) {
      if (inst.op === 'warp') continue;
      const bits = inst.args.map(read);
      const types = inst.args.map(({ type }) => type);
      clock += 1;
      const results =
        inst.op === 'special'
          ? [BigInt(inst.attrs.name === '%laneid' ? lane : (lane * 7 + clock) & 15)]
          : operations[inst.op].fold?.(bits, types, inst.attrs as never);
      inst.results.forEach((result, index) => {
        write(result, results?.[index] ?? 0n);
      });
    }
    const { end }: Block = at;
    if (end.kind === 'return') return { values, visits, returned: end.values.map(read)[0], ended: true };
    if (end.kind === 'exit' || end.kind === 'trap') return { values, visits, returned: undefined, ended: true };
    const edge =
      end.kind === 'jump'
        ? end.to
        : end.kind === 'branch'
          ? read(end.condition) === 1n
            ? end.then
            : end.else
          : (end.edges[Number(read(end.selector))] ?? end.edges.at(-1));
    if (edge === undefined) break;
    const bits = edge.args.map(read);
    edge.to.params.forEach((param, index) => {
      write(param, bits[index] ?? 0n);
    });
    at = edge.to;
  }
  return { values, visits, returned: undefined, ended: false };
}

// Eight lanes are enough to expose a dependence on the lane.
const lanes = Array.from({ length: 8 }, (_, lane) => lane);
const shapes: readonly (readonly [string, Shape, number])[] = [
  ['functions', { kind: 'function', structured: true }, 500],
  ['functions that jump anywhere', { kind: 'function', structured: false }, 250],
  ['kernels', { kind: 'kernel', structured: true }, 500],
  ['kernels that jump anywhere', { kind: 'kernel', structured: false }, 250],
];

describe.each(shapes)('in %s', (_, shape, count) => {
  it('uniform values are equal in all lanes, and lanes reach the same blocks', () => {
    let [same, blocks, endings] = [0, 0, 0];
    for (let seed = 1; seed <= count; seed++) {
      const func = randomFunc(seed, shape);
      const control = controlGraph(func);
      const values = new ValueLevels(
        func,
        control,
        new LaunchFacts(control, block),
        { mayBeLocal: () => false, mayChange: () => false },
        () => () => rank.divergent,
      );
      const levels = values.among(everyLane);
      const first = run(func, 0);
      if (!first.ended) continue;
      const others = lanes.slice(1).map((lane) => run(func, lane));
      if (!others.every(({ ended }) => ended)) continue;
      // Lanes that have left the core and do not return run fewer blocks than the others, so only
      // the common part of the lists is compared.
      const leave = control.departures.length > 0;
      const agree = <T>(a: readonly T[], b: readonly T[]) =>
        (leave || a.length === b.length) && a.every((value, index) => index >= b.length || b[index] === value);
      const check = (isTrue: boolean, what: () => string) => {
        if (!isTrue) throw new Error(`seed ${seed}: ${what()} is not the same\n${printFunc(func)}`);
      };
      if (func.kind === 'function' && levels.returned(0) >= rank.warp) {
        const results = [first, ...others].flatMap(({ returned }) => returned ?? []);
        check(new Set(results).size <= 1, () => 'the result');
      }
      if (func.kind === 'function' && levels.returned(1) >= rank.warp) {
        const [own, ...rest] = [first, ...others].map(({ returned }) => returned === undefined);
        if (others.some(({ returned }) => returned === undefined)) endings += 1;
        check(
          rest.every((other) => other === own),
          () => 'whether the lane ended',
        );
      }
      control.graph.blocks.forEach((at, number) => {
        if (!control.core[number] || levels.control(number) < rank.warp) return;
        blocks += 1;
        const visits = (trace: Trace) => Array.from({ length: trace.visits.get(at) ?? 0 }, () => 0);
        for (const other of others) check(agree(visits(first), visits(other)), () => `block ${at.id}`);
        for (const value of [...at.params, ...at.insts.flatMap(({ results }) => results)]) {
          if (levels.value(value) < rank.warp) continue;
          same += 1;
          const list = (trace: Trace) => trace.values.get(value) ?? [];
          for (const other of others) check(agree(list(first), list(other)), () => `value ${value.hint} ${value.id}`);
        }
      });
    }
    // The test is meaningful only if many values are uniform.
    expect(same).toBeGreaterThan(count);
    expect(blocks).toBeGreaterThan(count / 2);
    if (shape.kind === 'function') expect(endings).toBeGreaterThan(0);
  });
});

it('a kernel has an obstacle exactly if lanes diverge before the block of a warp instruction', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const func = randomFunc(seed, { kind: 'kernel', structured: true });
    const { obstacle } = analyzeUniformity({ kernel: func, functions: [] }, { arrays: [] }, block);
    const control = controlGraph(func);
    const levels = new ValueLevels(
      func,
      control,
      new LaunchFacts(control, block),
      { mayBeLocal: () => false, mayChange: () => false },
      () => () => rank.divergent,
    ).among(everyLane);
    const apart = control.graph.blocks.some(
      ({ insts }, number) => insts.some(({ op }) => op === 'warp') && levels.control(number) < rank.warp,
    );
    expect(obstacle !== undefined, `seed ${seed}`).toBe(apart);
  }
});
