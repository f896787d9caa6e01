// Parses declarations: `.global .align 8 .b8 x[4][2] = {…}`, `.param .u64 .ptr p`, `.reg .pred
// %p<5>`.

import type { PtxType } from '../../isa/index.ts';
import { typeNamed } from '../../isa/match.ts';
import { parseInteger } from '../constants.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { SyntaxFailure } from '../diagnostics/reporter.ts';
import { nearest } from '../diagnostics/suggest.ts';
import type { Cursor } from '../lexer/cursor.ts';
import type { Token } from '../lexer/tokens.ts';
import type { OpaqueVariable, RawValue, RawVariable, RegisterDeclaration } from '../syntax.ts';
import { parseConstant, parseCount, parseIntegerConstant, startsConstant } from './parse-constant.ts';
import { nameOf } from './parse-operand.ts';

const typeWords =
  '.pred .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f16x2 .bf16 .bf16x2 .f32 .f64'.split(' ');
const opaqueTypes = new Set(['.texref', '.samplerref', '.surfref']);

/** Whether variables of an opaque type are supported. */
export const isImageVariable = (type: string): boolean => type === '.texref' || type === '.surfref';

/** The maximum number of registers in a range. */
const maxRange = 1 << 24;

interface Prefix {
  readonly type: PtxType;
  readonly vector: number;
  readonly align: number | undefined;
  readonly pointer?: true;
}

/** Thrown for a declaration that is valid but not supported. */
export class OpaqueDeclaration extends Error {
  readonly type: Token;
  /** The declared variables. */
  readonly variables: readonly OpaqueVariable[];
  constructor(type: Token, variables: readonly OpaqueVariable[]) {
    super(type.text);
    this.type = type;
    this.variables = variables;
  }
}

/**
 * Parses the rest of a declaration such as `.texref a, b[4];` after its type. Collects the names
 * and skips all other tokens.
 */
export function parseOpaque(cursor: Cursor, type: Token): OpaqueDeclaration {
  const variables: OpaqueVariable[] = [];
  let isName = true;
  for (let depth = 0; !cursor.atEnd && !cursor.at(';'); ) {
    const token = cursor.take();
    if (isName && token.kind === 'word') variables.push({ name: nameOf(token), type: type.text });
    depth += token.text === '{' ? 1 : token.text === '}' ? -1 : 0;
    isName = token.text === ',' && depth === 0;
  }
  return new OpaqueDeclaration(type, variables);
}

/** Skips `(…)` with any contents. */
export function skipParentheses(cursor: Cursor): void {
  cursor.expect('(');
  for (let depth = 1; depth > 0; ) {
    if (cursor.atEnd) cursor.fail('`)`');
    const { text } = cursor.take();
    depth += text === '(' ? 1 : text === ')' ? -1 : 0;
  }
}

function parseAlign(cursor: Cursor): number {
  const start = cursor.peek;
  const align = parseCount(cursor, 'an alignment', 1 << 20);
  if (align === 0 || (align & (align - 1)) !== 0) throw new SyntaxFailure(diagnostics().badAlignment(start));
  return align;
}

/** Parses the tokens of a declaration between the state space and the name. */
function parsePrefix(cursor: Cursor, isParameter = false): Prefix {
  let type: PtxType | undefined;
  let vector = 1;
  let align: number | undefined;
  let pointer = false;
  while (cursor.peek.kind === 'dot') {
    const token = cursor.take();
    const { text } = token;
    if (text === '.align') align = parseAlign(cursor);
    else if (text === '.attribute') skipParentheses(cursor);
    else if (text === '.ptr') {
      // `.ptr` promises to the compiler that the parameter is a pointer. If a space follows, the
      // pointer points to memory of that space.
      pointer = true;
      for (; /^\.(global|const|local|shared)$/.test(cursor.peek.text); cursor.take())
        if (/^\.(local|shared)$/.test(cursor.peek.text)) pointer = false;
      if (cursor.accept('.align') !== undefined) parseAlign(cursor);
    } else if (text === '.v2' || text === '.v4') vector = Number(text.slice(2));
    else if (opaqueTypes.has(text)) {
      // A parameter of this type contains a handle.
      if (!isParameter) throw parseOpaque(cursor, token);
      type = 'b64';
    } else {
      const named = typeNamed(text.slice(1));
      if (named === undefined)
        throw new SyntaxFailure(diagnostics().unknownType(token, text, nearest(text, typeWords)));
      type = named;
    }
  }
  if (type === undefined) throw new SyntaxFailure(diagnostics().needsType(cursor.peek));
  return { type, vector, align, ...(pointer ? { pointer } : {}) };
}

