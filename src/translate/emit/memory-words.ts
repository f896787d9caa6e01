// Memories as WGSL: which words an address means, and how a word is read and written.
import type { AddressOperand, Instruction, Operand, Register } from '../../ptx/ast.ts';
import { asU32, bare, low, u32 } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { add, mul, sub } from '../../wgsl/ops.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import type { Target } from '../find-buffers.ts';
import { bitsOf } from '../operand-types.ts';
import { readOperand } from './operands.ts';
import type { Scope } from './scope.ts';

/// One memory as arrays of words.
export interface Memory {
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

export function memoryOf(scope: Scope, target: Exclude<Target, 'param' | 'generic'>): Memory {
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
export function byteAddress(
  scope: Scope,
  address: AddressOperand,
  target: Target,
  space: string | undefined,
): ByteAddress {
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
  const word = lowWord(scope, base);
  if (address.index) return indexedAddress(scope, word, address.index, offset);
  if (word.constant !== undefined) {
    const constant = (Number(word.constant) + offset) >>> 0;
    return { code: `${constant}u`, type: 'u32', constant: BigInt(constant) };
  }
  const full = withOffset(word.code);
  const generic = space === undefined && (target === 'shared' || target === 'local');
  if (generic) return { code: `(${full.code} & 0x7ffffffu)`, type: 'u32' };
  const near = (target === 'shared' || target === 'local') && offset !== 0 && offset % 4 === 0;
  return near ? { ...full, words: { base: word.code, offset: offset / 4 } } : full;
}

function lowWord(scope: Scope, register: Register): Expr {
  const held = readOperand(scope, registerOperand(register), bitsOf(register.type) === 64 ? 'b64' : 'b32');
  return held.type === 'vec2<u32>' ? low(held) : asU32(held);
}

/// From a buffer's start, the words say it without the bytes.
function indexedAddress(
  scope: Scope,
  base: Expr,
  { register, scale }: NonNullable<AddressOperand['index']>,
  offset: number,
): ByteAddress {
  const index = lowWord(scope, register);
  const bytes = moved(add(base, mul(index, u32(scale))), offset);
  return base.constant === 0n && bytes.constant === undefined ? { ...bytes, indexed: { index, scale, offset } } : bytes;
}

const moved = (at: Expr, by: number): Expr => (by < 0 ? sub(at, u32(-by)) : add(at, u32(by)));

/// A byte address in a memory below 2 GiB whose offset is whole words: the index is the base's plus a constant, so that accesses
/// around one base share its shift. The shift is arithmetic, since a base may lie below the memory it is offset into.
export interface ByteAddress extends Expr {
  readonly words?: { readonly base: string; readonly offset: number };
  /// `index` times `scale`, plus `offset`: multiples of 4, both.
  readonly indexed?: { readonly index: Expr; readonly scale: number; readonly offset: number };
}

/// The address under a name, unless parts of it say where its words are.
export const namedAddress = (scope: Scope, address: ByteAddress): ByteAddress =>
  address.indexed ? address : scope.name(address);

/// How many `unit`s of bytes lie before the place `by` bytes behind an address that is made of them.
function unitsOf({ index, scale, offset }: NonNullable<ByteAddress['indexed']>, unit: number, by: number): Expr {
  return moved(mul(index, u32(scale / unit)), (offset + by) / unit);
}

const registerOperand = (register: Register): Operand => ({
  kind: 'register',
  register,
  negated: false,
  span: register.span,
});

export const indexOf = (address: ByteAddress, word = 0): string => {
  if (address.indexed) return bare(unitsOf(address.indexed, 4, word * 4).code);
  if (address.words) {
    const offset = address.words.offset + word;
    return `u32((bitcast<i32>(${address.words.base}) >> 2u) ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}i)`;
  }
  if (address.constant !== undefined) return `${Number(address.constant >> 2n) + word}u`;
  return word === 0 ? `${address.code} >> 2u` : `(${address.code} >> 2u) + ${word}u`;
};

export function loadWord(scope: Scope, memory: Memory, index: string): string {
  return memory.canBeAtomic && scope.options.atomics.has(memory.key)
    ? `atomicLoad(&${memory.word(index)})`
    : memory.word(index);
}

export function storeWord(scope: Scope, memory: Memory, index: string, value: string): string {
  return memory.canBeAtomic && scope.options.atomics.has(memory.key)
    ? `atomicStore(&${memory.word(index)}, ${value});`
    : `${memory.word(index)} = ${value};`;
}

/// Elements of the access: `.v2.u16` has two of 16 bits.
export const countOf = (instruction: Instruction): number => Number(instruction.mods.vec?.slice(1) ?? 1);

export const spaceOf = ({ row, mods }: Instruction): string | undefined =>
  row.name === 'ld.global.nc' ? 'global' : mods.space?.split('::')[0];

export const vectorType = (granule: Granule) => `vec${granule}<u32>`;

/// WGSL of the element that holds byte `offset` behind an address that is a multiple of the element's size.
export function elementIndex(address: ByteAddress, granule: Granule, offset: number): string {
  const bytes = granule * 4;
  if (address.indexed) {
    const isWhole = address.indexed.scale % bytes === 0 && address.indexed.offset % bytes === 0;
    if (isWhole) return bare(unitsOf(address.indexed, bytes, offset).code);
    return `${unitsOf(address.indexed, 4, offset).code} >> ${granule === 4 ? 2 : 1}u`;
  }
  if (address.constant !== undefined) return `${Math.floor((Number(address.constant) + offset) / bytes)}u`;
  const first = `${address.code} >> ${granule === 4 ? 4 : 3}u`;
  return offset === 0 ? first : `(${first}) + ${offset / bytes}u`;
}

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

/// Where an atomic operates: `&word` for WGSL's atomic functions.
export function atomicWord(scope: Scope, instruction: Instruction, address: AddressOperand, wordOffset = 0): string {
  const target = scope.options.buffers.targetOf(instruction, address);
  if (target === 'param' || target === 'local' || target === 'generic') {
    return refuse(translateDiagnostics.sharedAddressSpace('an atomic on a generic address'), address.span);
  }
  const at = byteAddress(scope, address, target, spaceOf(instruction));
  return `&${memoryOf(scope, target).word(indexOf(at, wordOffset))}`;
}
