// Loads, stores, atomics, address conversions, fences and barriers.
import { InternalError, missing } from '../../base/invariants.ts';
import type { HintRowName, MemoryRowName, Mods, memoryRows } from '../../isa/index.ts';
import type { AddressOperand, Instruction, Operand } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { type AtomicOp, atomicOps, type MemoryScope, type Order, type Space } from '../ir/memory.ts';
import { constant, type Value } from '../ir/nodes.ts';
import type { BarrierKind } from '../ir/operations.ts';
import { type Type, widthOf } from '../ir/types.ts';
import { hintBuilds } from './hints.ts';
import { choice } from './lane/row.ts';
import { locate } from './locate.ts';
import { vectorLength } from './param-cells.ts';
import type { Registers } from './registers.ts';
import type { EffectRow } from './row-slots.ts';
import { isSigned, ptxType, typeOf } from './types.ts';

/** Rows that are neither lane instructions nor control flow. */
export type EffectRowName =
  | HintRowName
  | Exclude<MemoryRowName, Extract<(typeof memoryRows)[number], { readonly kind: 'control' }>['name']>;

const spaces: Readonly<Record<string, Space>> = {
  global: 'global',
  shared: 'shared',
  'shared::cta': 'shared',
  'shared::cluster': 'shared',
  local: 'local',
  const: 'const',
  param: 'param',
  'param::entry': 'param',
  'param::func': 'param',
};

export const spaceOf = ({ space }: Mods): Space => (space === undefined ? 'generic' : choice(spaces, space));

const orders: Readonly<Record<string, Order>> = {
  volatile: 'volatile',
  relaxed: 'relaxed',
  acquire: 'acquire',
  release: 'release',
  acq_rel: 'acq_rel',
  sc: 'sc',
};

const orderOf = ({ sem }: Mods, without: Order): Order => (sem === undefined ? without : choice(orders, sem));

const scopes: Readonly<Record<string, MemoryScope>> = {
  cta: 'cta',
  cluster: 'cluster',
  gpu: 'gpu',
  gl: 'gpu',
  sys: 'sys',
};

const scopeOf = (name: string | undefined): MemoryScope | undefined =>
  name === undefined ? undefined : choice(scopes, name);

/** Returns the address operand `a`. */
export function addressOf({ operands, span }: Instruction): AddressOperand {
  const { a } = operands;
  return a?.kind === 'address' ? a : refuse(compileDiagnostics.notSupported('an access without an address'), span);
}

/** Returns the elements of a vector, or the single operand. */
export const elementsOf = (operand: Operand | undefined): readonly (Operand | undefined)[] =>
  operand?.kind === 'vector' ? operand.elements : [operand];

const load: EffectRow = (mods) => {
  const ptx = ptxType(mods.type);
  const [type, signed, count] = [typeOf(ptx), isSigned(ptx), vectorLength(mods.vec)];
  const bytes = widthOf(type) / 8;
  const [space, order, scope] = [spaceOf(mods), orderOf(mods, 'weak'), scopeOf(mods.scope)];
  return (registers, instruction) => {
    const address = addressOf(instruction);
    const destinations = elementsOf(instruction.operands.d);
    const cells = address.base !== null && 'space' in address.base ? registers.cellsOf(address.base) : undefined;
    let values: readonly Value[];
    if (cells !== undefined && cells.memory === undefined) {
      values = destinations.map((_, index) => {
        return registers.convert(registers.readCell(cells, address.offset + index * bytes, bytes), type, false);
      });
    } else {
      const { place, index } = locate(registers, address, space);
      values = registers.b.emit('load', { place, type, order, scope, count }, index);
    }
    destinations.forEach((operand, index) => {
      const value = values[index];
      if (value) registers.write(operand, value, signed);
    });
  };
};

