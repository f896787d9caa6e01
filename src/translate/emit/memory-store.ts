// Stores.
import type { PtxType } from '../../isa/index.ts';
import type { Instruction, Operand } from '../../ptx/ast.ts';
import { asU32, high, low } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import { accessWords, addressOperand } from '../memory-access.ts';
import { bitsOf } from '../operand-types.ts';
import { byteAddress, type Location, locate } from './location.ts';
import { storeGeneric } from './memory-generic.ts';
import { storeWord, vectorType } from './memory-words.ts';
import { readOperand } from './operands.ts';
import type { Scope } from './scope.ts';

export function emitStore(scope: Scope, instruction: Instruction): void {
  const { operands, mods } = instruction;
  const address = addressOperand(instruction);
  const { b } = operands;
  if (address === undefined || b === undefined) return;
  const type = (mods.type ?? 'b32') as PtxType;
  const sources = b.kind === 'vector' ? b.elements : [b];
  const several = sources.length > 1 || bitsOf(type) !== 32;
  const location = locate(scope, instruction, address, several);
  if (location === undefined) {
    if (scope.options.buffers.targetOf(instruction, address) === 'param')
      refuse(translateDiagnostics.notSupported('a store to parameter memory'), address.span);
    const at = byteAddress(scope, address);
    const named = several ? scope.name(at) : at;
    sources.forEach((source, element) => {
      const offset = (element * bitsOf(type)) / 8;
      storeGeneric(scope, named, bitsOf(type), offset, readOperand(scope, source, type));
    });
    return;
  }
  const { granule } = location.memory;
  if (granule > 1 && accessWords(instruction) >= granule) return storeVectors(scope, location, type, sources);
  sources.forEach((source, element) => {
    storeElement(scope, location, type, element, readOperand(scope, source, type));
  });
}

function storeVectors(scope: Scope, location: Location, type: PtxType, sources: readonly Operand[]): void {
  const { granule } = location.memory;
  const words = sources.flatMap((source): string[] => {
    const value = readOperand(scope, source, type);
    if (bitsOf(type) === 32) return [unparenthesized(asU32(value).code)];
    const pair = scope.name(value);
    return [low(pair).code, high(pair).code];
  });
  for (let first = 0; first < words.length; first += granule) {
    const list = words.slice(first, first + granule).join(', ');
    scope.out.line(`${location.element(first)} = ${vectorType(granule)}(${list});`);
  }
}

function storeElement(scope: Scope, location: Location, type: PtxType, element: number, value: Expr): void {
  const { memory } = location;
  const bits = bitsOf(type);
  if (bits === 64) {
    const pair = scope.name(value);
    scope.out.line(storeWord(memory, location.word(element * 2), low(pair).code));
    scope.out.line(storeWord(memory, location.word(element * 2 + 1), high(pair).code));
  } else if (bits === 32) {
    scope.out.line(storeWord(memory, location.word(element), unparenthesized(asU32(value).code)));
  } else {
    const { word, shift } = location.byte((element * bits) / 8);
    const mask = bits === 8 ? '0xffu' : '0xffffu';
    const kept = `~(${mask} << ${shift})`;
    const set = `((${asU32(value).code} & ${mask}) << ${shift})`;
    if (memory.isShared) {
      scope.out.line(`atomicAnd(&${word}, ${kept});`);
      scope.out.line(`atomicOr(&${word}, ${set});`);
    } else {
      scope.out.line(`${word} = (${word} & ${kept}) | ${set};`);
    }
  }
}

const unparenthesized = (code: string): string => (/^\([^()]*\)$/.test(code) ? code.slice(1, -1) : code);
