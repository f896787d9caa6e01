// Each warp instruction written for each lane plan, executed by the lockstep interpreter, against the reference.
import { describe, expect, it } from 'vitest';
import { exchangesInWorkgroup, type LanePlan, planFor, portablePlan } from '../../src/base/lane-plan.ts';
import { warpFunctions } from '../../src/cpu-ref/warp/index.ts';
import { type Mods, type WarpRowName, warpRows } from '../../src/isa/index.ts';
import * as w from '../../src/wgsl/tree/build.ts';
import {
  type Declaration,
  type Expr,
  Name,
  type ScalarType,
  type Stmt,
  type WgslType,
} from '../../src/wgsl/tree/nodes.ts';
import { printShader } from '../../src/wgsl/tree/print.ts';
import {
  type ExchangeMemory,
  lowerWarp,
  WarpPrelude,
  type WarpSite,
  type WarpValue,
} from '../../src/wgsl/warp/index.ts';
import { isLong } from '../effort.ts';
import { runWgsl } from '../wgsl-interpreter/index.ts';

type Width = 'pred' | 'word' | 'float' | 'double';

/// What an operand holds in each lane: a constant that is known, or a word for each lane in a buffer.
interface Source {
  readonly width: Width;
  readonly words: readonly bigint[];
  readonly known: boolean;
  readonly shared?: boolean;
}

interface Trial {
  readonly row: WarpRowName;
  readonly mods: Mods;
  readonly sources: Readonly<Record<string, Source>>;
  /// Undefined: all lanes, known when it is written.
  readonly active: number | undefined;
}

const types: Readonly<Record<Width, ScalarType>> = { pred: 'bool', word: 'u32', float: 'f32', double: 'u32' };
const input = w.ref(new Name('input'), w.array('u32'));
const output = w.ref(new Name('output'), w.array('u32'));

/// Where an instruction is written: a shader of one subgroup. Where that is several warps, all of them do and write the same.
class TestSite implements WarpSite {
  readonly plan: LanePlan;
  readonly prelude: WarpPrelude;
  readonly active: ((slot: Expr) => Expr) | undefined;
  readonly top: Stmt[] = [];
  private readonly variables: Declaration[] = [];
  stmts: Stmt[] = [];
  private readonly named = new Map<string, Expr>();
  private readonly subgroupLane = new Name('subgroup_lane');

  constructor(plan: LanePlan, activeAt: number | undefined) {
    this.plan = plan;
    this.prelude = new WarpPrelude(plan, exchangesInWorkgroup(plan) ? this.memory() : undefined);
    if (activeAt !== undefined) this.active = (slot) => w.ne(this.word(activeAt, slot), w.u32(0));
  }

  /// The word of a lane in the `row`th 32 of the warp's input.
  word(row: number, slot: Expr): Expr {
    return w.index(input, w.add(w.u32(row * 32), this.lane(slot)));
  }

  lane(slot: Expr): Expr {
    const lane = w.ref(this.subgroupLane, 'u32');
    const { kind, subgroupSize } = this.plan;
    if (kind === 'portable') return exchangesInWorkgroup(this.plan) ? lane : slot;
    if (kind === 'narrow') return w.add(w.mul(slot, w.u32(subgroupSize)), lane);
    return kind === 'wide' ? w.and(lane, w.u32(31)) : lane;
  }

  /// The workgroup is one warp.
  private memory(): ExchangeMemory {
    const known = new Map<string, Expr>();
    const variable = (space: 'workgroup' | 'private', hint: string, type: WgslType): Expr => {
      const name = new Name(hint);
      const made = known.get(hint) ?? w.ref(name, type);
      if (!known.has(hint)) this.variables.push({ kind: 'variable', space, name, type });
      known.set(hint, made);
      return made;
    };
    const thread = () => w.ref(this.subgroupLane, 'u32');
    return {
      invocations: 32,
      thread,
      workgroup: (hint, type) => variable('workgroup', hint, type),
      own: (hint, start) => {
        const isNew = !known.has(hint);
        const own = variable('private', hint, 'u32');
        if (isNew) this.top.push(w.assign(own, start()));
        return own;
      },
    };
  }

  order(): void {
    this.push(w.perform(w.builtin('workgroupBarrier', 'u32')));
  }

  warpInSubgroup(): Expr {
    return w.shr(w.ref(this.subgroupLane, 'u32'), w.u32(5));
  }

