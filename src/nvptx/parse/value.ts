// Parses values: names, constants and constant expressions.
import { at } from '../../base/invariants.ts';
import { shortFloatBits } from '../../base/short-floats.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { Value } from '../ir/module.ts';
import {
  elementType,
  type FloatType,
  intType,
  isFloat,
  isScalar,
  partsOf,
  type Type,
  type WideType,
} from '../ir/types.ts';
import type { Cursor } from './cursor.ts';
import { type Token, unescaped } from './lexer.ts';
import { type NamedTypes, parseType } from './type.ts';

export function parseTypedValue(cursor: Cursor, named: NamedTypes): Value {
  const type = parseType(cursor, named);
  return parseValue(cursor, named, type);
}

/** Parses a value whose type is given elsewhere in the text. */
export function parseValue(cursor: Cursor, named: NamedTypes, type: Type): Value {
  const token = cursor.take();
  switch (token.kind) {
    case 'local':
    case 'global':
      return { kind: token.kind, type, name: token.text, span: token };
    case 'number':
      return numberValue(token, type);
    case 'word':
      return wordValue(cursor, named, type, token);
    case 'mark':
      return bracketValue(cursor, named, type, token);
    default:
      throw new SyntaxFailure(llvmDiagnostics.expected(token, 'a value', `\`${token.text}\``));
  }
}

function numberValue(token: Token, type: Type): Value {
  if (type.kind === 'int') return { kind: 'int', type, value: BigInt.asUintN(type.bits, integerOf(token.text)) };
  if (type.kind === 'wide') return wideConstant(type, integerOf(token.text));
  if (isFloat(type)) return { kind: 'float', type, bits: floatBits(token, type) };
  throw new SyntaxFailure(llvmDiagnostics.expected(token, `a value of type ${type.kind}`, `\`${token.text}\``));
}

function wideConstant(type: WideType, value: bigint): Value {
  const elements = partsOf(type).map((part, index): Value => {
    return { kind: 'int', type: part, value: BigInt.asUintN(part.bits, value >> BigInt(64 * index)) };
  });
  return { kind: 'aggregate', type, elements };
}

/** Returns an integer: decimal, or hexadecimal after `u0x` or `s0x`. */
function integerOf(text: string): bigint {
  return BigInt(text.replace(/^[us]/, ''));
}

/**
 * Returns the bits of a float constant in its own type. LLVM writes an f32 in decimal, or as the 16
 * hexadecimal digits of the f64 with the same value. The bits of a half follow `0xH`, those of a
 * bfloat `0xR`, and those of any type `f0x`.
 */
function floatBits(token: Token, type: FloatType): bigint {
  const { text } = token;
  const own = /^(?:0x[HR]|f0x)(.*)$/.exec(text);
  if (own !== null) return BigInt(`0x${at(own, 1, 'the digits')}`);
  if (/^0x[KLM]/.test(text))
    throw new SyntaxFailure(llvmDiagnostics.unsupported(token, 'a float of more than 64 bits'));
  const view = new DataView(new ArrayBuffer(8));
  if (text.startsWith('0x')) view.setBigUint64(0, BigInt(text));
  else view.setFloat64(0, Number(text));
  const value = view.getFloat64(0);
  switch (type.kind) {
    case 'double':
      return view.getBigUint64(0);
    case 'float':
      return Number.isNaN(value) ? singleNan(view.getBigUint64(0)) : singleBits(value);
    default:
      return BigInt(shortFloatBits(type.kind === 'half' ? 'f16' : 'bf16', value));
  }
}

/**
 * Converts the bits of an f64 NaN to f32 with bit operations, because a conversion between numbers
 * in JavaScript may change the payload.
 */
const singleNan = (bits: bigint): bigint =>
  ((bits >> 32n) & 0x8000_0000n) | 0x7f80_0000n | ((bits >> 29n) & 0x7f_ffffn);

function singleBits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return BigInt(view.getUint32(0));
}

