// Loads, stores and atomics on words of bindings, workgroup memory and local arrays.
import type { PtxType } from '../../isa/index.ts';
import type { AddressOperand, Instruction, Operand, Register } from '../../ptx/ast.ts';
import { asU32, high, low } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import type { Target } from '../find-buffers.ts';
import { localWindow, sharedWindow } from '../layout.ts';
import { bitsOf, immediate, readOperand, writeResult } from './operands.ts';
import { paramMember } from './params.ts';
import type { Scope } from './scope.ts';

/// One memory as arrays of words.
interface Memory {
  /// Key in `uses.memories` and `uses.atomics`.
  readonly key: string;
  readonly word: (index: string) => string;
  readonly canBeAtomic: boolean;
  /// Words of an element: memories that vector accesses reach are arrays of vectors.
  readonly granule: Granule;
  /// A whole element.
  readonly element: (index: string) => string;
}

/// Words of an element of a memory.
export type Granule = 1 | 2 | 4;

function memoryOf(scope: Scope, target: Exclude<Target, 'param' | 'generic'>): Memory {
  const key = typeof target === 'string' ? target : target.buffer;
  scope.uses.memories.add(key);
  if (target === 'local') {
    const slot = scope.options.slots > 1 ? '[s]' : '';
    const element = (index: string) => `local_memory${slot}[${index}]`;
    return { key, word: element, canBeAtomic: false, granule: 1, element };
  }
  const name = target === 'shared' ? 'shared_memory' : target === 'heap' ? 'heap' : scope.options.names.of(`=${key}`);
  const granule = granuleOf(scope, key);
  const element = (index: string) => `${name}[${index}]`;
  return {
    key,
    word: granule === 1 ? element : (index) => wordOfVector(name, index, granule),
    canBeAtomic: true,
    granule,
    element,
  };
}

function granuleOf(scope: Scope, key: string): Granule {
  return scope.options.atomics.has(key) ? 1 : (scope.options.granules.get(key) ?? 1);
}

function wordOfVector(name: string, index: string, granule: Granule): string {
  if (/^\d+u$/.test(index)) {
    const word = Number.parseInt(index, 10);
    return `${name}[${Math.floor(word / granule)}u].${'xyzw'[word % granule]}`;
  }
  return `${name}[(${index}) >> ${granule === 4 ? 2 : 1}u][(${index}) & ${granule - 1}u]`;
}

/// Words that one access of an instruction touches together, as far as a vector reaches.
export function accessWords(instruction: Instruction): Granule {
  const bits = bitsOf(instruction.mods.type ?? 'b32');
  if (bits < 32) return 1;
  const words = (countOf(instruction) * bits) / 32;
  return words >= 4 ? 4 : words >= 2 ? 2 : 1;
}

/// The byte address, as u32, without the window of a generic shared or local address.
function byteAddress(scope: Scope, address: AddressOperand, target: Target, space: string | undefined): Expr {
  const { base, offset } = address;
  const withOffset = (code: string): Expr =>
    offset === 0
      ? { code, type: 'u32' }
      : { code: `(${code} ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}u)`, type: 'u32' };
  if (base === null) return { code: `${offset >>> 0}u`, type: 'u32', constant: BigInt(offset >>> 0) };
  if ('space' in base) {
    const constant = scope.options.layout.offsetOf(base) + offset;
    return { code: `${constant}u`, type: 'u32', constant: BigInt(constant) };
  }
  const held = readOperand(scope, registerOperand(base), bitsOf(base.type) === 64 ? 'b64' : 'b32');
  const word = held.type === 'vec2<u32>' ? low(held) : asU32(held);
  if (word.constant !== undefined) {
    const constant = (Number(word.constant) + offset) >>> 0;
    return { code: `${constant}u`, type: 'u32', constant: BigInt(constant) };
  }
  const full = withOffset(word.code);
  const generic = space === undefined && (target === 'shared' || target === 'local');
  return generic ? { code: `(${full.code} & 0x7ffffffu)`, type: 'u32' } : full;
}