  push(statement: Stmt): void {
    this.stmts.push(statement);
  }

  nest(body: () => void): readonly Stmt[] {
    const outside = this.stmts;
    this.stmts = [];
    body();
    const inside = this.stmts;
    this.stmts = outside;
    return inside;
  }

  eachSlot(body: (slot: Expr) => void): void {
    if (this.plan.slots === 1) return body(w.u32(0));
    const slot = new Name('s');
    const inside = this.nest(() => body(w.ref(slot, 'u32')));
    this.push(w.repeat(slot, this.plan.slots, inside));
  }

  atTop(key: string, hint: string, value: () => Expr): Expr {
    const known = this.named.get(key);
    if (known) return known;
    const name = new Name(hint);
    const made = value();
    this.top.push(w.define(name, made));
    const ref = w.ref(name, made.type);
    this.named.set(key, ref);
    return ref;
  }

  code(): string {
    const subgroups = this.plan.kind !== 'portable';
    const inOrder = exchangesInWorkgroup(this.plan);
    const builtin = inOrder ? 'local_invocation_index' : 'subgroup_invocation_id';
    return printShader({
      enables: subgroups ? ['subgroups'] : [],
      requires: [],
      diagnosticsOff: subgroups ? ['subgroup_uniformity'] : [],
      declarations: [
        ...[input, output].map(
          (memory, binding) =>
            ({
              kind: 'binding',
              group: 0,
              binding,
              name: nameOf(memory),
              space: binding === 0 ? 'storage, read' : 'storage, read_write',
              type: memory.type,
            }) as const,
        ),
        ...this.variables,
        ...this.prelude.declarations,
        {
          kind: 'function',
          name: new Name('main'),
          params: subgroups || inOrder ? [{ name: this.subgroupLane, type: 'u32', builtin }] : [],
          result: undefined,
          body: [...this.top, ...this.stmts],
          workgroupSize: [inOrder ? 32 : this.plan.subgroupSize],
        },
      ],
    }).code;
  }
}

function nameOf(expr: Expr): Name {
  if (expr.kind !== 'name') throw new Error('no name');
  return expr.name;
}

const asWord = (value: Expr): Expr => (value.type === 'bool' ? w.construct('u32', value) : w.bitcast('u32', value));

/// The results of all lanes by destination, for one plan.
function execute(plan: LanePlan, { row, mods, sources, active }: Trial): Readonly<Record<string, readonly number[]>> {
  const rows: (readonly bigint[])[] = [];
  const add = (words: readonly bigint[]): number => rows.push(words) - 1;
  const activeAt = active === undefined ? undefined : add(lanes((lane) => BigInt((active >>> lane) & 1)));
  const site = new TestSite(plan, activeAt);
  const args = Object.values(sources).flatMap(({ width, words, known, shared }): WarpValue[] => {
    const type = types[width];
    const halves =
      width === 'double' ? [words.map((word) => word & 0xffff_ffffn), words.map((word) => word >> 32n)] : [words];
    return halves.map((half) => {
      const [constant = 0n] = half;
      if (known) return { type, at: () => w.literal(type, constant), constant };
      const index = add(half);
      const at = (slot: Expr) => {
        const word = site.word(index, slot);
        return type === 'bool' ? w.ne(word, w.u32(0)) : w.bitcast(type, word);
      };
      return { type, at, ...(shared ? { shared: true } : {}) };
    });
  });
  const { writes } = warpRows.find(({ name }) => name === row) ?? { writes: [] };
  const results = lowerWarp(site, { row, mods, args, wanted: writes.map(() => true) });
  results.forEach((result, index) => {
    site.eachSlot((slot) => {
      const value = asWord(result?.at(slot) ?? w.u32(0xdead));
      site.push(w.assign(w.index(output, w.add(w.u32(index * 32), site.lane(slot))), value));
    });
  });
  const bytes = new Uint8Array(Uint32Array.from(rows.flat(), Number).buffer);
  const code = site.code();
  const size = Math.max(writes.length, 1) * 128;
  const { buffers } = runWgsl(
    {
      label: row,
      code,
      entryPoint: 'main',
      workgroups: [1, 1, 1],
      buffers: [
        {
          binding: 0,
          kind: 'read-only-storage',
          read: false,
          bytes: Math.max(bytes.length, 4),
          data: bytes.length > 0 ? bytes : new Uint8Array(4),
        },
        { binding: 1, kind: 'storage', bytes: size, data: new Uint8Array(size).fill(0xa5), read: true },
      ],
    },
    { subgroupSize: plan.subgroupSize, uniformSubgroups: true, races: () => true },
  );
  const words = new Uint32Array((buffers.get(1) ?? new Uint8Array()).slice().buffer);
  return Object.fromEntries(writes.map((name, index) => [name, [...words.slice(index * 32, index * 32 + 32)]]));
}