function wordValue(cursor: Cursor, named: NamedTypes, type: Type, token: Token): Value {
  switch (token.text) {
    case 'true':
      return { kind: 'int', type: intType(1), value: 1n };
    case 'false':
      return { kind: 'int', type: intType(1), value: 0n };
    case 'null':
      if (type.kind === 'ptr') return { kind: 'null', type };
      break;
    case 'undef':
    case 'poison':
      return { kind: 'undefined', type };
    case 'zeroinitializer':
      return { kind: 'zero', type };
    case 'splat':
      return splatValue(cursor, named, type);
    case 'c':
      return stringValue(cursor, type);
    case 'asm':
      return asmValue(cursor, type, token);
    default:
      return expressionValue(cursor, named, type, token);
  }
  throw new SyntaxFailure(llvmDiagnostics.expected(token, 'a value', `\`${token.text}\``));
}

function splatValue(cursor: Cursor, named: NamedTypes, type: Type): Value {
  cursor.expect('(');
  const element = parseTypedValue(cursor, named);
  cursor.expect(')');
  if (type.kind !== 'vector') return cursor.fail('a vector');
  return { kind: 'aggregate', type, elements: Array.from({ length: type.count }, () => element) };
}

function stringValue(cursor: Cursor, type: Type): Value {
  const text = unescaped(cursor.expectKind('string', 'a string').text);
  const elements = Array.from(text, (character): Value => {
    return { kind: 'int', type: intType(8), value: BigInt(character.charCodeAt(0)) };
  });
  return { kind: 'aggregate', type, elements };
}

function asmValue(cursor: Cursor, type: Type, token: Token): Value {
  while (cursor.isKind('word')) cursor.take();
  const text = unescaped(cursor.expectKind('string', 'the text of the assembly').text);
  cursor.expect(',');
  const constraints = unescaped(cursor.expectKind('string', 'the constraints').text);
  return { kind: 'asm', type, text, constraints, span: cursor.spanFrom(token.start) };
}

/** Parses `[T V, …]`, `{ T V, … }`, `<T V, …>` and `<{ T V, … }>`. */
function bracketValue(cursor: Cursor, named: NamedTypes, type: Type, token: Token): Value {
  const packed = token.text === '<' && cursor.accept('{');
  const close = packed ? '}' : ({ '[': ']', '{': '}', '<': '>' } as const)[token.text];
  if (close === undefined) throw new SyntaxFailure(llvmDiagnostics.expected(token, 'a value', `\`${token.text}\``));
  const elements: Value[] = [];
  while (!cursor.accept(close)) {
    if (elements.length > 0) cursor.expect(',');
    elements.push(parseTypedValue(cursor, named));
  }
  if (packed) cursor.expect('>');
  return { kind: 'aggregate', type, elements };
}

const expressionFlags = new Set(['inbounds', 'nuw', 'nsw', 'nusw', 'exact', 'disjoint', 'nneg']);

function expressionValue(cursor: Cursor, named: NamedTypes, type: Type, token: Token): Value {
  while (cursor.isKind('word') && expressionFlags.has(cursor.peek.text)) cursor.take();
  if (cursor.accept('inrange')) cursor.skipGroup('(', ')');
  cursor.expect('(');
  let element: Type | undefined;
  if (token.text === 'getelementptr') {
    element = parseType(cursor, named);
    cursor.expect(',');
  }
  const operands = [parseTypedValue(cursor, named)];
  while (cursor.accept(',')) operands.push(parseTypedValue(cursor, named));
  if (cursor.accept('to')) parseType(cursor, named);
  cursor.expect(')');
  return { kind: 'expression', type, op: token.text, operands, element, span: cursor.spanFrom(token.start) };
}

/** Returns the element values of a constant aggregate, each with its own type. */
export function elementsOf(value: Value, count: number): Value[] {
  return Array.from({ length: count }, (_, index): Value => {
    const type = elementType(value.type, index);
    if (type === undefined) throw new SyntaxFailure(llvmDiagnostics.unsupported({ start: 0, end: 0 }, 'this constant'));
    if (value.kind === 'aggregate') return at(value.elements, index, 'the element');
    return value.kind === 'undefined' || !isScalar(type) ? { kind: 'undefined', type } : { kind: 'zero', type };
  });
}
