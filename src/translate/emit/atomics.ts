// Atomic read-modify-write. WGSL has it for 32-bit integers; the rest are compare-and-exchange loops or pairs of words.
import type { PtxType } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import { asU32, high, low } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { laneLowerings } from '../../wgsl/lane/index.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import { addressOperand } from '../memory-access.ts';
import { bitsOf } from '../operand-types.ts';
import { atomicWord } from './location.ts';
import { readOperand, writeResult } from './operands.ts';
import type { Scope } from './scope.ts';

/// WGSL's own functions, on words held as u32.
const builtins: Readonly<Record<string, string>> = {
  'add.u32': 'atomicAdd',
  'add.s32': 'atomicAdd',
  'min.u32': 'atomicMin',
  'max.u32': 'atomicMax',
  'and.b32': 'atomicAnd',
  'or.b32': 'atomicOr',
  'xor.b32': 'atomicXor',
  'exch.b32': 'atomicExchange',
};

/// The new value of a compare-and-exchange loop from the old one and the operand.
const loops: Readonly<Record<string, (scope: Scope, old: Expr, b: Expr, ftz: boolean) => string>> = {
  'min.s32': (_, old, b) => `bitcast<u32>(min(bitcast<i32>(${old.code}), bitcast<i32>(${asU32(b).code})))`,
  'max.s32': (_, old, b) => `bitcast<u32>(max(bitcast<i32>(${old.code}), bitcast<i32>(${asU32(b).code})))`,
  'inc.u32': (_, old, b) => `select(${old.code} + 1u, 0u, ${old.code} >= ${asU32(b).code})`,
  'dec.u32': (_, old, b) =>
    `select(${old.code} - 1u, ${asU32(b).code}, ${old.code} == 0u || ${old.code} > ${asU32(b).code})`,
  'add.f32': (scope, old, b, ftz) => {
    const [sum] = laneLowerings['add.f32'](scope, ftz ? { ftz: 'ftz' } : {}, [old, b]);
    return sum ? asU32(sum).code : old.code;
  },
};

export function emitAtomic(scope: Scope, instruction: Instruction): void {
  const { operands, mods, span } = instruction;
  const address = addressOperand(instruction);
  const { d, b, c } = operands;
  if (address === undefined || b === undefined) return;
  const type = (mods.type ?? 'b32') as PtxType;
  const key = `${mods.op}.${type}`;
  const destination = d?.kind === 'register' ? d.register : undefined;
  const value = scope.name(readOperand(scope, b, type));
  if (bitsOf(type) === 64) {
    if (destination)
      refuse(
        translateDiagnostics.notSupported('a 64-bit atomic whose old value is used', 'WGSL has 32-bit atomics only'),
        span,
      );
    const words = [atomicWord(scope, instruction, address), atomicWord(scope, instruction, address, 1)] as const;
    return emitPair(scope, instruction, words, value);
  }
  const word = atomicWord(scope, instruction, address);
  const builtin = builtins[key];
  if (builtin) {
    const call = `${builtin}(${word}, ${asU32(value).code})`;
    if (destination) writeResult(scope, destination, { code: call, type: 'u32' }, type);
    else scope.out.line(`${call};`);
    return;
  }
  const { out } = scope;
  const old = scope.options.names.fresh('old');
  const swap = scope.options.names.fresh('swap');
  const oldExpr: Expr = { code: old, type: 'u32' };
  if (mods.op === 'cas') {
    if (c === undefined) return;
    const replacement = scope.name(readOperand(scope, c, type));
    // The weak exchange may fail without a reason.
    out.line(`var ${old}: u32;`);
    out.open('loop');
    out.line(`let ${swap} = atomicCompareExchangeWeak(${word}, ${asU32(value).code}, ${asU32(replacement).code});`);
    out.line(`${old} = ${swap}.old_value;`);
    out.line(`if (${swap}.exchanged || ${old} != ${asU32(value).code}) { break; }`);
    out.close();
  } else {
    const next = loops[key];
    if (next === undefined) return refuse(translateDiagnostics.notSupported(`atom.${key}`), span);
    // Global f32 atomics flush subnormals, shared ones keep them.
    const ftz = mods.space?.startsWith('shared') !== true;
    out.line(`var ${old} = atomicLoad(${word});`);
    out.open('loop');
    const replacement = next(scope, oldExpr, value, ftz);
    out.line(`let ${swap} = atomicCompareExchangeWeak(${word}, ${old}, ${replacement});`);
    out.line(`if (${swap}.exchanged) { break; }`);
    out.line(`${old} = ${swap}.old_value;`);
    out.close();
  }
  if (destination) writeResult(scope, destination, oldExpr, type);
}

/// A 64-bit update whose old value nobody sees: each word on its own, the carry passed on. What is left in memory is exact once all
/// updates are done.
function emitPair(
  scope: Scope,
  { mods, span }: Instruction,
  [lowWord, highWord]: readonly [string, string],
  value: Expr,
): void {
  const { out } = scope;
  const [x, y] = [low(value).code, high(value).code];
  const op = mods.op ?? '';
  if (op === 'add') {
    const before = scope.options.names.fresh('low_before');
    out.line(`let ${before} = atomicAdd(${lowWord}, ${x});`);
    out.line(`atomicAdd(${highWord}, ${y} + u32(${before} > ~${x}));`);
    return;
  }
  const bitwise: Readonly<Record<string, string>> = { and: 'atomicAnd', or: 'atomicOr', xor: 'atomicXor' };
  const builtin = bitwise[op];
  if (builtin === undefined)
    return refuse(translateDiagnostics.notSupported(`a 64-bit atomic ${op}`, 'WGSL has 32-bit atomics only'), span);
  out.line(`${builtin}(${lowWord}, ${x});`);
  out.line(`${builtin}(${highWord}, ${y});`);
}