const plans: readonly LanePlan[] = [
  portablePlan('lane'),
  portablePlan('warp'),
  ...[4, 8, 16, 32, 64, 128].map((size) => planFor(size)),
];
let trials = 0;
let chosen = 0;

function check(trial: Trial): void {
  trials += 1;
  // An eighth of them, drawn so that none of the loops below is in step with it.
  if (!isLong && Math.imul(trials, 0x9e37_79b1) >>> 29 !== 0) return;
  const { row, mods, sources, active = 0xffff_ffff } = trial;
  const state = {
    active,
    exited: ~active >>> 0,
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, { width, words }]) => [name, width === 'double' ? words : words.map(Number)]),
    ),
  };
  const { results, defined } = warpFunctions[row](mods, state);
  chosen += 1;
  // One plan for each trial: each row comes to every plan many times.
  for (const plan of [plans[chosen % plans.length] ?? planFor(32)]) {
    const { kind, shape, subgroupSize } = plan;
    const size = shape ?? `${kind} ${subgroupSize}`;
    const got = execute(plan, trial);
    for (const [name, values] of Object.entries(got)) {
      const counts = lanes((lane) => (((defined[name] ?? 0) >>> lane) & 1) === 1);
      const masked = (all: readonly number[]) => all.map((value, lane) => (counts[lane] ? value : 'undefined'));
      const want = lanes((lane) => Number(results[name]?.[lane] ?? 0) >>> 0);
      expect({ size, name, values: masked(values) }).toEqual({ size, name, values: masked(want) });
    }
  }
}

const lanes = <T>(of: (lane: number) => T): T[] => Array.from({ length: 32 }, (_, lane) => of(lane));

/// A generator whose draws are the same each time.
function drawer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
}

const word = (of: (lane: number) => number, known = false): Source => ({
  width: 'word',
  words: lanes((lane) => BigInt(of(lane) >>> 0)),
  known,
});
const known = (value: number): Source => word(() => value, true);

const masks: readonly (number | undefined)[] = [
  undefined,
  0xffff_ffff,
  0x0000_ffff,
  0xff00_ff00,
  0x8000_0001,
  0x5555_5554,
  1,
];

/// Masks of members for lanes of `active`: known, the same for all, or one for each of some groups.
function memberMasks(active: number | undefined): readonly Source[] {
  const all = active ?? 0xffff_ffff;
  const parity = (lane: number) => (lane & 1 ? 0xaaaa_aaaa : 0x5555_5555);
  const grouped = (lane: number) => (lane < 9 ? 0x1ff : parity(lane) & ~0x1ff);
  return [
    known(all),
    { ...word(() => all), shared: true },
    word(() => all),
    word((lane) => parity(lane) & all),
    word((lane) => grouped(lane) & all),
    word((lane) => (1 << lane) & all),
  ];
}

describe('shuffles', () => {
  const draw = drawer(7);
  const operands: readonly (readonly [number, number])[] = [
    [1, 0x1f],
    [0, 0x1f],
    [16, 0x1f],
    [31, 0],
    [3, 0x101f],
    [2, 0x181f],
    [5, 0x1c03],
    [1, 0],
    [4, 0x1800],
    [0x25, 0x101f],
  ];
  for (const mode of ['up', 'down', 'bfly', 'idx']) {
    it.each(operands)(`${mode} by %i with 0x%x`, (b, c) => {
      const a = word(draw);
      for (const active of [undefined, 0xffff_ffff]) {
        const rest = { membermask: known(0xffff_ffff) };
        check({ row: 'shfl.sync', mods: { mode }, sources: { a, b: known(b), c: known(c), ...rest }, active });
        check({ row: 'shfl.sync', mods: { mode }, sources: { a, b: word(() => b), c: known(c), ...rest }, active });
        check({ row: 'shfl', mods: { mode }, sources: { a, b: word(() => b), c: word(() => c) }, active });
      }
    });
    it(`${mode} by operands of each lane`, () => {
      for (let round = 0; round < 4; round++) {
        const sources = { a: word(draw), b: word(draw), c: word(draw), membermask: known(0xffff_ffff) };
        check({ row: 'shfl.sync', mods: { mode }, sources, active: undefined });
        check({ row: 'shfl.sync', mods: { mode }, sources: { ...sources, c: known(0x1f) }, active: undefined });
      }
    });
  }
});

