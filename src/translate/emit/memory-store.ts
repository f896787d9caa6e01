// Stores.
import type { PtxType } from '../../isa/index.ts';
import type { Instruction, Operand } from '../../ptx/ast.ts';
import { asU32, high, low } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import type { Target } from '../find-buffers.ts';
import { bitsOf } from '../operand-types.ts';
import { storeGeneric } from './memory-generic.ts';
import {
  accessWords,
  addressOperand,
  type ByteAddress,
  byteAddress,
  elementIndex,
  indexOf,
  type Memory,
  memoryOf,
  namedAddress,
  spaceOf,
  storeWord,
  vectorType,
} from './memory-words.ts';
import { readOperand } from './operands.ts';
import type { Scope } from './scope.ts';

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
  const at = single ? where : bitsOf(type) < 32 ? scope.name(where) : namedAddress(scope, where);
  sources.forEach((source, element) => {
    const value = readOperand(scope, source, type);
    storeElement(scope, target, at, type, element, value);
  });
}

function storeVectors(
  scope: Scope,
  memory: Memory,
  where: ByteAddress,
  type: PtxType,
  sources: readonly Operand[],
): void {
  const { granule } = memory;
  const words = sources.flatMap((source): string[] => {
    const value = readOperand(scope, source, type);
    if (bitsOf(type) === 32) return [unparenthesized(asU32(value).code)];
    const pair = scope.name(value);
    return [low(pair).code, high(pair).code];
  });
  const at = words.length > granule ? namedAddress(scope, where) : where;
  for (let first = 0; first < words.length; first += granule) {
    const list = words.slice(first, first + granule).join(', ');
    scope.out.line(`${memory.element(elementIndex(at, granule, first * 4))} = ${vectorType(granule)}(${list});`);
  }
}

function storeElement(
  scope: Scope,
  target: Exclude<Target, 'param'>,
  at: ByteAddress,
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
