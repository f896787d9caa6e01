// Executes IR for a block of one thread: integer operations with their folds, and loads and stores
// in one memory. It does not use PTX.
import {
  type Block,
  type Edge,
  type Func,
  type Inst,
  isDefinition,
  type Program,
  type Value,
} from '../../src/translate/ir/nodes.ts';
import { operations } from '../../src/translate/ir/operations.ts';
import { type Type, widthOf } from '../../src/translate/ir/types.ts';

export interface Memory {
  /** The global memory. Addresses are offsets in this memory. */
  readonly bytes: Uint8Array;
  /** The bytes of each parameter, by number. */
  readonly params: readonly Uint8Array[];
}

/**
 * Runs the kernel to its end. Throws an error for operations that involve other lanes, and after
 * too many steps.
 */
export function evaluateKernel(program: Program, memory: Memory): void {
  const functions = new Map(program.functions.map((func) => [func.name, func]));
  new Evaluation(functions, memory).run(program.kernel, []);
}

class Evaluation {
  private readonly functions: ReadonlyMap<string, Func>;
  private readonly memory: Memory;
  private steps = 0;

  constructor(functions: ReadonlyMap<string, Func>, memory: Memory) {
    this.functions = functions;
    this.memory = memory;
  }

  run(func: Func, args: readonly bigint[]): readonly bigint[] {
    const held = new Map<Value, bigint>();
    const read = (value: Value): bigint => {
      if (value.kind === 'constant') return value.bits;
      // An undefined value becomes a conspicuous bit pattern, which shows in results that depend on
      // it.
      if (value.kind === 'undef') return BigInt.asUintN(widthOf(value.type), 0xdead_beef_dead_beefn);
      const bits = held.get(value);
      if (bits === undefined) throw new Error(`${value.hint} is read before it is computed`);
      return bits;
    };
    const [entry] = func.blocks;
    if (entry === undefined) throw new Error('no blocks');
    entry.params.forEach((param, index) => {
      held.set(param, args[index] ?? 0n);
    });
    let block: Block = entry;
    for (;;) {
      for (const inst of block.insts) this.execute(inst, held, read);
      const { end } = block;
      let edge: Edge;
      switch (end.kind) {
        case 'jump':
          edge = end.to;
          break;
        case 'branch':
          edge = read(end.condition) === 1n ? end.then : end.else;
          break;
        case 'switch': {
          const chosen = end.edges[Number(read(end.selector))] ?? end.edges.at(-1);
          if (chosen === undefined) throw new Error('a switch has edges');
          edge = chosen;
          break;
        }
        case 'return':
          return end.values.map(read);
        default:
          return [];
      }
      const values = edge.args.map(read);
      block = edge.to;
      block.params.forEach((param, index) => {
        held.set(param, values[index] ?? 0n);
      });
    }
  }

  private execute(inst: Inst, held: Map<Value, bigint>, read: (value: Value) => bigint): void {
    this.steps += 1;
    if (this.steps > 1_000_000) throw new Error('too many steps');
    const values =
      inst.when !== undefined && read(inst.when) === 0n ? inst.otherwise.map(read) : this.compute(inst, read);
    inst.results.forEach((result, index) => {
      const value = values[index];
      if (value === undefined || !isDefinition(result)) throw new Error(`${inst.op} gives too little`);
      held.set(result, value);
    });
  }

  private compute(inst: Inst, read: (value: Value) => bigint): readonly bigint[] {
    switch (inst.op) {
      case 'load': {
        const { place, type, count } = inst.attrs;
        const bytes = place.root.kind === 'param' ? this.memory.params[place.root.param] : this.memory.bytes;
        const start = place.offset + (place.indexed ? Number(inst.args.slice(0, 1).map(read)[0]) * place.unit : 0);
        return Array.from({ length: count }, (_, index) => load(bytes, start + (index * widthOf(type)) / 8, type));
      }
      case 'store': {
        const { place, type } = inst.attrs;
        const [index = 0n, ...values] = inst.args.map(read);
        values.forEach((value, element) => {
          store(this.memory.bytes, Number(index) + place.offset + (element * widthOf(type)) / 8, type, value);
        });
        return [];
      }
      case 'cvta':
        return inst.args.map(read);
      case 'special':
        return [0n];
      case 'call': {
        const callee = this.functions.get(inst.attrs.callee);
        if (callee === undefined) throw new Error(`no function ${inst.attrs.callee}`);
        return this.run(callee, inst.args.map(read));
      }
      default: {
        const fold = operations[inst.op].fold;
        const types = inst.args.map(({ type }) => type);
        const bits = fold?.(inst.args.map(read), types, inst.attrs as never);
        if (bits === undefined) throw new Error(`${inst.op} is not evaluated`);
        return bits;
      }
    }
  }
}

function load(bytes: Uint8Array | undefined, start: number, type: Type): bigint {
  let value = 0n;
  for (let index = widthOf(type) / 8 - 1; index >= 0; index--)
    value = (value << 8n) | BigInt(bytes?.[start + index] ?? 0);
  return value;
}

function store(bytes: Uint8Array, start: number, type: Type, value: bigint): void {
  for (let index = 0; index < widthOf(type) / 8; index++)
    bytes[start + index] = Number((value >> BigInt(8 * index)) & 0xffn);
}
