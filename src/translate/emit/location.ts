// Where an access goes, as WGSL.
import type { AddressOperand, ArrayPlace, Instruction, Operand, Register } from '../../ptx/ast.ts';
import { asU32, bare, low, u32 } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { add, mul, sub } from '../../wgsl/ops.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import { type Granule, isSubword } from '../memory-access.ts';
import { bitsOf } from '../operand-types.ts';
import { arrayMemory, bufferMemory, type Memory, wordAt } from './memory-words.ts';
import { readOperand } from './operands.ts';
import type { Scope } from './scope.ts';

/// A place in one memory.
export interface Location {
  readonly memory: Memory;
  /// References to the word that is `word` words further on, and to the element that has it.
  readonly word: (word: number) => string;
  readonly element: (word: number) => string;
  /// The word that has the byte `offset` bytes further on, and by how many bits the byte is shifted in it.
  readonly byte: (offset: number) => { readonly word: string; readonly shift: string };
}

/// `several`: whether the access asks for more than one word. Undefined for parameters and for addresses whose memory is not known.
export function locate(
  scope: Scope,
  instruction: Instruction,
  address: AddressOperand,
  several: boolean,
): Location | undefined {
  if (address.place) return placed(scope, address.place);
  const target = scope.options.buffers.targetOf(instruction, address);
  if (target !== 'heap' && typeof target === 'string') return undefined;
  const memory = bufferMemory(scope, target);
  const at = byteAddress(scope, address);
  const units = unitsIn(scope, address);
  if (units) return inUnits(memory, units, isSubword(instruction) ? scope.name(at) : at);
  return inBytes(memory, several ? scope.name(at) : at);
}

/// A place that `index` times `scale` and `offset` more bytes lie before: multiples of 4, both.
interface Units {
  readonly index: Expr;
  readonly scale: number;
  readonly offset: number;
}

/// From a buffer's start, an index says where a word is without the bytes.
function unitsIn(scope: Scope, { base, index, offset }: AddressOperand): Units | undefined {
  if (!index || base === null || 'space' in base || readWord(scope, base).constant !== 0n) return undefined;
  const held = readWord(scope, index.register);
  return held.constant === undefined ? { index: held, scale: index.scale, offset } : undefined;
}

function inUnits(memory: Memory, { index, scale, offset }: Units, at: Expr): Location {
  const units = (unit: number, by: number) => moved(mul(index, u32(scale / unit)), (offset + by) / unit);
  const { name, granule } = memory;
  const bytes = granule * 4;
  const whole = scale % bytes === 0 && offset % bytes === 0;
  const element = (words: number) =>
    whole ? bare(units(bytes, words * 4).code) : `${units(4, words * 4).code} >> ${granule === 4 ? 2 : 1}u`;
  return {
    memory,
    word: (words) => wordAt(memory, bare(units(4, words * 4).code)),
    element: (words) => `${name}[${element(words)}]`,
    byte: (by) => byteIn(memory, moved(at, by)),
  };
}

/// Where an atomic operates: `&word` for WGSL's atomic functions.
export function atomicWord(scope: Scope, instruction: Instruction, address: AddressOperand, word = 0): string {
  const location = locate(scope, instruction, address, false);
  if (!location?.memory.isShared) {
    return refuse(translateDiagnostics.sharedAddressSpace('an atomic on a generic address'), address.span);
  }
  return `&${location.word(word)}`;
}

/// The byte address, as u32.
export function byteAddress(scope: Scope, { base, index, offset }: AddressOperand): Expr {
  if (base === null) return u32(offset);
  if ('space' in base) return u32(scope.options.layout.offsetOf(base) + offset);
  const word = readWord(scope, base);
  return moved(index ? add(word, mul(readWord(scope, index.register), u32(index.scale))) : word, offset);
}

function readWord(scope: Scope, register: Register): Expr {
  const operand: Operand = { kind: 'register', register, negated: false, span: register.span };
  const held = readOperand(scope, operand, bitsOf(register.type) === 64 ? 'b64' : 'b32');
  return held.type === 'vec2<u32>' ? low(held) : asU32(held);
}

const moved = (at: Expr, by: number): Expr => (by < 0 ? sub(at, u32(-by)) : add(at, u32(by)));

function inBytes(memory: Memory, at: Expr): Location {
  return {
    memory,
    word: (word) => wordAt(memory, indexOf(at, word)),
    element: (word) => `${memory.name}[${elementIndex(at, memory.granule, word * 4)}]`,
    byte: (offset) => byteIn(memory, moved(at, offset)),
  };
}

function placed(scope: Scope, { array: key, base, unit, offset }: ArrayPlace): Location {
  const array = scope.options.layout.arrays.find((candidate) => candidate.key === key);
  if (array === undefined) throw new Error(`no array ${key}`);
  const memory = arrayMemory(scope, array);
  if (base === undefined) return inBytes(memory, u32(offset));
  const held = readWord(scope, base);
  if (unit === 1) return inBytes(memory, moved(held, offset));
  const { name, granule } = memory;
  const index = (units: number) => bare(moved(held, units).code);
  if (unit === 4) {
    const word = (words: number) => index(offset / 4 + words);
    const element = (words: number) =>
      granule === 1 ? word(words) : `${moved(held, offset / 4 + words).code} >> ${granule === 4 ? 2 : 1}u`;
    return {
      memory,
      word: (words) => wordAt(memory, word(words)),
      element: (words) => `${name}[${element(words)}]`,
      byte: () => noBytes(),
    };
  }
  // Whole vectors.
  const element = (words: number) => `${name}[${index(Math.floor((offset / 4 + words) / granule))}]`;
  return {
    memory,
    word: (words) => `${element(words)}.${'xyzw'[modulo(offset / 4 + words, granule)]}`,
    element,
    byte: () => noBytes(),
  };
}

const modulo = (a: number, b: number): number => ((a % b) + b) % b;

function noBytes(): never {
  throw new Error('a byte at a place of words');
}

function byteIn(memory: Memory, byte: Expr): { word: string; shift: string } {
  return { word: wordAt(memory, `${byte.code} >> 2u`), shift: `((${byte.code} & 3u) * 8u)` };
}

/// WGSL of the index of the word `word` words behind a byte address.
export const indexOf = (address: Expr, word = 0): string => {
  if (address.constant !== undefined) return `${Number(address.constant >> 2n) + word}u`;
  return word === 0 ? `${address.code} >> 2u` : `(${address.code} >> 2u) + ${word}u`;
};

/// WGSL of the element that holds byte `offset` behind an address that is a multiple of the element's size.
function elementIndex(address: Expr, granule: Granule, offset: number): string {
  const bytes = granule * 4;
  if (address.constant !== undefined) return `${Math.floor((Number(address.constant) + offset) / bytes)}u`;
  const first = `${address.code} >> ${granule === 4 ? 4 : 3}u`;
  return offset === 0 ? first : `(${first}) + ${offset / bytes}u`;
}
