// PTX operands as WGSL expressions, and WGSL results as PTX registers.
import type { PtxType } from '../../isa/index.ts';
import type { Operand, Register } from '../../ptx/ast.ts';
import { asF32, asI32, asU32, bare, bool, floatLiteral, i32, literal, low, pair, u32, u64 } from '../../wgsl/cast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import { bitsOf } from '../ir.ts';
import { type Scope, wgslTypeOf } from './scope.ts';

/// A source operand, at the width of `type` (the instruction's; a wider register gives its low bits).
export function readOperand(scope: Scope, operand: Operand, type: PtxType, slot = 's'): Expr {
  switch (operand.kind) {
    case 'register': {
      if (scope.options.buffers.bases.has(operand.register.name)) return immediate(scope, 0n, type);
      const code = scope.read(operand.register, slot);
      const held: Expr = scope.valueOf(operand.register) ?? { code, type: wgslTypeOf(operand.register) };
      if (operand.negated) return { code: `!${held.code}`, type: 'bool' };
      return truncate(held, bitsOf(operand.register.type), bitsOf(type));
    }
    case 'immediate':
      return immediate(scope, operand.bits, type);
    case 'special':
      return readSpecial(scope, operand.name, slot, type);
    case 'symbol':
      return bitsOf(type) === 64 ? u64(address(scope, operand)) : u32(address(scope, operand));
    case 'vector':
      return packVector(scope, operand.elements, type, slot);
    default:
      return refuse(translateDiagnostics.notSupported(`an operand of kind ${operand.kind} here`), operand.span);
  }
}

function address(scope: Scope, operand: Extract<Operand, { kind: 'symbol' }>): bigint {
  return BigInt(scope.options.layout.offsetOf(operand.variable) + operand.offset);
}

/// `mov.b32 d, {a, b}`: the first element in the low bits.
function packVector(scope: Scope, elements: readonly Operand[], type: PtxType, slot: string): Expr {
  const width = bitsOf(type) / elements.length;
  const parts = elements.map((element) => asU32(readOperand(scope, element, `b${width}` as PtxType, slot)));
  const joined = (list: readonly Expr[]): Expr =>
    list.length === 1 && list[0]
      ? list[0]
      : {
          code: `(${list.map((part, index) => (index === 0 ? part.code : `(${part.code} << ${index * width}u)`)).join(' | ')})`,
          type: 'u32',
        };
  if (bitsOf(type) !== 64) return joined(parts);
  const half = parts.length / 2;
  return pair(joined(parts.slice(0, half)), joined(parts.slice(half)));
}

/// The elements of `mov.b64 {low, high}, a`.
export function unpackVector(value: Expr, count: number, bits: number): readonly Expr[] {
  const width = bits / count;
  return Array.from({ length: count }, (_, index): Expr => {
    const word: Expr =
      value.type === 'vec2<u32>'
        ? { code: `${value.code}.${index * width >= 32 ? 'y' : 'x'}`, type: 'u32' }
        : asU32(value);
    const shift = (index * width) % 32;
    if (width === 32) return word;
    const moved = shift === 0 ? word.code : `(${word.code} >> ${shift}u)`;
    return { code: `(${moved} & ${width === 16 ? '0xffffu' : '0xffu'})`, type: 'u32' };
  });
}

export function immediate(scope: Scope, bits: bigint, type: PtxType): Expr {
  if (type === 'pred') return bool(bits !== 0n);
  if (type === 'f32') return floatLiteral(scope, bits & 0xffffffffn);
  if (bitsOf(type) === 64) return u64(bits);
  if (/^s32$/.test(type)) return i32(Number(BigInt.asIntN(32, bits)));
  return literal('u32', BigInt.asUintN(bitsOf(type), bits));
}

/// The low `to` bits of a register of `from` bits.
function truncate(value: Expr, from: number, to: number): Expr {
  if (to >= from || from === 1) return value;
  const word = value.type === 'vec2<u32>' ? low(value) : value;
  if (to >= 32) return word;
  return { code: `(${asU32(word).code} & ${to === 8 ? '0xffu' : '0xffffu'})`, type: 'u32' };
}

/// Assigns a result of `type` to a register, which may be wider: then it is extended as the type says.
export function writeResult(scope: Scope, register: Register, value: Expr, type: PtxType, slot = 's'): void {
  const code = convert(scope, value, register, type);
  const whole = bitsOf(type) === bitsOf(register.type) && register.type !== 'f32';
  const known = value.constant !== undefined && whole ? immediate(scope, value.constant, register.type) : undefined;
  scope.write(register, code, slot, known);
}

