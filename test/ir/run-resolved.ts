// Executes IR whose memory is resolved, before or after its accesses are legal. The threads of one
// block run to their ends one after another. An access out of bounds is an error, although WGSL
// would contain it.

import type { Launch } from '../../src/base/launch.ts';
import type { Block, Edge, Func, Inst, InstNamed, Program, Value } from '../../src/translate/ir/nodes.ts';
import { operations } from '../../src/translate/ir/operations.ts';
import { type Type, widthOf } from '../../src/translate/ir/types.ts';
import { localWindow, sharedWindow } from '../../src/translate/layout.ts';
import type { MemoryPlan } from '../../src/translate/memory-plan.ts';

type Access = InstNamed<'load' | 'store' | 'atomic'>;

/** Executes a launch. Returns the resulting bytes of each buffer parameter, by number. */
export function runResolved(program: Program, plan: MemoryPlan, launch: Launch): ReadonlyMap<number, Uint8Array> {
  const state = new Machine(program, plan, launch);
  const [x, y, z] = launch.block;
  for (let k = 0; k < z; k++)
    for (let j = 0; j < y; j++) for (let i = 0; i < x; i++) state.thread([i, j, k], launch.block);
  return state.outputs();
}

class Machine {
  private readonly program: Program;
  private readonly plan: MemoryPlan;
  private readonly functions: ReadonlyMap<string, Func>;
  private readonly buffers = new Map<number, Uint8Array>();
  private readonly inHeap = new Map<number, { readonly start: number; readonly bytes: number }>();
  private readonly params: readonly Uint8Array[];
  private readonly heap: Uint8Array;
  private readonly arrays: Uint8Array[];
  private specials = new Map<string, number>();
  private steps = 0;

  constructor(program: Program, plan: MemoryPlan, { params }: Launch) {
    this.program = program;
    this.plan = plan;
    this.functions = new Map(program.functions.map((func) => [func.name, func]));
    const heap: number[] = [...plan.heapImage];
    this.params = params.map((param, number) => {
      if (param.kind !== 'buffer') return littleEndian(BigInt(param.kind === 'scalar' ? param.value : 0), 8);
      const contents = new Uint8Array(param.bytes);
      contents.set(param.data ?? []);
      if (plan.buffers.has(number)) {
        this.buffers.set(number, contents);
        return new Uint8Array(8);
      }
      const start = heap.length;
      heap.push(...contents);
      while (heap.length % 256 !== 0) heap.push(0);
      this.inHeap.set(number, { start, bytes: param.bytes });
      return littleEndian(BigInt(start), 8);
    });
    this.heap = Uint8Array.from(heap);
    this.arrays = plan.arrays.map(({ words }) => new Uint8Array(words * 4));
  }

  outputs(): ReadonlyMap<number, Uint8Array> {
    const outputs = new Map(this.buffers);
    for (const [number, { start, bytes }] of this.inHeap) outputs.set(number, this.heap.slice(start, start + bytes));
    return outputs;
  }

  thread([i, j, k]: readonly [number, number, number], [x, y, z]: readonly [number, number, number]): void {
    this.specials = new Map([
      ['%tid.x', i], ['%tid.y', j], ['%tid.z', k], ['%ntid.x', x], ['%ntid.y', y], ['%ntid.z', z],
      ['%ctaid.x', 0], ['%ctaid.y', 0], ['%ctaid.z', 0], ['%laneid', (i + x * (j + y * k)) % 32],
    ]); // biome-ignore format: a table
    this.plan.arrays.forEach(({ space, words }, index) => {
      if (space === 'local') this.arrays[index] = new Uint8Array(words * 4);
    });
    this.run(this.program.kernel, []);
  }

  private run(func: Func, args: readonly bigint[]): readonly bigint[] {
    const held = new Map<Value, bigint>();
    const read = (value: Value): bigint => {
      if (value.kind === 'constant') return value.bits;
      if (value.kind === 'undef') return 0n;
      const bits = held.get(value);
      if (bits === undefined) throw new Error(`${value.hint} is read before it is computed`);
      return bits;
    };
    let block: Block | undefined = func.blocks[0];
    for (const [index, param] of (block?.params ?? []).entries()) held.set(param, args[index] ?? 0n);
    while (block !== undefined) {
      for (const inst of block.insts) this.execute(inst, held, read);
      const { end }: Block = block;
      if (end.kind === 'return') return end.values.map(read);
      let edge: Edge | undefined;
      if (end.kind === 'jump') edge = end.to;
      else if (end.kind === 'branch') edge = read(end.condition) === 1n ? end.then : end.else;
      else if (end.kind === 'switch') edge = end.edges[Number(read(end.selector))] ?? end.edges.at(-1);
      const values: readonly bigint[] = edge?.args.map(read) ?? [];
      for (const [index, param] of (edge?.to.params ?? []).entries()) held.set(param, values[index] ?? 0n);
      block = edge?.to;
    }
    return [];
  }

