// Which memory each access reaches. A pointer parameter whose addresses are only ever offset and dereferenced gets a binding of its own,
// and its address counts from 0 there. All other global memory (module variables, pointers that are compared, mixed or stored) shares one
// flat heap, where an address is a byte offset.
import type { AddressOperand, Instruction, Operand, Register, Variable } from '../ptx/ast.ts';
import { type Block, countDefinitions, isDestination } from './ir.ts';

/// Where an address may come from: a kernel parameter's value, a state space, or (loaded from memory) anywhere.
export type Root = { readonly param: string } | 'shared' | 'local' | 'heap' | 'constant-param' | 'unknown';

/// Memory an access reaches: a parameter's own buffer, the heap, shared, local or parameter memory, or (generic) whichever the address says.
export type Target = { readonly buffer: string } | 'heap' | 'shared' | 'local' | 'param' | 'generic';

export interface Buffers {
  /// Pointer parameters with a binding of their own.
  readonly bound: ReadonlySet<string>;
  /// Registers that hold the start of such a buffer and nothing else ever: address 0.
  readonly bases: ReadonlySet<string>;
  readonly targetOf: (instruction: Instruction, address: AddressOperand) => Target;
}

const rootKey = (root: Root) => (typeof root === 'string' ? root : `=${root.param}`);

type Roots = ReadonlyMap<string, Root>;
const none: Roots = new Map();

const spaceRoots: Readonly<Record<Variable['space'], Root>> = {
  global: 'heap',
  const: 'heap',
  shared: 'shared',
  local: 'local',
  param: 'constant-param',
};

/// How many buffers may have bindings of their own, by the adapter's limit: the heap and the status word have theirs.
export const bindingsFor = (maxStorageBuffers = 8): number => maxStorageBuffers - 2;

/// `limit`: how many buffers may have bindings of their own, in order of parameters.
export function findBuffers(blocks: readonly Block[], params: readonly Variable[], limit: number): Buffers {
  const pointers = new Map(
    params.filter((param) => !param.array && param.bytes === 8).map((param) => [param.name, param]),
  );
  const roots = new Map<string, Roots>();
  const of = (operand: Operand | undefined): Roots => rootsOf(operand, roots);
  const add = (register: Register, more: Roots) => {
    const before = roots.get(register.name) ?? none;
    const after = new Map([...before, ...more]);
    if (after.size === before.size) return false;
    roots.set(register.name, after);
    return true;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const { code } of blocks) {
      for (const instruction of code) {
        const { d } = instruction.operands;
        if (d?.kind === 'register') changed = add(d.register, resultRoots(instruction, of, pointers)) || changed;
      }
    }
  }
  const mixed = new Set<string>();
  const mark = (set: Roots) => {
    for (const root of set.values()) if (typeof root !== 'string') mixed.add(root.param);
  };
  const dereferenced = new Set<string>();
  for (const { code } of blocks) {
    for (const instruction of code) {
      for (const set of escaping(instruction, of)) mark(set);
      for (const operand of Object.values(instruction.operands)) {
        if (operand.kind !== 'address') continue;
        const set = addressRoots(operand, roots);
        if (set.size > 1) mark(set);
        for (const root of set.values()) if (typeof root !== 'string') dereferenced.add(root.param);
      }
    }
  }
  const bound = new Set(
    [...pointers.keys()].filter((name) => dereferenced.has(name) && !mixed.has(name)).slice(0, limit),
  );
  return {
    bound,
    bases: basesOf(blocks, bound),
    targetOf: (instruction, address) => targetOf(instruction, address, roots, bound),
  };
}

function basesOf(blocks: readonly Block[], bound: ReadonlySet<string>): ReadonlySet<string> {
  const bases = new Set<string>();
  const definitions = countDefinitions(blocks);
  for (let before = -1; before !== bases.size; ) {
    before = bases.size;
    for (const { code } of blocks) {
      for (const { row, operands, guard } of code) {
        const { d, a } = operands;
        if (guard || d?.kind !== 'register' || definitions.get(d.register.name) !== 1) continue;
        const loaded =
          row.name === 'ld' && a?.kind === 'address' && a.base !== null && 'space' in a.base && bound.has(a.base.name);
        const copied = copies.has(row.name) && a?.kind === 'register' && bases.has(a.register.name);
        if (loaded || copied) bases.add(d.register.name);
      }
    }
  }
  return bases;
}

const copies = new Set(['mov', 'cvta', 'cvta.to', 'cvt']);

