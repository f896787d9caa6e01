// Parses operands.

import { parseInteger } from '../constants.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { SyntaxFailure } from '../diagnostics/reporter.ts';
import { join } from '../diagnostics/source.ts';
import type { Cursor } from '../lexer/cursor.ts';
import type { Token } from '../lexer/tokens.ts';
import type { Name, NameOperand, RawOperand } from '../syntax.ts';
import { parseConstant, parseIntegerConstant, startsConstant } from './parse-constant.ts';

export function nameOf(token: Token): Name {
  return { text: token.text, span: { start: token.start, end: token.end } };
}

function spanFrom(cursor: Cursor, start: Token) {
  return { start: start.start, end: Math.max(start.end, cursor.lastEnd) };
}

/**
 * Parses `+4`, `-4` or `+-4` after a name. ptxas rejects a plain `-`; the diagnostic shows the
 * correct form.
 */
function parseOffset(cursor: Cursor): bigint | undefined {
  if (cursor.accept('+') !== undefined) return parseIntegerConstant(cursor);
  if (cursor.at('-')) throw new SyntaxFailure(diagnostics().minusOffset(cursor.peek));
  return undefined;
}

function parseIndex(cursor: Cursor): bigint | undefined {
  if (cursor.accept('[') === undefined) return undefined;
  const index = parseIntegerConstant(cursor);
  cursor.expect(']');
  return index;
}

/**
 * Words for components, which may be separated from the name because no statement begins with such
 * a word.
 */
const elementWords = new Set(['.x', '.y', '.z', '.w', '.r', '.g', '.b', '.a']);

/** Matches a selector, which may also be separated from the name, as in `%r1 .b0`. */
const selectorWord = /^\.[bh][0-7]+$/;

const isElement = (dot: Token, name: Token): boolean =>
  dot.start === name.end || elementWords.has(dot.text) || selectorWord.test(dot.text);

function parseName(cursor: Cursor): NameOperand {
  const start = cursor.peek;
  const sign = cursor.accept('!') !== undefined ? '!' : cursor.accept('-') !== undefined ? '-' : '';
  const name = cursor.expectWord('an operand');
  const dot = cursor.kind === 'dot' && isElement(cursor.peek, name) ? cursor.take() : undefined;
  const index = parseIndex(cursor);
  const offset = parseOffset(cursor);
  return {
    kind: 'name',
    name: name.text,
    component: dot?.text.slice(1),
    sign,
    offset,
    index,
    span: spanFrom(cursor, start),
  };
}

function parseAddress(cursor: Cursor): RawOperand {
  const start = cursor.expect('[');
  let base: Name | undefined;
  let offset = 0n;
  let index = 0n;
  if (startsConstant(cursor)) {
    offset = parseIntegerConstant(cursor);
  } else {
    base = nameOf(cursor.expectWord('an address'));
    if (cursor.accept(',') !== undefined) return parseImage(cursor, base, start);
    index = parseIndex(cursor) ?? 0n;
    offset = parseOffset(cursor) ?? 0n;
    const extra = cursor.peek;
    if (extra.kind === 'word') throw new SyntaxFailure(diagnostics().addressOfTwo(extra));
  }
  cursor.expect(']');
  // `.unified` promises that the variable has the same address in every module, which cannot be
  // observed with a single module.
  cursor.accept('.unified');
  return { kind: 'address', base, offset, index, span: spanFrom(cursor, start) };
}

/** Parses the rest of `[texture, {x, y}]`, with an optional sampler, after the first comma. */
function parseImage(cursor: Cursor, object: Name, start: Token): RawOperand {
  const isSampler = !cursor.at('{') && cursor.look(1).text === ',';
  const sampler = isSampler ? nameOf(cursor.expectWord('a sampler')) : undefined;
  if (isSampler) cursor.expect(',');
  const coordinates = cursor.at('{') ? parseVector(cursor) : parseSimple(cursor);
  cursor.expect(']');
  return { kind: 'image', object, sampler, coordinates, span: spanFrom(cursor, start) };
}

function parseVector(cursor: Cursor): RawOperand {
  const start = cursor.expect('{');
  const elements: RawOperand[] = [];
  do elements.push(parseSimple(cursor));
  while (cursor.accept(',') !== undefined);
  cursor.expect('}');
  return { kind: 'vector', elements, span: spanFrom(cursor, start) };
}

/** Parses a name, a constant or `_`. */
function parseSimple(cursor: Cursor): RawOperand {
  const start = cursor.peek;
  if (start.kind === 'word' && start.text === '_') {
    cursor.take();
    return { kind: 'sink', span: spanFrom(cursor, start) };
  }
  if (startsConstant(cursor)) {
    const value = parseConstant(cursor);
    return { kind: 'constant', value, span: spanFrom(cursor, start) };
  }
  return parseName(cursor);
}

/**
 * Parses a name that is a whole operand, which is the common case. Returns undefined for all other
 * operands.
 */
function parsePlainName(cursor: Cursor): RawOperand | undefined {
  if (cursor.kind !== 'word' || !cursor.endsOperand) return undefined;
  const { text, start, end } = cursor;
  if (text === '_' || text === 'WARP_SZ') return undefined;
  cursor.skip();
  return {
    kind: 'name',
    name: text,
    component: undefined,
    sign: '',
    offset: undefined,
    index: undefined,
    span: { start, end },
  };
}

/** Parses an integer literal that is a whole operand. Returns undefined for all other operands. */
function parsePlainInteger(cursor: Cursor): RawOperand | undefined {
  if (cursor.kind !== 'int' || !cursor.endsOperand) return undefined;
  const { text, start, end } = cursor;
  const value = parseInteger(text);
  if (value === undefined) return undefined;
  cursor.skip();
  return { kind: 'constant', value, span: { start, end } };
}

/** Parses one operand: a name, constant, `[address]`, `{vector}`, `_`, or a pair `d|p`. */
export function parseOperand(cursor: Cursor): RawOperand {
  const plain = parsePlainName(cursor) ?? parsePlainInteger(cursor);
  if (plain !== undefined) return plain;
  if (cursor.at('[')) return parseAddress(cursor);
  const first = cursor.at('{') ? parseVector(cursor) : parseSimple(cursor);
  if (!cursor.skipIf('|')) return first;
  const second = parseSimple(cursor);
  return { kind: 'pair', first, second, span: join(first.span, second.span) };
}

/** Parses `(a, b)`, possibly empty: arguments or results of a call. */
export function parseOperandList(cursor: Cursor): readonly RawOperand[] {
  cursor.expect('(');
  const operands: RawOperand[] = [];
  if (cursor.accept(')') !== undefined) return operands;
  do operands.push(parseSimple(cursor));
  while (cursor.accept(',') !== undefined);
  cursor.expect(')');
  return operands;
}