const store: EffectRow = (mods) => {
  const type = typeOf(ptxType(mods.type));
  const count = vectorLength(mods.vec);
  const bytes = widthOf(type) / 8;
  const [space, order, scope] = [spaceOf(mods), orderOf(mods, 'weak'), scopeOf(mods.scope)];
  return (registers, instruction) => {
    const address = addressOf(instruction);
    const values = elementsOf(instruction.operands.b).flatMap((operand) =>
      operand === undefined ? [] : [registers.read(operand, type)],
    );
    const cells = address.base !== null && 'space' in address.base ? registers.cellsOf(address.base) : undefined;
    if (cells !== undefined && cells.memory === undefined) {
      values.forEach((value, index) => {
        registers.writeCell(cells, address.offset + index * bytes, bytes, value);
      });
      return;
    }
    const { place, index } = locate(registers, address, space);
    registers.b.emit('store', { place, type, order, scope, count }, [...index, ...values]);
  };
};

const isAtomicOp = (name: string | undefined): name is AtomicOp => atomicOps.some((op) => op === name);

/**
 * Elements of an atomic that are updated one by one: those of a vector, and the halves of a pair.
 */
interface Elements {
  readonly type: Type;
  readonly signed: boolean;
  readonly packed: boolean;
  readonly bytes: number;
}

function elementsOfAtomic(mods: Mods): Elements {
  const ptx = ptxType(mods.type);
  const packed = ptx.endsWith('x2');
  const type = typeOf(packed ? ptxType(ptx.slice(0, -2)) : ptx);
  return { type, signed: isSigned(ptx), packed, bytes: widthOf(type) / 8 };
}

const atomic: EffectRow = (mods) => {
  // Absent: the rows of compare-and-swap have no `.op`.
  const op = mods.op ?? 'cas';
  if (!isAtomicOp(op)) throw new InternalError(`unknown atomic operation ${op}`);
  const { type, signed, packed, bytes } = elementsOfAtomic(mods);
  const noftz = type === 'f32' && mods.noftz !== undefined;
  const access = { type, order: orderOf(mods, 'relaxed'), scope: scopeOf(mods.scope), op, signed, noftz } as const;
  const space = spaceOf(mods);
  const size = packed ? 2 * bytes : bytes;
  return (registers, instruction) => {
    const { d, b, c } = instruction.operands;
    const { place, index } = locate(registers, addressOf(instruction), space);
    const destinations = elementsOf(d);
    const update = (offset: number, values: readonly Value[], result: boolean): Value | undefined => {
      const attrs = { ...access, place: { ...place, offset: place.offset + offset }, result };
      return registers.b.emit('atomic', attrs, [...index, ...values])[0];
    };
    elementsOf(b).forEach((operand, element) => {
      const destination = destinations[element];
      const result = destination?.kind === 'register';
      const at = element * size;
      if (operand === undefined) return;
      if (packed) {
        const pair = updatePair(registers, operand, type, (value, half) => update(at + half * bytes, [value], result));
        if (pair) registers.write(destination, pair, false);
        return;
      }
      const values = [operand, c].flatMap((source) => (source === undefined ? [] : [registers.read(source, type)]));
      const old = update(at, values, result);
      if (old) registers.write(destination, old, signed);
    });
  };
};

/** Updates both halves of a word. Returns the old halves together, if they are used. */
function updatePair(
  registers: Registers,
  operand: Operand,
  type: Type,
  update: (value: Value, half: 0 | 1) => Value | undefined,
): Value | undefined {
  const { b } = registers;
  const word = registers.read(operand, 'i32');
  const low = update(b.bitcast(b.resize(word, 'i16'), type), 0);
  const high = update(b.bitcast(b.resize(b.lshrw(word, b.i32(16)), 'i16'), type), 1);
  if (low === undefined || high === undefined) return undefined;
  const wide = (half: Value) => b.resize(b.bitcast(half, 'i16'), 'i32');
  return b.or(wide(low), b.shlw(wide(high), b.i32(16)));
}

const convertAddress =
  (direction: 'to-generic' | 'from-generic'): EffectRow =>
  (mods) => {
    const type: Type = typeOf(ptxType(mods.type));
    const space = spaceOf(mods);
    const attrs = { space: space === 'param' ? 'local' : space, direction } as const;
    return (registers, { operands, span }) => {
      const { d, a } = operands;
      if (a === undefined) return refuse(compileDiagnostics.notSupported('a conversion without an address'), span);
      registers.write(d, registers.b.value('cvta', attrs, [registers.read(a, type)]), false);
    };
  };

