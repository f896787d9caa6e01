// Generic addresses whose memory is not known: their window says. And the conversions to and from them.
import type { PtxType } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import { asU32, high, low } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { localWindow, sharedWindow } from '../layout.ts';
import { indexOf, loadWord, type Memory, memoryOf } from './memory-words.ts';
import { readOperand, writeResult } from './operands.ts';
import type { Scope } from './scope.ts';

/// WGSL of the word at a generic word index.
export function genericLoad(scope: Scope): (index: string) => string {
  declareGeneric(scope);
  return (index) => `load_generic(${index}, ${slotOf(scope)})`;
}

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