  private execute(inst: Inst, held: Map<Value, bigint>, read: (value: Value) => bigint): void {
    this.steps += 1;
    if (this.steps > 2_000_000) throw new Error('too many steps');
    const isSkipped = inst.when !== undefined && read(inst.when) === 0n;
    const values = isSkipped ? inst.otherwise.map(read) : this.compute(inst, inst.args.map(read));
    inst.results.forEach((result, index) => {
      const value = values[index];
      if (value === undefined) throw new Error(`${inst.op} gives too little`);
      held.set(result, value);
    });
  }

  private compute(inst: Inst, args: readonly bigint[]): readonly bigint[] {
    switch (inst.op) {
      case 'load':
      case 'store':
      case 'atomic':
        return this.access(inst, args);
      case 'special':
        return [BigInt(this.specials.get(inst.attrs.name) ?? 0)];
      case 'call': {
        const callee = this.functions.get(inst.attrs.callee);
        if (callee === undefined) throw new Error(`no function ${inst.attrs.callee}`);
        return this.run(callee, args);
      }
      default: {
        const types = inst.args.map(({ type }) => type);
        const bits = operations[inst.op].fold?.(args, types, inst.attrs as never);
        if (bits === undefined) throw new Error(`${inst.op} is not evaluated`);
        return bits;
      }
    }
  }

  private access(inst: Access, args: readonly bigint[]): readonly bigint[] {
    const { place, type } = inst.attrs;
    const values = place.indexed ? args.slice(1) : args;
    // An index is a 32-bit number. WGSL adds whole units to it.
    const index = place.indexed ? (args[0] ?? 0n) : 0n;
    const units = BigInt.asUintN(32, index + BigInt(Math.floor(place.offset / place.unit)));
    const rest = place.offset - Math.floor(place.offset / place.unit) * place.unit;
    const [memory, start] = this.memoryAt(inst, Number(units) * place.unit + rest);
    const bytes = widthOf(type) / 8;
    const count = inst.op === 'atomic' ? 1 : inst.attrs.count;
    if (start < 0 || start + bytes * count > memory.length)
      throw new Error(`${inst.op} at ${start} of ${memory.length}`);
    if (inst.op === 'load')
      return Array.from({ length: count }, (_, element) => get(memory, start + element * bytes, type));
    if (inst.op === 'store') {
      for (const [element, value] of values.entries()) put(memory, start + element * bytes, type, value);
      return [];
    }
    const [operand = 0n] = values;
    const old = get(memory, start, type);
    const updates = {
      add: old + operand,
      and: old & operand,
      or: old | operand,
      xor: old ^ operand,
      exch: operand,
    } as const;
    const { op } = inst.attrs;
    if (op !== 'add' && op !== 'and' && op !== 'or' && op !== 'xor' && op !== 'exch')
      throw new Error(`${op} is not evaluated`);
    put(memory, start, type, BigInt.asUintN(widthOf(type), updates[op]));
    return inst.attrs.result ? [old] : [];
  }

  private memoryAt({ attrs: { place } }: Access, at: number): readonly [Uint8Array, number] {
    const { root } = place;
    const none = new Uint8Array(0);
    switch (root.kind) {
      case 'buffer':
        return [this.buffers.get(root.param) ?? none, at];
      case 'param':
        return [this.params[root.param] ?? none, at];
      case 'array':
        return [this.arrays[root.array] ?? none, at];
      case 'heap':
        return [this.heap, at];
      case 'generic': {
        if (at < sharedWindow) return [this.heap, at];
        const [space, window] =
          at < localWindow ? (['shared', sharedWindow] as const) : (['local', localWindow] as const);
        return [this.arrays[this.plan.arrays.findIndex((array) => array.space === space)] ?? none, at - window];
      }
      default:
        throw new Error(`an access by ${root.kind}`);
    }
  }
}

const littleEndian = (value: bigint, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));

function get(bytes: Uint8Array, start: number, type: Type): bigint {
  let value = 0n;
  for (let index = widthOf(type) / 8 - 1; index >= 0; index--)
    value = (value << 8n) | BigInt(bytes[start + index] ?? 0);
  return value;
}

function put(bytes: Uint8Array, start: number, type: Type, value: bigint): void {
  for (let index = 0; index < widthOf(type) / 8; index++)
    bytes[start + index] = Number((value >> BigInt(8 * index)) & 0xffn);
}