const registerOperand = (register: Register): Operand => ({
  kind: 'register',
  register,
  negated: false,
  span: register.span,
});

const indexOf = (address: Expr, word = 0): string => {
  if (address.constant !== undefined) return `${Number(address.constant >> 2n) + word}u`;
  return word === 0 ? `${address.code} >> 2u` : `(${address.code} >> 2u) + ${word}u`;
};

function loadWord(scope: Scope, memory: Memory, index: string): string {
  return memory.canBeAtomic && scope.options.atomics.has(memory.key)
    ? `atomicLoad(&${memory.word(index)})`
    : memory.word(index);
}

function storeWord(scope: Scope, memory: Memory, index: string, value: string): string {
  return memory.canBeAtomic && scope.options.atomics.has(memory.key)
    ? `atomicStore(&${memory.word(index)}, ${value});`
    : `${memory.word(index)} = ${value};`;
}

/// Elements of the access: `.v2.u16` has two of 16 bits.
const countOf = (instruction: Instruction): number => Number(instruction.mods.vec?.slice(1) ?? 1);

const spaceOf = ({ row, mods }: Instruction): string | undefined =>
  row.name === 'ld.global.nc' ? 'global' : mods.space?.split('::')[0];

/// Memories an instruction needs atomic elements for: atomics, ordered accesses, and stores of less than a word, which must not lose
/// a neighbour's bytes.
export function atomicMemory(instruction: Instruction, target: Target): readonly string[] {
  const { row, mods } = instruction;
  const subword = row.name.startsWith('st') && bitsOf(mods.type ?? 'b32') < 32;
  if (row.kind !== 'atomic' && !row.name.endsWith('.volatile') && !subword) return [];
  if (target === 'generic') return ['shared', 'heap'];
  if (target === 'param' || target === 'local') return [];
  return [typeof target === 'string' ? target : target.buffer];
}

export function addressOperand(instruction: Instruction): AddressOperand | undefined {
  const { a } = instruction.operands;
  return a?.kind === 'address' ? a : undefined;
}

export function emitLoad(scope: Scope, instruction: Instruction): void {
  const { operands, mods } = instruction;
  const address = addressOperand(instruction);
  const { d } = operands;
  if (address === undefined || d === undefined) return;
  const type = (mods.type ?? 'b32') as PtxType;
  const destinations = d.kind === 'vector' ? d.elements : [d];
  const target = scope.options.buffers.targetOf(instruction, address);
  const values =
    target === 'param'
      ? loadParam(scope, address, type, countOf(instruction))
      : loadValues(scope, instruction, address, target, type);
  // A destination may be the address of the elements still to load.
  const named = values.length > 1 && target !== 'param' ? values.map((value) => scope.name(value)) : values;
  destinations.forEach((destination, index) => {
    const value = named[index];
    if (destination.kind === 'register' && value) writeResult(scope, destination.register, value, type);
  });
}

function loadValues(
  scope: Scope,
  instruction: Instruction,
  address: AddressOperand,
  target: Exclude<Target, 'param'>,
  type: PtxType,
): readonly Expr[] {
  const where = byteAddress(scope, address, target, spaceOf(instruction));
  const count = countOf(instruction);
  if (target === 'generic') {
    declareGeneric(scope);
    const words: Words = { load: (index) => `load_generic(${index}, ${slotOf(scope)})` };
    const at = scope.name(where);
    return Array.from({ length: count }, (_, element) => loadElement(words, at, type, element));
  }
  const memory = memoryOf(scope, target);
  if (memory.granule > 1 && accessWords(instruction) >= memory.granule)
    return loadVectors(scope, memory, where, type, count);
  const words: Words = { load: (index) => loadWord(scope, memory, index) };
  const at = count > 1 || bitsOf(type) < 32 || bitsOf(type) === 64 ? scope.name(where) : where;
  return Array.from({ length: count }, (_, element) => loadElement(words, at, type, element));
}

const vectorType = (granule: Granule) => `vec${granule}<u32>`;

