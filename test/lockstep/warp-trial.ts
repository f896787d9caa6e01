// A shader with a single warp instruction, lowered for a lane plan. A buffer holds the operands of
// each lane.
import { exchangesInWorkgroup, type LanePlan } from '../../src/base/lane-plan.ts';
import { allWorkarounds } from '../../src/base/workarounds.ts';
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
import { runWgsl } from '../wgsl-interpreter/index.ts';

type Width = 'pred' | 'word' | 'float' | 'double';

/** An operand's value in each lane: a known constant, or a word per lane in a buffer. */
export interface Source {
  readonly width: Width;
  readonly words: readonly bigint[];
  readonly known: boolean;
  readonly shared?: true;
  readonly namesGuarded?: true;
}

export interface Trial {
  readonly row: WarpRowName;
  readonly mods: Mods;
  readonly sources: Readonly<Record<string, Source>>;
  /** The mask of the active lanes. Undefined if the compiler knows that all lanes are active. */
  readonly active: number | undefined;
  /** The mask of the active lanes whose results are needed; undefined if all are needed. */
  readonly guard?: number;
}

/** Returns a value for each lane of a warp. */
export const lanes = <T>(of: (lane: number) => T): T[] => Array.from({ length: 32 }, (_, lane) => of(lane));

const types: Readonly<Record<Width, ScalarType>> = { pred: 'bool', word: 'u32', float: 'f32', double: 'u32' };
const input = w.ref(new Name('input'), w.array('u32'));
const output = w.ref(new Name('output'), w.array('u32'));

/**
 * The site of an instruction: a shader of one subgroup. If the subgroup has several warps, all of
 * them compute and write the same values.
 */
class TestSite implements WarpSite {
  readonly plan: LanePlan;
  readonly workarounds = allWorkarounds;
  readonly prelude: WarpPrelude;
  readonly active: ((slot: Expr) => Expr) | undefined;
  readonly guard: ((slot: Expr) => Expr) | undefined;
  readonly top: Stmt[] = [];
  private readonly variables: Declaration[] = [];
  stmts: Stmt[] = [];
  private readonly named = new Map<string, Expr>();
  private readonly subgroupLane = new Name('subgroup_lane');

  constructor(plan: LanePlan, activeAt: number | undefined, guardAt: number | undefined) {
    this.plan = plan;
    this.prelude = new WarpPrelude(plan, allWorkarounds, exchangesInWorkgroup(plan) ? this.memory() : undefined);
    const isSet = (at: number) => (slot: Expr) => w.ne(this.word(at, slot), w.u32(0));
    if (activeAt !== undefined) this.active = isSet(activeAt);
    if (guardAt !== undefined) this.guard = isSet(guardAt);
  }

  /** Returns a lane's word in row `row` of the warp's input; a row has 32 words. */
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

  /** Returns the exchange memory of a workgroup that is one warp. */
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

/** Returns the results of all lanes by destination, for one plan. */
export function execute(
  plan: LanePlan,
  { row, mods, sources, active, guard }: Trial,
): Readonly<Record<string, readonly number[]>> {
  const rows: (readonly bigint[])[] = [];
  const add = (words: readonly bigint[]): number => rows.push(words) - 1;
  const addMask = (mask: number | undefined) =>
    mask === undefined ? undefined : add(lanes((lane) => BigInt((mask >>> lane) & 1)));
  const site = new TestSite(plan, addMask(active), addMask(guard));
  const args = Object.values(sources).flatMap(({ width, words, known, shared, namesGuarded }): WarpValue[] => {
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
      return { type, at, ...(shared ? { shared } : {}), ...(namesGuarded ? { namesGuarded } : {}) };
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