const fenceOf =
  (order: Order, scope: MemoryScope): ReturnType<EffectRow> =>
  (registers) => {
    registers.b.emit('fence', { order, scope }, []);
  };

const fence: EffectRow = (mods) => {
  const order = orderOf(mods, mods.level === undefined ? 'acq_rel' : 'sc');
  return fenceOf(order, scopeOf(mods.scope ?? mods.level) ?? missing('the scope of a fence'));
};

const proxyFence: EffectRow = () => fenceOf('relaxed', 'cta');

const barrier =
  (kindOf: (mods: Mods) => BarrierKind): EffectRow =>
  (mods, { sources, results }) => {
    const kind = kindOf(mods);
    const [result] = results;
    return (registers, { operands }) => {
      const args = sources.flatMap(({ name, type }) => {
        const operand = operands[name];
        return operand === undefined ? [] : [registers.read(operand, type)];
      });
      const d = result && operands[result.name];
      const { cluster } = registers.launch;
      const part = cluster && { blocks: cluster.blocks };
      const [value] = registers.b.emit('barrier', { ...part, kind, counted: operands.b !== undefined }, args);
      if (value) registers.write(d, value, false);
    };
  };

const reductions: Readonly<Record<string, BarrierKind>> = { and: 'red.and', or: 'red.or' };
const sync = barrier(() => 'sync');
const arrive = barrier(() => 'arrive');
const count = barrier(() => 'red.popc');
const reduce = barrier(({ op }) => choice(reductions, op));

export const effectRows: Readonly<Record<EffectRowName, EffectRow>> = {
  ...hintBuilds,
  ld: load,
  'ld.volatile': load,
  'ld.global.nc': (mods, slots) => load({ ...mods, space: 'global' }, slots),
  ldu: load,
  st: store,
  'st.volatile': store,
  prefetch: () => () => {},
  prefetchu: () => () => {},
  'prefetch.tensormap': () => () => {},
  // The bits of a policy are unspecified, because a policy is a hint.
  'createpolicy.fractional':
    () =>
    (registers, { operands }) =>
      registers.write(operands.d, constant('i64', 0n), false),
  cvta: convertAddress('to-generic'),
  'cvta.to': convertAddress('from-generic'),

  isspacep: (mods) => {
    const attrs = { space: spaceOf(mods) };
    const isOfBlock = attrs.space === 'shared' && mods.space !== 'shared::cluster';
    return (registers, { operands, span }) => {
      const { p, a } = operands;
      if (a === undefined) return refuse(compileDiagnostics.notSupported('a test without an address'), span);
      // Addresses have 32 or 64 bits.
      const address = a.kind === 'register' ? registers.readRegister(a.register) : registers.read(a, 'i64');
      const isThere = registers.b.value('isspacep', attrs, [address]);
      const { cluster } = registers.launch;
      const isOwn = isOfBlock && cluster?.isOwn(registers.b, address);
      registers.write(p, isOwn ? registers.b.and(isThere, isOwn) : isThere, false);
    };
  },

  atom: atomic,
  'atom.cas': atomic,
  red: atomic,
  membar: fence,
  fence,
  // These fences order accesses through different paths. WGSL has one path to each memory, so these
  // fences only keep the accesses of their thread in order.
  'fence.sync_restrict': proxyFence,
  'fence.mbarrier_init': proxyFence,
  'fence.proxy': proxyFence,
  'fence.proxy.tensormap.acquire': proxyFence,
  'fence.proxy.tensormap.release': proxyFence,
  'membar.proxy': proxyFence,
  'bar.sync': sync,
  'barrier.sync': sync,
  'bar.arrive': arrive,
  'barrier.arrive': arrive,
  'bar.red.popc': count,
  'bar.red': reduce,
  'barrier.red.popc': count,
  'barrier.red': reduce,
};
