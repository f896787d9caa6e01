// Loads.
import type { PtxType } from '../../isa/index.ts';
import type { AddressOperand, Instruction } from '../../ptx/ast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import { accessWords, addressOperand, countOf } from '../memory-access.ts';
import { bitsOf } from '../operand-types.ts';
import { type Location, locate } from './location.ts';
import { genericLoad } from './memory-generic.ts';
import { loadWord } from './memory-words.ts';
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
  const isParam = address.place === undefined && scope.options.buffers.targetOf(instruction, address) === 'param';
  const values = isParam
    ? loadParam(scope, address, type, countOf(instruction))
    : loadValues(scope, instruction, address, type);
  // A destination may be the address of the elements still to load.
  const named = values.length > 1 && !isParam ? values.map((value) => scope.name(value)) : values;
  destinations.forEach((destination, index) => {
    const value = named[index];
    if (destination.kind === 'register' && value) writeResult(scope, destination.register, value, type);
  });
}

function loadValues(scope: Scope, instruction: Instruction, address: AddressOperand, type: PtxType): readonly Expr[] {
  const count = countOf(instruction);
  const several = count > 1 || bitsOf(type) !== 32;
  const location = locate(scope, instruction, address, several);
  if (location === undefined) {
    const words = genericLoad(scope, address);
    return Array.from({ length: count }, (_, element) => loadElement(words, type, element));
  }
  const { granule } = location.memory;
  if (granule > 1 && accessWords(instruction) >= granule) return loadVectors(scope, location, type, count);
  const words: Words = {
    word: (word) => loadWord(location.memory, location.word(word)),
    byte: (offset) => {
      const { word, shift } = location.byte(offset);
      return { word: loadWord(location.memory, word), shift };
    },
  };
  return Array.from({ length: count }, (_, element) => loadElement(words, type, element));
}

/// Loads whole elements, and takes them apart.
function loadVectors(scope: Scope, location: Location, type: PtxType, count: number): readonly Expr[] {
  const bits = bitsOf(type);
  const { granule } = location.memory;
  const words = (count * bits) / 32;
  const names = Array.from({ length: words / granule }, (_, index) => {
    const name = scope.options.names.fresh('loaded');
    scope.out.line(`let ${name} = ${location.element(index * granule)};`);
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

/// WGSL of the values of words around an address.
export interface Words {
  readonly word: (word: number) => string;
  readonly byte: (offset: number) => { readonly word: string; readonly shift: string };
}

function loadElement(words: Words, type: PtxType, element: number): Expr {
  const bits = bitsOf(type);
  if (bits === 32) return { code: words.word(element), type: 'u32' };
  if (bits === 64) {
    const [x, y] = [words.word(element * 2), words.word(element * 2 + 1)];
    return { code: `vec2<u32>(${x}, ${y})`, type: 'vec2<u32>' };
  }
  const { word, shift } = words.byte((element * bits) / 8);
  return { code: `((${word} >> ${shift}) & ${bits === 8 ? '0xffu' : '0xffffu'})`, type: 'u32' };
}

function loadParam(scope: Scope, address: AddressOperand, type: PtxType, count: number): readonly Expr[] {
  const { base } = address;
  if (base === null || !('space' in base))
    return refuse(translateDiagnostics.notSupported('parameter memory at a computed address'), address.span);
  // A pointer that shares this register with others: its buffer's addresses start at 0.
  if (scope.options.buffers.bound.has(base.name)) return [immediate(scope, 0n, type)];
  const bits = bitsOf(type);
  return Array.from({ length: count }, (_, element): Expr => {
    const offset = address.offset + (element * bits) / 8;
    const word = (at: number) => paramMember(scope, base, at);
    if (bits === 64) return { code: `vec2<u32>(${word(offset)}, ${word(offset + 4)})`, type: 'vec2<u32>' };
    if (bits === 32) return { code: word(offset), type: 'u32' };
    const shift = (offset % 4) * 8;
    const whole = word(offset - (offset % 4));
    return { code: `((${whole} >> ${shift}u) & ${bits === 8 ? '0xffu' : '0xffffu'})`, type: 'u32' };
  });
}