function parseDimensions(cursor: Cursor): (number | undefined)[] {
  const dimensions: (number | undefined)[] = [];
  while (cursor.accept('[') !== undefined) {
    dimensions.push(cursor.at(']') ? undefined : parseCount(cursor, 'an extent'));
    cursor.expect(']');
  }
  return dimensions;
}

function parseAddressValue(cursor: Cursor, start: Token, byte: number | undefined): RawValue {
  const generic = cursor.peek.text === 'generic' && cursor.look(1).text === '(';
  if (generic) {
    cursor.take();
    cursor.take();
  }
  const symbol = nameOf(cursor.expectWord('a value'));
  if (generic) cursor.expect(')');
  const addend =
    cursor.accept('+') !== undefined
      ? parseIntegerConstant(cursor)
      : cursor.accept('-') !== undefined
        ? -parseIntegerConstant(cursor)
        : 0n;
  return { kind: 'address', symbol, addend, generic, byte, span: { start: start.start, end: cursor.last.end } };
}

/** Parses a byte of an address, such as `0xFF00(sym)`. */
function parseMaskedAddress(cursor: Cursor): RawValue {
  const start = cursor.take();
  const mask = parseInteger(start.text);
  if (mask?.kind !== 'int') throw new SyntaxFailure(diagnostics().malformedNumber(start, start.text));
  const byte = Array.from({ length: 8 }, (_, index) => 0xffn << BigInt(8 * index)).indexOf(mask.value);
  if (byte < 0) throw new SyntaxFailure(diagnostics().unsupportedInitializer(start, 'a mask of other than one byte'));
  cursor.expect('(');
  const value = parseAddressValue(cursor, start, byte);
  cursor.expect(')');
  return value;
}

function parseValue(cursor: Cursor): RawValue {
  const start = cursor.peek;
  if (start.kind === 'string') {
    cursor.take();
    return { kind: 'string', text: start.text.slice(1, -1), span: start };
  }
  if (start.kind === 'int' && cursor.look(1).text === '(') return parseMaskedAddress(cursor);
  if (!startsConstant(cursor)) return parseAddressValue(cursor, start, undefined);
  const value = parseConstant(cursor);
  return { kind: 'constant', value, span: { start: start.start, end: cursor.last.end } };
}

/**
 * Parses nested braces into a flat list of values with their element indices. A brace at depth k
 * starts and ends at a multiple of the number of elements below that dimension, so that short inner
 * lists leave zeros.
 */
function parseInitializer(cursor: Cursor, extents: readonly number[]): { index: number; value: RawValue }[] {
  // The stride of each dimension: the product of the extents after it.
  const strides: number[] = [];
  for (let depth = extents.length - 1, stride = 1; depth >= 0; stride *= extents[depth] ?? 1, depth--) {
    strides[depth] = stride;
  }
  const values: { index: number; value: RawValue }[] = [];
  const opened: { start: number; stride: number }[] = [];
  let index = 0;
  do {
    if (cursor.at('{')) {
      const brace = cursor.take();
      const stride = opened.length === 0 ? Number.POSITIVE_INFINITY : (strides[opened.length - 1] ?? 0);
      if (opened.length > 0 && (stride === 0 || (stride === 1 && opened.length >= extents.length))) {
        throw new SyntaxFailure(diagnostics().tooDeep(brace));
      }
      opened.push({ start: index, stride });
      if (!cursor.at('}')) continue;
    } else {
      const value = parseValue(cursor);
      values.push({ index, value });
      index += value.kind === 'string' ? value.text.length : 1;
    }
    while (opened.length > 0 && cursor.accept('}') !== undefined) {
      const { start, stride } = opened.pop() ?? { start: 0, stride: 0 };
      if (Number.isFinite(stride)) index = Math.max(index, start + stride);
    }
    if (opened.length > 0) cursor.expect(',');
  } while (opened.length > 0);
  return values;
}

