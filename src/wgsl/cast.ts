// Literals, casts and small constructors of WGSL expressions.
import type { Expr, LowerContext, WgslType } from './expr.ts';

const WORD = 0xffff_ffffn;

/// What a cast or a pair was made of, so that casting back and taking a half give the original.
const castOrigins = new WeakMap<Expr, Expr>();
const pairHalves = new WeakMap<Expr, readonly [Expr, Expr]>();

/// The code without the parentheses around it, for places that separate it otherwise: arguments, right-hand sides.
export function bare(code: string): string {
  if (!code.startsWith('(') || !code.endsWith(')')) return code;
  let depth = 0;
  for (let i = 0; i < code.length - 1; i++) {
    if (code[i] === '(') depth++;
    else if (code[i] === ')') depth--;
    if (depth === 0) return code;
  }
  return code.slice(1, -1);
}

/// A call of a builtin or of a function of the prelude.
export function call(name: string, type: WgslType, ...args: readonly Expr[]): Expr {
  return { code: `${name}(${args.map((arg) => bare(arg.code)).join(', ')})`, type };
}

/// An infix operation, without any folding.
export function infix(a: Expr, op: string, b: Expr, type: WgslType): Expr {
  return { code: `(${a.code} ${op} ${b.code})`, type };
}

/// A constant by its bits. f32 values that no constant expression may have are the context's matter: see `floatLiteral`.
export function literal(type: Exclude<WgslType, 'f32'>, bits: bigint): Expr {
  switch (type) {
    case 'bool':
      return { code: bits === 0n ? 'false' : 'true', type, constant: bits };
    case 'u32':
      return { code: wordCode(bits), type, constant: bits };
    case 'i32':
      return { code: signedCode(bits), type, constant: bits };
    case 'vec2<u32>':
      return { code: `vec2<u32>(${wordCode(bits & WORD)}, ${wordCode(bits >> 32n)})`, type, constant: bits };
  }
}

export function u32(value: number | bigint): Expr {
  return literal('u32', BigInt.asUintN(32, BigInt(value)));
}

export function u64(value: bigint): Expr {
  return literal('vec2<u32>', BigInt.asUintN(64, value));
}

export function i32(value: number): Expr {
  return literal('i32', BigInt.asUintN(32, BigInt(value)));
}

export function bool(value: boolean): Expr {
  return literal('bool', value ? 1n : 0n);
}

function wordCode(bits: bigint): string {
  // Masks read better in hexadecimal, counts and sizes in decimal.
  const lowest = bits & 0xffn;
  const isMask = bits > 254n && (lowest === 0n || lowest === 0xffn);
  return bits < 0x1_0000n && !isMask ? `${bits}u` : `0x${bits.toString(16)}u`;
}

function signedCode(bits: bigint): string {
  const value = BigInt.asIntN(32, bits);
  // The literal of the smallest i32 would be the negation of one that is out of range.
  if (value === -0x8000_0000n) return 'i32(-2147483648)';
  return value < 0n ? `(${value}i)` : `${value}i`;
}

/// An f32 constant by its bits. Infinities and NaNs are no WGSL constants, subnormals may be flushed as such, and Tint
/// has been seen to merge a constant -0.0 with 0.0: `f32_of` hides them behind a parameter.
export function floatLiteral(ctx: LowerContext, bits: bigint): Expr {
  const exponent = (bits >> 23n) & 0xffn;
  if (exponent === 255n || (exponent === 0n && bits !== 0n)) return { ...hiddenFloat(ctx, bits), constant: bits };
  const decimal = shortDecimal(floatOfBits(bits));
  const code = decimal === '' ? `bitcast<f32>(${wordCode(bits)})` : `${decimal}f`;
  return { code: code.startsWith('-') ? `(${code})` : code, type: 'f32', constant: bits };
}

/// An f32 value that compilers take for a run-time one, so that they do not evaluate what is done with it.
export function hiddenFloat(ctx: LowerContext, bits: bigint): Expr {
  return { code: `${ctx.use('f32_of')}(${wordCode(bits)})`, type: 'f32' };
}

/// The number with these f32 bits.
export function floatOfBits(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, Number(bits));
  return view.getFloat32(0);
}

/// A decimal literal that is exactly the value, or '' where none is short.
function shortDecimal(value: number): string {
  const text = String(value);
  if (text.length > 12 || text.includes('e')) return '';
  // String() rounds; only a decimal that ends within the precision of a double is exact, which is where it is a dyadic fraction.
  const [, fraction = ''] = text.split('.');
  const scaled = value * 2 ** fraction.length;
  if (!Number.isInteger(scaled)) return '';
  return text.includes('.') ? text : `${text}.0`;
}

/// The 32-bit value as u32. Throws for a 64-bit one: the caller meant another width.
export function asU32(e: Expr): Expr {
  return cast(e, 'u32');
}

/// The 32-bit value as i32.
export function asI32(e: Expr): Expr {
  return cast(e, 'i32');
}

/// The 32-bit value as f32.
export function asF32(ctx: LowerContext, e: Expr): Expr {
  if (e.type === 'f32') return e;
  if (e.constant !== undefined) return remember(floatLiteral(ctx, e.constant), e);
  return castTo(e, 'f32');
}

function cast(e: Expr, type: 'u32' | 'i32'): Expr {
  if (e.type === type) return e;
  if (e.constant !== undefined) return literal(type, e.constant);
  return castTo(e, type);
}

function castTo(e: Expr, type: 'u32' | 'i32' | 'f32'): Expr {
  if (e.type === 'vec2<u32>') throw new TypeError(`a 64-bit value where a 32-bit one is due: ${e.code}`);
  if (e.type === 'bool') return castTo(call('u32', 'u32', e), type);
  const origin = castOrigins.get(e) ?? e;
  if (origin.type === type) return origin;
  return remember(call(`bitcast<${type}>`, type, origin), origin);
}

function remember(made: Expr, origin: Expr): Expr {
  castOrigins.set(made, origin);
  return made;
}

/// A 64-bit value of two halves.
export function pair(low: Expr, high: Expr): Expr {
  const [x, y] = [asU32(low), asU32(high)];
  if (x.constant !== undefined && y.constant !== undefined) return u64(x.constant | (y.constant << 32n));
  const made = call('vec2<u32>', 'vec2<u32>', x, y);
  pairHalves.set(made, [x, y]);
  return made;
}

/// Bits 31..0 of a 64-bit value.
export function low(e: Expr): Expr {
  return half(e, 0, 'x');
}

/// Bits 63..32 of a 64-bit value.
export function high(e: Expr): Expr {
  return half(e, 1, 'y');
}

function half(e: Expr, index: 0 | 1, member: string): Expr {
  if (e.type !== 'vec2<u32>') throw new TypeError(`a 32-bit value where a 64-bit one is due: ${e.code}`);
  if (e.constant !== undefined) return u32(index === 0 ? e.constant & WORD : e.constant >> 32n);
  return pairHalves.get(e)?.[index] ?? { code: `${e.code}.${member}`, type: 'u32' };
}

/// `whenTrue` where the condition holds, else `whenFalse`; both of one type.
export function select(condition: Expr, whenTrue: Expr, whenFalse: Expr): Expr {
  if (condition.constant !== undefined) return condition.constant !== 0n ? whenTrue : whenFalse;
  return call('select', whenTrue.type, whenFalse, whenTrue, condition);
}
