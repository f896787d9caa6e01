// Loads.
import type { PtxType } from '../../isa/index.ts';
import type { AddressOperand, Instruction } from '../../ptx/ast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import type { Target } from '../find-buffers.ts';
import { bitsOf } from '../operand-types.ts';
import { genericLoad } from './memory-generic.ts';
import {
  accessWords,
  addressOperand,
  type ByteAddress,
  byteAddress,
  countOf,
  elementIndex,
  indexOf,
  loadWord,
  type Memory,
  memoryOf,
  namedAddress,
  spaceOf,
} from './memory-words.ts';
import { immediate, writeResult } from './operands.ts';
import { paramMember } from './params.ts';
import type { Scope } from './scope.ts';

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
    const words: Words = { load: genericLoad(scope) };
    const at = scope.name(where);
    return Array.from({ length: count }, (_, element) => loadElement(words, at, type, element));
  }
  const memory = memoryOf(scope, target);
  if (memory.granule > 1 && accessWords(instruction) >= memory.granule)
    return loadVectors(scope, memory, where, type, count);
  const words: Words = { load: (index) => loadWord(scope, memory, index) };
  const at =
    bitsOf(type) < 32 ? scope.name(where) : count > 1 || bitsOf(type) === 64 ? namedAddress(scope, where) : where;
  return Array.from({ length: count }, (_, element) => loadElement(words, at, type, element));
}

/// Loads whole elements, and takes them apart.
function loadVectors(scope: Scope, memory: Memory, where: ByteAddress, type: PtxType, count: number): readonly Expr[] {
  const bits = bitsOf(type);
  const { granule } = memory;
  const words = (count * bits) / 32;
  const at = words > granule ? namedAddress(scope, where) : where;
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

function loadElement(words: Words, at: ByteAddress, type: PtxType, element: number): Expr {
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