describe.each(masks.map((mask) => [mask?.toString(16) ?? 'all', mask] as const))('of lanes %s', (_, active) => {
  const draw = drawer((active ?? 3) >>> 0);
  const predicates = [
    () => 1,
    () => 0,
    (lane: number) => lane & 1,
    () => draw() & 1,
    (lane: number) => Number(lane === 0),
  ];
  const pred = (of: (lane: number) => number): Source => ({ ...word(of), width: 'pred' });
  const members = memberMasks(active);

  it.each(['any', 'all', 'uni'])('vote.%s', (mode) => {
    for (const of of predicates) {
      check({ row: 'vote', mods: { mode }, sources: { a: pred(of) }, active });
      for (const membermask of members)
        check({ row: 'vote.sync', mods: { mode }, sources: { a: pred(of), membermask }, active });
    }
  });

  it('ballots', () => {
    for (const of of predicates) {
      check({ row: 'vote.ballot', mods: {}, sources: { a: pred(of) }, active });
      for (const membermask of members)
        check({ row: 'vote.sync.ballot', mods: {}, sources: { a: pred(of), membermask }, active });
    }
    check({ row: 'activemask', mods: {}, sources: {}, active });
  });

  it('elections', () => {
    for (const membermask of members) check({ row: 'elect.sync', mods: {}, sources: { membermask }, active });
  });

  const values: readonly ((lane: number) => number)[] = [
    () => 7,
    (lane) => lane >> 2,
    () => draw() & 3,
    draw,
    (lane) => Number(lane === 5) << 31,
  ];
  it.each(['match.any.sync', 'match.all.sync'] as const)('%s', (row) => {
    for (const of of values) {
      for (const membermask of members) {
        check({ row, mods: { type: 'b32' }, sources: { a: word(of), membermask }, active });
        const wide: Source = {
          width: 'double',
          known: false,
          words: lanes((lane) => (BigInt(of(lane) >>> 0) << 32n) | BigInt(lane >> 3)),
        };
        check({ row, mods: { type: 'b64' }, sources: { a: wide, membermask }, active });
      }
    }
  });

  it.each([
    ['redux.sync', { op: 'add', type: 'u32' }],
    ['redux.sync', { op: 'add', type: 's32' }],
    ['redux.sync', { op: 'min', type: 'u32' }],
    ['redux.sync', { op: 'max', type: 'u32' }],
    ['redux.sync', { op: 'min', type: 's32' }],
    ['redux.sync', { op: 'max', type: 's32' }],
    ['redux.sync.bitwise', { op: 'and' }],
    ['redux.sync.bitwise', { op: 'or' }],
    ['redux.sync.bitwise', { op: 'xor' }],
  ] as const)('%s %o', (row, mods) => {
    for (const of of values)
      for (const membermask of members) check({ row, mods, sources: { a: word(of), membermask }, active });
  });

  const floats = [
    0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0xffc0_0000, 1, 0x8000_0001,
    0x7f7f_ffff,
  ];
  const mixes: readonly ((lane: number) => number)[] = [
    () => floats[draw() % floats.length] ?? 0,
    (lane) => (lane & 1 ? 0x8000_0000 : 0),
    () => 0x7fc0_0000,
    () => 0x4000_0000 + (draw() & 0xffff),
  ];
  it.each([
    { op: 'min' },
    { op: 'max' },
    { op: 'min', abs: 'abs' },
    { op: 'max', NaN: 'NaN' },
    { op: 'min', abs: 'abs', NaN: 'NaN' },
  ])('redux.f32 %o', (mods) => {
    for (const of of mixes) {
      const a: Source = { ...word(of), width: 'float' };
      for (const membermask of members)
        check({ row: 'redux.sync.f32', mods: { ...mods, type: 'f32' }, sources: { a, membermask }, active });
    }
  });
});