/// WGSL of the element that holds byte `offset` behind an address that is a multiple of the element's size.
function elementIndex(address: Expr, granule: Granule, offset: number): string {
  const bytes = granule * 4;
  if (address.constant !== undefined) return `${Math.floor((Number(address.constant) + offset) / bytes)}u`;
  const first = `${address.code} >> ${granule === 4 ? 4 : 3}u`;
  return offset === 0 ? first : `(${first}) + ${offset / bytes}u`;
}

/// Loads whole elements, and takes them apart.
function loadVectors(scope: Scope, memory: Memory, where: Expr, type: PtxType, count: number): readonly Expr[] {
  const bits = bitsOf(type);
  const { granule } = memory;
  const words = (count * bits) / 32;
  const at = words > granule ? scope.name(where) : where;
  const names = Array.from({ length: words / granule }, (_, index) => {
    const name = scope.options.names.fresh('loaded');
    scope.out.line(`let ${name} = ${memory.element(elementIndex(at, granule, index * granule * 4))};`);
    return name;
  });
  const word = (index: number): Expr => ({
    code: `${names[Math.floor(index / granule)]}.${'xyzw'[index % granule]}`,
    type: 'u32',
  });
  return Array.from({ length: count }, (_, element): Expr => {
    if (bits === 32) return word(element);
    const [x, y] = [word(element * 2), word(element * 2 + 1)];
    return { code: `vec2<u32>(${x.code}, ${y.code})`, type: 'vec2<u32>' };
  });
}

interface Words {
  /// WGSL of the word at a word index.
  readonly load: (index: string) => string;
}

function loadElement(words: Words, at: Expr, type: PtxType, element: number): Expr {
  const bits = bitsOf(type);
  const offset = (element * bits) / 8;
  if (bits === 32) return { code: words.load(indexOf(at, offset / 4)), type: 'u32' };
  if (bits === 64) {
    const [x, y] = [words.load(indexOf(at, offset / 4)), words.load(indexOf(at, offset / 4 + 1))];
    return { code: `vec2<u32>(${x}, ${y})`, type: 'vec2<u32>' };
  }
  const byte = offset === 0 ? at.code : `(${at.code} + ${offset}u)`;
  const word = words.load(`${byte} >> 2u`);
  return { code: `((${word} >> ((${byte} & 3u) * 8u)) & ${bits === 8 ? '0xffu' : '0xffffu'})`, type: 'u32' };
}

function loadParam(scope: Scope, address: AddressOperand, type: PtxType, count: number): readonly Expr[] {
  const { base } = address;
  if (base === null || !('space' in base))
    return refuse(translateDiagnostics.notSupported('parameter memory at a computed address'), address.span);
  // A pointer that shares this register with others: its buffer's addresses start at 0.
  if (scope.options.buffers.bound.has(base.name)) return [immediate(scope, 0n, type)];
  const bits = bitsOf(type);
  const words: Words = { load: (index) => index };
  return Array.from({ length: count }, (_, element): Expr => {
    const offset = address.offset + (element * bits) / 8;
    const word = (at: number) => paramMember(scope, base, at);
    if (bits === 64) return { code: `vec2<u32>(${word(offset)}, ${word(offset + 4)})`, type: 'vec2<u32>' };
    if (bits === 32) return { code: words.load(word(offset)), type: 'u32' };
    const shift = (offset % 4) * 8;
    const whole = word(offset - (offset % 4));
    return { code: `((${whole} >> ${shift}u) & ${bits === 8 ? '0xffu' : '0xffffu'})`, type: 'u32' };
  });
}

export function emitStore(scope: Scope, instruction: Instruction): void {
  const { operands, mods } = instruction;
  const address = addressOperand(instruction);
  const { b } = operands;
  if (address === undefined || b === undefined) return;
  const type = (mods.type ?? 'b32') as PtxType;
  const target = scope.options.buffers.targetOf(instruction, address);
  if (target === 'param') return refuse(translateDiagnostics.notSupported('a store to parameter memory'), address.span);
  const sources = b.kind === 'vector' ? b.elements : [b];
  const where = byteAddress(scope, address, target, spaceOf(instruction));
  if (target !== 'generic') {
    const memory = memoryOf(scope, target);
    if (memory.granule > 1 && accessWords(instruction) >= memory.granule)
      return storeVectors(scope, memory, where, type, sources);
  }
  const single = sources.length === 1 && bitsOf(type) === 32;
  const at = single ? where : scope.name(where);
  sources.forEach((source, element) => {
    const value = readOperand(scope, source, type);
    storeElement(scope, target, at, type, element, value);
  });
}