function targetOf(
  instruction: Instruction,
  address: AddressOperand,
  roots: ReadonlyMap<string, Roots>,
  bound: ReadonlySet<string>,
): Target {
  const space = instruction.row.name === 'ld.global.nc' ? 'global' : (instruction.mods.space ?? '').split('::')[0];
  if (space === 'shared' || space === 'local' || space === 'param') return space;
  if (space === 'const') return 'heap';
  const set = [...addressRoots(address, roots).values()];
  const [only] = set;
  if (set.length === 1 && only !== undefined && typeof only !== 'string' && bound.has(only.param))
    return { buffer: only.param };
  if (space === 'global') return 'heap';
  if (set.length === 1 && (only === 'shared' || only === 'local' || only === 'heap')) return only;
  if (set.length === 1 && only === 'constant-param') return 'param';
  if (set.length > 0 && set.every((root) => typeof root !== 'string' || root === 'heap')) return 'heap';
  return 'generic';
}

function addressRoots(address: AddressOperand, roots: ReadonlyMap<string, Roots>): Roots {
  if (address.base === null) return none;
  if ('space' in address.base) return one(spaceRoots[address.base.space]);
  return roots.get(address.base.name) ?? none;
}

const one = (root: Root): Roots => new Map([[rootKey(root), root]]);

function rootsOf(operand: Operand | undefined, roots: ReadonlyMap<string, Roots>): Roots {
  if (operand?.kind === 'register') return roots.get(operand.register.name) ?? none;
  if (operand?.kind === 'symbol') return one(spaceRoots[operand.variable.space]);
  if (operand?.kind === 'vector') return new Map(operand.elements.flatMap((element) => [...rootsOf(element, roots)]));
  return none;
}

const loads = new Set(['ld', 'ld.volatile', 'ld.global.nc', 'ldu']);
const joining = new Set(['mov', 'cvta', 'cvta.to', 'cvt', 'selp', 'and', 'or', 'min', 'max']);

function resultRoots(
  instruction: Instruction,
  of: (operand: Operand | undefined) => Roots,
  pointers: ReadonlyMap<string, Variable>,
): Roots {
  const { row, operands, mods } = instruction;
  const { a, b, c } = operands;
  if (loads.has(row.name)) {
    const base = a?.kind === 'address' ? a.base : null;
    if (base !== null && 'space' in base && base.space === 'param' && a?.kind === 'address' && a.offset === 0) {
      return pointers.has(base.name) ? one({ param: base.name }) : none;
    }
    return /64$/.test(mods.type ?? '') ? one('unknown') : none;
  }
  if (row.name === 'add' || row.name === 'sub')
    return row.name === 'sub' && same(of(a), of(b)) ? none : offset(of(a), of(b));
  if (row.name === 'mad' || row.name === 'mad.wide') return of(c);
  return joining.has(row.name) ? new Map([...of(a), ...of(b)]) : none;
}

/// A pointer plus an integer that was loaded from memory is still that pointer.
function offset(a: Roots, b: Roots): Roots {
  const strip = (set: Roots, other: Roots) =>
    set.size === 1 && set.has('unknown') && other.size > 0 && !other.has('unknown') ? none : set;
  return new Map([...strip(a, b), ...strip(b, a)]);
}

const same = (a: Roots, b: Roots) => a.size === 1 && b.size === 1 && [...a.keys()][0] === [...b.keys()][0];

/// Roots whose addresses are used as numbers: compared with others, stored, masked, passed on.
function escaping(instruction: Instruction, of: (operand: Operand | undefined) => Roots): readonly Roots[] {
  const { row, operands, mods } = instruction;
  const { a, b } = operands;
  if (row.name === 'mov' && operands.d?.kind !== 'vector' && a?.kind !== 'vector') return [];
  if (row.name === 'cvta' || row.name === 'cvta.to' || loads.has(row.name)) return [];
  if (row.name === 'cvt' && /32$/.test(mods.dtype ?? '') && /64$/.test(mods.atype ?? '')) return [];
  if (row.name === 'add' && (of(a).size === 0 || of(b).size === 0 || of(a).has('unknown') || of(b).has('unknown')))
    return [];
  if (row.name === 'sub' && (of(b).size === 0 || same(of(a), of(b)))) return [];
  if ((row.name === 'mad' || row.name === 'mad.wide') && of(a).size === 0 && of(b).size === 0) return [];
  if (row.name === 'setp' && ['eq', 'ne'].includes(mods.cmp ?? '') && same(of(a), of(b))) return [];
  return Object.entries(operands).flatMap(([name, operand]) =>
    isDestination(instruction, name) || operand.kind === 'address' ? [] : [of(operand)],
  );
}