function convert(scope: Scope, value: Expr, register: Register, type: PtxType): string {
  const target = wgslTypeOf(register);
  const signed = type.startsWith('s');
  const [from, to] = [bitsOf(type), bitsOf(register.type)];
  if (target === 'bool') return bare(value.code);
  if (target === 'vec2<u32>') {
    if (value.type === 'vec2<u32>') return bare(value.code);
    const word = signed && from < 32 ? signExtended(asU32(value), from) : asU32(value);
    if (!signed) return bare(pair(word, u32(0)).code);
    const named = scope.name(word);
    return bare(pair(named, { code: `bitcast<u32>(bitcast<i32>(${named.code}) >> 31u)`, type: 'u32' }).code);
  }
  const narrow = value.type === 'vec2<u32>' ? low(value) : value;
  if (target === 'f32') return bare(asF32(scope, narrow).code);
  if (signed && from < to && from < 32) {
    const extended = signExtended(asU32(narrow), from);
    return to === 16 ? `${extended.code} & 0xffffu` : bare(extended.code);
  }
  return bare(asU32(narrow).code);
}

function signExtended(value: Expr, bits: number): Expr {
  return { code: `bitcast<u32>(extractBits(${asI32(value).code}, 0u, ${bits}u))`, type: 'u32' };
}

const masks: Readonly<Record<string, (lane: string) => string>> = {
  '%lanemask_eq': (lane) => `(1u << ${lane})`,
  '%lanemask_lt': (lane) => `((1u << ${lane}) - 1u)`,
  '%lanemask_le': (lane) => `(0xffffffffu >> (31u - ${lane}))`,
  '%lanemask_ge': (lane) => `(0xffffffffu << ${lane})`,
  '%lanemask_gt': (lane) => `(0xfffffffeu << ${lane})`,
};

const axisOf = (name: string): number => 'xyz'.indexOf(name.slice(-1));

function readSpecial(scope: Scope, name: string, slot: string, type: PtxType): Expr {
  const word = (code: string): Expr => {
    const value: Expr = { code, type: 'u32' };
    return bitsOf(type) === 64 ? pair(value, u32(0)) : value;
  };
  const { block } = scope.options;
  const [x, y, z] = block;
  const use = (special: string) => {
    scope.uses.specials.add(special);
    return special;
  };
  const lane = () => laneNumber(scope, slot);
  const mask = masks[name];
  if (mask) return word(mask(lane()));
  if (name === '%laneid') return word(lane());
  if (name === '%warpid') return word(scope.options.mapping === 'threads' ? `(${use('thread')} >> 5u)` : use('warp'));
  if (name === '%nwarpid') return word(`${Math.ceil((x * y * z) / 32)}u`);
  if (name.startsWith('%tid.') && scope.options.mapping === 'threads') return word(`${use('tid')}.${name.slice(-1)}`);
  if (name.startsWith('%tid.')) return word(threadIndex(threadNumber(scope, slot), axisOf(name), block));
  if (name.startsWith('%ntid.')) return word(`${block[axisOf(name)] ?? 1}u`);
  if (name.startsWith('%ctaid.') || name.startsWith('%nctaid.'))
    return word(`${use(name.startsWith('%n') ? 'nctaid' : 'ctaid')}.${name.slice(-1)}`);
  if (name === '%total_smem_size' || name === '%dynamic_smem_size') return word(`${scope.options.layout.sharedBytes}u`);
  if (name.startsWith('%clock') || name.startsWith('%globaltimer')) return clock(scope, name, type);
  return word(name === '%nsmid' ? '1u' : '0u');
}

/// WGSL of the lane number, by the lane plan.
export function laneNumber(scope: Scope, slot: string): string {
  const { mapping, plan } = scope.options;
  if (mapping === 'threads') {
    scope.uses.specials.add('thread');
    return '(thread & 31u)';
  }
  if (plan.kind === 'portable') return slot;
  scope.uses.specials.add('lane');
  return plan.kind === 'narrow' ? `(${slot} * ${plan.subgroupSize}u + subgroup_lane)` : 'lane';
}

/// WGSL of the thread's linear number in the block.
export function threadNumber(scope: Scope, slot: string): string {
  if (scope.options.mapping === 'threads') {
    scope.uses.specials.add('thread');
    return 'thread';
  }
  scope.uses.specials.add('warp');
  if (scope.options.slots > 1) return `(warp * 32u + ${laneNumber(scope, slot)})`;
  scope.uses.specials.add('lane');
  scope.uses.specials.add('tid');
  return 'tid';
}

/// x, y or z of the thread, from its linear number in the block.
function threadIndex(tid: string, axis: number, [x, y, z]: readonly [number, number, number]): string {
  if (axis === 0) return y === 1 && z === 1 ? tid : `(${tid} % ${x}u)`;
  if (axis === 1) return z === 1 ? `(${tid} / ${x}u)` : `((${tid} / ${x}u) % ${y}u)`;
  return `(${tid} / ${x * y}u)`;
}

/// WebGPU has no clock: each reading is one more than the one before.
function clock(scope: Scope, name: string, type: PtxType): Expr {
  scope.uses.variables.set('clock', 'var clock = 0u;');
  if (name.endsWith('_hi')) return u32(0);
  scope.out.line('clock += 1u;');
  const now = scope.name({ code: '(clock + 0u)', type: 'u32' });
  return bitsOf(type) === 64 ? pair(now, u32(0)) : now;
}