function storeVectors(scope: Scope, memory: Memory, where: Expr, type: PtxType, sources: readonly Operand[]): void {
  const { granule } = memory;
  const words = sources.flatMap((source): string[] => {
    const value = readOperand(scope, source, type);
    if (bitsOf(type) === 32) return [unparenthesized(asU32(value).code)];
    const pair = scope.name(value);
    return [low(pair).code, high(pair).code];
  });
  const at = words.length > granule ? scope.name(where) : where;
  for (let first = 0; first < words.length; first += granule) {
    const list = words.slice(first, first + granule).join(', ');
    scope.out.line(`${memory.element(elementIndex(at, granule, first * 4))} = ${vectorType(granule)}(${list});`);
  }
}

function storeElement(
  scope: Scope,
  target: Exclude<Target, 'param'>,
  at: Expr,
  type: PtxType,
  element: number,
  value: Expr,
): void {
  const bits = bitsOf(type);
  const offset = (element * bits) / 8;
  if (target === 'generic') return storeGeneric(scope, at, bits, offset, value);
  const memory = memoryOf(scope, target);
  if (bits === 64) {
    const pair = scope.name(value);
    scope.out.line(storeWord(scope, memory, indexOf(at, offset / 4), low(pair).code));
    scope.out.line(storeWord(scope, memory, indexOf(at, offset / 4 + 1), high(pair).code));
  } else if (bits === 32) {
    scope.out.line(storeWord(scope, memory, indexOf(at, offset / 4), unparenthesized(asU32(value).code)));
  } else {
    const byte = offset === 0 ? at.code : `(${at.code} + ${offset}u)`;
    const mask = bits === 8 ? '0xffu' : '0xffffu';
    const word = memory.word(`${byte} >> 2u`);
    const shift = `((${byte} & 3u) * 8u)`;
    const kept = `~(${mask} << ${shift})`;
    const set = `((${asU32(value).code} & ${mask}) << ${shift})`;
    if (memory.canBeAtomic) {
      scope.out.line(`atomicAnd(&${word}, ${kept});`);
      scope.out.line(`atomicOr(&${word}, ${set});`);
    } else {
      scope.out.line(`${word} = (${word} & ${kept}) | ${set};`);
    }
  }
}

const unparenthesized = (code: string): string => (/^\([^()]*\)$/.test(code) ? code.slice(1, -1) : code);

/// A generic address whose memory is not known: its window says. Local memory is a private variable, so functions see it.
function declareGeneric(scope: Scope): void {
  const [heap, shared, local] = (['heap', 'shared', 'local'] as const).map((target) => memoryOf(scope, target));
  if (heap === undefined || shared === undefined || local === undefined) return;
  const windows = { shared: wordWindow(sharedWindow), local: wordWindow(localWindow) };
  const inside = 'index & 0x1ffffffu';
  scope.uses.declarations.set(
    'load_generic',
    `// A word at a generic address: local and shared memory have windows at the top, global memory lies below.
fn load_generic(index: u32, s: u32) -> u32 {
  if (index >= ${windows.local}) { return ${loadWord(scope, local, inside)}; }
  if (index >= ${windows.shared}) { return ${loadWord(scope, shared, inside)}; }
  return ${loadWord(scope, heap, 'index')};
}

fn store_generic(index: u32, mask: u32, value: u32, s: u32) {
  if (index >= ${windows.local}) {
    ${local.word(inside)} = (${local.word(inside)} & ~mask) | value;
  } else if (index >= ${windows.shared}) {
    ${storeMasked(scope, shared, inside)}
  } else {
    ${storeMasked(scope, heap, 'index')}
  }
}`,
  );
}

