// Parses and evaluates constant expressions (PTX ISA, "Constant Expressions").

import { warpSize } from '../../isa/special-registers.ts';
import type { Span } from '../ast.ts';
import { type Constant, intConstant, parseFloatLiteral, parseInteger } from '../constants.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { SyntaxFailure } from '../diagnostics/reporter.ts';
import type { Cursor } from '../lexer/cursor.ts';

/** The maximum nesting of expressions. It is limited because each level uses stack memory. */
const maxDepth = 200;

const precedence: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '&': 5,
  '==': 6,
  '!=': 6,
  '<': 7,
  '<=': 7,
  '>': 7,
  '>=': 7,
  '<<': 8,
  '>>': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '%': 10,
};

const truth = (value: boolean): Constant => intConstant(value ? 1n : 0n, false);
const isTrue = (constant: Constant): boolean =>
  constant.kind === 'int' ? constant.value !== 0n : constant.value !== 0;

/** Whether the next token starts an expression. */
export function startsConstant(cursor: Cursor): boolean {
  const { kind, text } = cursor.peek;
  if (kind === 'int' || kind === 'float') return true;
  if (kind === 'word') return text === 'WARP_SZ';
  const unary = text === '-' || text === '~' || text === '+' || text === '!';
  if (!unary) return text === '(';
  const next = cursor.look(1);
  return next.kind !== 'word' || next.text === 'WARP_SZ';
}

function binary(operator: string, left: Constant, right: Constant, span: Span): Constant {
  if (operator === '&&') return truth(isTrue(left) && isTrue(right));
  if (operator === '||') return truth(isTrue(left) || isTrue(right));
  if (left.kind === 'float' || right.kind === 'float')
    return floatBinary(operator, Number(left.value), Number(right.value), span);
  const unsigned = left.unsigned || right.unsigned;
  const shift = operator === '<<' || operator === '>>';
  const a = unsigned && !shift ? BigInt.asUintN(64, left.value) : left.value;
  const b = unsigned && !shift ? BigInt.asUintN(64, right.value) : right.value;
  const int = (value: bigint): Constant => intConstant(value, shift ? left.unsigned : unsigned);
  switch (operator) {
    case '|':
      return int(a | b);
    case '^':
      return int(a ^ b);
    case '&':
      return int(a & b);
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '<=':
      return truth(a <= b);
    case '>':
      return truth(a > b);
    case '>=':
      return truth(a >= b);
    case '<<':
      return int(b >= 64n || b < 0n ? 0n : a << b);
    case '>>':
      return int(b >= 64n || b < 0n ? (a < 0n ? -1n : 0n) : a >> b);
    case '+':
      return int(a + b);
    case '-':
      return int(a - b);
    case '*':
      return int(a * b);
    default:
      if (b === 0n) throw new SyntaxFailure(diagnostics().divisionByZero(span));
      return int(operator === '/' ? a / b : a % b);
  }
}

function floatBinary(operator: string, a: number, b: number, span: Span): Constant {
  const float = (value: number): Constant => ({ kind: 'float', value });
  switch (operator) {
    case '+':
      return float(a + b);
    case '-':
      return float(a - b);
    case '*':
      return float(a * b);
    case '/':
      return float(a / b);
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '<=':
      return truth(a <= b);
    case '>':
      return truth(a > b);
    case '>=':
      return truth(a >= b);
    default:
      throw new SyntaxFailure(diagnostics().integerOperator(span, operator));
  }
}

function parseUnary(cursor: Cursor, depth: number): Constant {
  const token = cursor.peek;
  if (depth > maxDepth) throw new SyntaxFailure(diagnostics().tooDeep(token));
  if (token.kind === 'int' || token.kind === 'float') {
    cursor.take();
    const value = token.kind === 'int' ? parseInteger(token.text) : parseFloatLiteral(token.text);
    if (value === undefined) throw new SyntaxFailure(diagnostics().malformedNumber(token, token.text));
    return value;
  }
  if (token.kind === 'word' && token.text === 'WARP_SZ') {
    cursor.take();
    return intConstant(BigInt(warpSize), false);
  }
  if (cursor.accept('(')) {
    const cast = cursor.accept('.s64') ?? cursor.accept('.u64');
    if (cast !== undefined) {
      cursor.expect(')');
      const value = parseUnary(cursor, depth + 1);
      if (value.kind === 'float') throw new SyntaxFailure(diagnostics().integerOperator(cast, `(${cast.text})`));
      return intConstant(value.value, cast.text === '.u64');
    }
    const value = parseTernary(cursor, depth + 1);
    cursor.expect(')');
    return value;
  }
  const operator = cursor.accept('-') ?? cursor.accept('+') ?? cursor.accept('!') ?? cursor.accept('~');
  if (operator === undefined) return cursor.fail('a constant');
  const value = parseUnary(cursor, depth + 1);
  if (operator.text === '+') return value;
  if (operator.text === '!') return truth(!isTrue(value));
  if (value.kind === 'float') {
    if (operator.text === '~') throw new SyntaxFailure(diagnostics().integerOperator(operator, '~'));
    if (value.hex !== undefined) throw new SyntaxFailure(diagnostics().negatedHexFloat(operator));
    return { kind: 'float', value: -value.value };
  }
  return intConstant(operator.text === '-' ? -value.value : ~value.value, value.unsigned);
}

function parseBinary(cursor: Cursor, least: number, depth: number): Constant {
  let left = parseUnary(cursor, depth);
  for (;;) {
    const { kind, text } = cursor.peek;
    const level = kind === 'mark' ? precedence[text] : undefined;
    if (level === undefined || level < least) return left;
    const operator = cursor.take();
    left = binary(text, left, parseBinary(cursor, level + 1, depth + 1), operator);
  }
}

function parseTernary(cursor: Cursor, depth: number): Constant {
  const condition = parseBinary(cursor, 1, depth);
  if (cursor.accept('?') === undefined) return condition;
  const yes = parseTernary(cursor, depth + 1);
  cursor.expect(':');
  const no = parseTernary(cursor, depth + 1);
  return isTrue(condition) ? yes : no;
}

/** Parses an expression and returns its value. */
export function parseConstant(cursor: Cursor): Constant {
  return parseTernary(cursor, 0);
}

/** Parses an expression that must be an integer. */
export function parseIntegerConstant(cursor: Cursor): bigint {
  const start = cursor.peek;
  const value = parseConstant(cursor);
  if (value.kind !== 'int')
    throw new SyntaxFailure(diagnostics().expected(start, 'an integer', 'a floating-point number'));
  return value.value;
}

/** Parses an integer from 0 to `most`, such as an extent, an alignment or a line number. */
export function parseCount(cursor: Cursor, what: string, most = 0xffffffff): number {
  const start = cursor.peek;
  const value = parseIntegerConstant(cursor);
  if (value < 0n || value > BigInt(most))
    throw new SyntaxFailure(diagnostics().outOfRange(start, what, `0 to ${most}`));
  return Number(value);
}
