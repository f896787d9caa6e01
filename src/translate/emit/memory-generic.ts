// Generic addresses whose memory is not known: their window says. And the conversions to and from them.
import type { PtxType } from '../../isa/index.ts';
import type { AddressOperand, Instruction } from '../../ptx/ast.ts';
import { asU32, high, low } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { localWindow, type MemoryArray, sharedWindow, windowOf } from '../layout.ts';
import { byteAddress, indexOf } from './location.ts';
import type { Words } from './memory-load.ts';
import { arrayMemory, bufferMemory, loadWord, type Memory, wordAt } from './memory-words.ts';
import { readOperand, writeResult } from './operands.ts';
import type { Scope } from './scope.ts';

/// Words around a generic address.
export function genericLoad(scope: Scope, address: AddressOperand): Words {
  declareGeneric(scope);
  const at = scope.name(byteAddress(scope, address));
  const load = (index: string) => `load_generic(${index}, ${slotOf(scope)})`;
  return {
    word: (word) => load(indexOf(at, word)),
    byte: (offset) => {
      const byte = offset === 0 ? at.code : `(${at.code} + ${offset}u)`;
      return { word: load(`${byte} >> 2u`), shift: `((${byte} & 3u) * 8u)` };
    },
  };
}

/// A generic address whose memory is not known: its window says. Local memory is a private variable, so functions see it.
function declareGeneric(scope: Scope): void {
  const heap = bufferMemory(scope, 'heap');
  const [shared, local] = [spaceMemory(scope, 'shared'), spaceMemory(scope, 'local')];
  const windows = { shared: wordWindow(sharedWindow), local: wordWindow(localWindow) };
  const inside = 'index & 0x1ffffffu';
  const load = (memory: Memory, index: string) => loadWord(memory, wordAt(memory, index));
  scope.uses.declarations.set(
    'load_generic',
    `// A word at a generic address: local and shared memory have windows at the top, global memory lies below.
fn load_generic(index: u32, s: u32) -> u32 {
  if (index >= ${windows.local}) { return ${load(local, inside)}; }
  if (index >= ${windows.shared}) { return ${load(shared, inside)}; }
  return ${load(heap, 'index')};
}

fn store_generic(index: u32, mask: u32, value: u32, s: u32) {
  if (index >= ${windows.local}) {
    ${storeMasked(local, inside)}
  } else if (index >= ${windows.shared}) {
    ${storeMasked(shared, inside)}
  } else {
    ${storeMasked(heap, 'index')}
  }
}`,
  );
}

/// A space whose variables generic accesses may reach is one array.
function spaceMemory(scope: Scope, space: MemoryArray['space']): Memory {
  const array = scope.options.layout.arrays.find((candidate) => candidate.space === space);
  if (array === undefined) throw new Error(`no ${space} memory`);
  return arrayMemory(scope, array);
}

const wordWindow = (window: number): string => `0x${(window >>> 2).toString(16)}u`;

function storeMasked(memory: Memory, index: string): string {
  const word = wordAt(memory, index);
  if (!memory.isAtomic) return `${word} = (${word} & ~mask) | value;`;
  return `if (mask == 0xffffffffu) { atomicStore(&${word}, value); } else { atomicAnd(&${word}, ~mask); atomicOr(&${word}, value); }`;
}

export function storeGeneric(scope: Scope, at: Expr, bits: number, offset: number, value: Expr): void {
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
  const window = windowOf(mods.space);
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