const wordWindow = (window: number): string => `0x${(window >>> 2).toString(16)}u`;

function storeMasked(scope: Scope, memory: Memory, index: string): string {
  const word = memory.word(index);
  if (!scope.options.atomics.has(memory.key)) return `${word} = (${word} & ~mask) | value;`;
  return `if (mask == 0xffffffffu) { atomicStore(&${word}, value); } else { atomicAnd(&${word}, ~mask); atomicOr(&${word}, value); }`;
}

function storeGeneric(scope: Scope, at: Expr, bits: number, offset: number, value: Expr): void {
  declareGeneric(scope);
  const store = (index: string, mask: string, code: string) =>
    scope.out.line(`store_generic(${index}, ${mask}, ${code}, ${slotOf(scope)});`);
  if (bits === 64) {
    const pair = scope.name(value);
    store(indexOf(at, offset / 4), '0xffffffffu', low(pair).code);
    store(indexOf(at, offset / 4 + 1), '0xffffffffu', high(pair).code);
  } else if (bits === 32) {
    store(indexOf(at, offset / 4), '0xffffffffu', asU32(value).code);
  } else {
    const byte = offset === 0 ? at.code : `(${at.code} + ${offset}u)`;
    const mask = bits === 8 ? '0xffu' : '0xffffu';
    const shift = `((${byte} & 3u) * 8u)`;
    store(`${byte} >> 2u`, `${mask} << ${shift}`, `(${asU32(value).code} & ${mask}) << ${shift}`);
  }
}

const slotOf = (scope: Scope): string => (scope.options.slots > 1 ? 's' : '0u');

/// cvta and cvta.to: global memory's addresses are generic already; the others have windows.
export function emitAddressConversion(scope: Scope, instruction: Instruction): void {
  const { operands, mods, row } = instruction;
  const { d, a } = operands;
  if (d?.kind !== 'register' || a === undefined) return;
  const type = (mods.type ?? 'u64') as PtxType;
  const space = mods.space?.split('::')[0];
  const window = space === 'shared' ? sharedWindow : space === 'local' ? localWindow : 0;
  const value = readOperand(scope, a, type);
  if (window === 0) return writeResult(scope, d.register, value, type);
  const word = value.type === 'vec2<u32>' ? low(value) : asU32(value);
  const code =
    row.name === 'cvta.to'
      ? `(${word.code} - 0x${window.toString(16)}u)`
      : `(${word.code} + 0x${window.toString(16)}u)`;
  writeResult(scope, d.register, { code, type: 'u32' }, 'u32');
}

export function emitIsSpace(scope: Scope, instruction: Instruction): void {
  const { operands, mods } = instruction;
  const { p, a } = operands;
  if (p?.kind !== 'register' || a === undefined) return;
  const value = readOperand(scope, a, a.kind === 'register' ? a.register.type : 'b64');
  const word = value.type === 'vec2<u32>' ? low(value).code : asU32(value).code;
  const shared = `0x${sharedWindow.toString(16)}u`;
  const local = `0x${localWindow.toString(16)}u`;
  const space = mods.space?.split('::')[0] ?? '';
  const test: Readonly<Record<string, string>> = {
    shared: `${word} >= ${shared} && ${word} < ${local}`,
    local: `${word} >= ${local}`,
    global: `${word} < ${shared}`,
  };
  scope.write(p.register, test[space] ?? 'false');
}

/// Where an atomic operates: `&word` for WGSL's atomic functions.
export function atomicWord(scope: Scope, instruction: Instruction, address: AddressOperand, wordOffset = 0): string {
  const target = scope.options.buffers.targetOf(instruction, address);
  if (target === 'param' || target === 'local' || target === 'generic') {
    return refuse(translateDiagnostics.sharedAddressSpace('an atomic on a generic address'), address.span);
  }
  const at = byteAddress(scope, address, target, spaceOf(instruction));
  return `&${memoryOf(scope, target).word(indexOf(at, wordOffset))}`;
}