function parseDeclarator(
  cursor: Cursor,
  space: RawVariable['space'],
  prefix: Prefix,
  external: boolean,
  start: Token,
): RawVariable {
  const name = nameOf(cursor.expectWord('a name'));
  const dimensions = parseDimensions(cursor);
  // The first extent does not affect the position of values, so use 1 for an open extent.
  const extents = [...dimensions.map((extent) => extent ?? 1), ...(prefix.vector > 1 ? [prefix.vector] : [])];
  const values = cursor.accept('=') === undefined ? [] : parseInitializer(cursor, extents);
  return {
    kind: 'variable',
    name,
    space,
    ...prefix,
    dimensions,
    external,
    values,
    span: { start: start.start, end: cursor.last.end },
  };
}

/** Parses the rest of a variable declaration after its state space, up to and including `;`. */
export function parseVariables(
  cursor: Cursor,
  space: RawVariable['space'],
  external: boolean,
  start: Token,
): RawVariable[] {
  const prefix = parsePrefix(cursor);
  const variables = [parseDeclarator(cursor, space, prefix, external, start)];
  while (cursor.accept(',') !== undefined)
    variables.push(parseDeclarator(cursor, space, prefix, external, cursor.peek));
  cursor.expect(';');
  return variables;
}

/** Parses the parameters or results of a function, such as `(.param .u64 a, .reg .b32 b)`. */
export function parseParameters(cursor: Cursor): RawVariable[] {
  const parameters: RawVariable[] = [];
  cursor.expect('(');
  if (cursor.accept(')') !== undefined) return parameters;
  do {
    const start = cursor.peek;
    // The compiler adds hidden parameters, such as the first parameter of a grid that is launched
    // from the device.
    cursor.accept('.hidden');
    const space = cursor.accept('.param') ?? cursor.accept('.reg') ?? cursor.fail('`.param` or `.reg`');
    parameters.push(
      parseDeclarator(cursor, space.text === '.reg' ? 'reg' : 'param', parsePrefix(cursor, true), false, start),
    );
  } while (cursor.accept(',') !== undefined);
  cursor.expect(')');
  return parameters;
}

/**
 * Parses a range such as `<60>` after a name. The count must be a literal, because `>` would be an
 * operator in an expression.
 */
function parseRange(cursor: Cursor): number | undefined {
  if (cursor.accept('<') === undefined) return undefined;
  const token = cursor.peek.kind === 'int' ? cursor.take() : cursor.fail('a register count');
  const count = Number(token.text.replace(/U$/, ''));
  if (!(count <= maxRange))
    throw new SyntaxFailure(diagnostics().outOfRange(token, 'a register count', `0 to ${maxRange}`));
  cursor.expect('>');
  return count;
}

/** Parses the rest of a `.reg` declaration, up to and including `;`. */
export function parseRegisters(cursor: Cursor, start: Token): RegisterDeclaration {
  const { type, vector } = parsePrefix(cursor);
  const names: { text: string; span: { start: number; end: number }; count: number | undefined }[] = [];
  do {
    const name = nameOf(cursor.expectWord('a register name'));
    names.push({ ...name, count: parseRange(cursor) });
  } while (cursor.accept(',') !== undefined);
  cursor.expect(';');
  return { kind: 'registers', type, vector, names, span: { start: start.start, end: cursor.last.end } };
}
