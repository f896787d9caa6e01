// Parses the text after an operation's name: arguments, and attributes that are more than words.

import { isObject } from '../../base/json-value.ts';
import { matrixRows } from '../../isa/matrix.ts';
import type { Mods } from '../../isa/row.ts';
import { warpRows } from '../../isa/warp.ts';
import type { Variable } from '../../ptx/ast.ts';
import { helpers } from '../../wgsl/helpers.ts';
import { helperTypes, isSpace, parseWords } from './attribute-words.ts';
import type { Place, Root } from './memory.ts';
import type { Value } from './nodes.ts';
import type { OpName } from './operations.ts';
import type { Cursor } from './text-tokens.ts';
import type { Type } from './types.ts';

/** Returns a value. Must be called after all values are known. */
export type Later = () => Value;

export interface Operands {
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly args: readonly Later[];
}

export interface OperandContext {
  readonly cursor: Cursor;
  readonly op: OpName;
  /** The words after the operation's name. */
  readonly words: readonly string[];
  /** The types of the results, as written. */
  readonly types: readonly Type[];
  readonly variables: ReadonlyMap<string, Variable>;
  readonly value: () => Later;
}

export function parseOperands(context: OperandContext): Operands {
  const { cursor, op, types } = context;
  const attrs = words(context);
  switch (op) {
    case 'load':
    case 'store':
    case 'atomic':
    case 'half':
    case 'cell':
    case 'matrix-load': {
      const [place, index] = parsePlace(context);
      return { attrs: { ...attrs, place }, args: [...index, ...furtherValues(context)] };
    }
    case 'helper':
      return { attrs: { ...attrs, ...parseHelper(cursor) }, args: furtherValues(context) };
    case 'steps':
      return { attrs: { ...attrs, ...parseSteps(cursor) }, args: furtherValues(context) };
    case 'warp':
      return { attrs: { ...attrs, ...parseWarp(cursor) }, args: furtherValues(context) };
    case 'symbol':
      return { attrs: { ...attrs, ...parseSymbol(context) }, args: [] };
    case 'special':
      return { attrs: { ...attrs, name: cursor.string() }, args: [] };
    case 'call': {
      cursor.expect('@');
      const callee = nameAt(cursor);
      const divisible = cursor.take('divisible') ? { divisible: true } : {};
      return { attrs: { ...attrs, callee, results: types, ...divisible }, args: furtherValues(context) };
    }
    default:
      return { attrs, args: cursor.done || cursor.is('when') || cursor.is('!') ? [] : cursor.list(context.value) };
  }
}

function words({ cursor, op, words: list }: OperandContext): Record<string, unknown> {
  try {
    return parseWords(op, list);
  } catch (error) {
    return cursor.fail(error instanceof Error ? error.message : String(error));
  }
}

const nameAt = (cursor: Cursor): string =>
  cursor.peek()?.kind === 'value' ? cursor.next('value') : cursor.next('name');

/** Parses values after a comma. */
const furtherValues = ({ cursor, value }: OperandContext): readonly Later[] =>
  cursor.take(',') ? cursor.list(value) : [];

/** Parses the attributes of `helper`, such as `name(u32, f32) u32`. */
function parseHelper(cursor: Cursor): Readonly<Record<string, unknown>> {
  const type = () => {
    const text = cursor.next('name');
    return helperTypes.includes(text) ? text : cursor.fail(`${text} is not a type of helpers`);
  };
  const name = cursor.next('name');
  if (!Object.hasOwn(helpers, name)) cursor.fail(`unknown helper ${name}`);
  cursor.expect('(');
  const params = cursor.is(')') ? [] : cursor.list(type);
  cursor.expect(')');
  return { name, params, result: type() };
}

/** Parses the attributes of `steps`, which are JSON in a string. */
function parseSteps(cursor: Cursor): Readonly<Record<string, unknown>> {
  const attrs: unknown = JSON.parse(cursor.string());
  if (!isObject(attrs)) cursor.fail('expected the attributes of `steps` as JSON');
  return attrs;
}

/**
 * Parses the attributes of a warp instruction: `"shfl.sync" {mode: idx, type: b32}`,
 * `"vote.sync" {mode: any} word`, or for joined products
 * `"mma.f16" {shape: m16n8k16, …} [0:0, 0:1]`.
 */
function parseWarp(cursor: Cursor): Readonly<Record<string, unknown>> {
  const row = cursor.string();
  if (![...warpRows, ...matrixRows].some(({ name }) => name === row)) cursor.fail(`unknown warp instruction ${row}`);
  const mods: Record<string, string> = {};
  cursor.expect('{');
  if (!cursor.is('}')) {
    cursor.list(() => {
      const key = cursor.next('name');
      cursor.expect(':');
      mods[key] = cursor.next('name', 'number');
    });
  }
  cursor.expect('}');
  const all: Mods = mods;
  if (cursor.take('word')) return { row, mods: all, asWord: true };
  if (!cursor.take('[')) return { row, mods: all };
  const products = cursor.list(() => {
    const a = cursor.integer();
    cursor.expect(':');
    return [a, cursor.integer()] as const;
  });
  cursor.expect(']');
  return { row, mods: all, products };
}

/** Parses `@name 4`. */
function parseSymbol({ cursor, variables }: OperandContext): Readonly<Record<string, unknown>> {
  cursor.expect('@');
  const name = nameAt(cursor);
  const variable = variables.get(name) ?? cursor.fail(`unknown variable ${name}`);
  return { variable, offset: cursor.integer() };
}

/** Parses a place, such as `heap[%i*4 + 8]`. Returns the place and the index, if there is one. */
function parsePlace({ cursor, value }: OperandContext): readonly [Place, readonly Later[]] {
  const root = parseRoot(cursor);
  cursor.expect('[');
  const [place, index] = parseSum(cursor, root, value);
  cursor.expect(']');
  return [place, index];
}

function parseSum(cursor: Cursor, root: Root, value: () => Later): readonly [Place, readonly Later[]] {
  const isOffset = cursor.peek()?.kind === 'number' && cursor.peek(1)?.text === ']';
  if (isOffset) return [{ root, unit: 1, offset: cursor.integer(), indexed: false }, []];
  const index = cursor.take('_') ? [] : [value()];
  const unit = cursor.take('*') ? cursor.integer() : 1;
  const sign = cursor.take('+') ? 1 : cursor.take('-') ? -1 : 0;
  const offset = sign === 0 ? 0 : sign * cursor.integer();
  return [{ root, unit, offset, indexed: index.length > 0 }, index];
}

function parseRoot(cursor: Cursor): Root {
  const kind = cursor.next('name');
  if (kind === 'heap' || kind === 'generic' || kind === 'instructions') return { kind };
  cursor.expect('(');
  const root = parseNumberedRoot(cursor, kind);
  cursor.expect(')');
  return root;
}

function parseNumberedRoot(cursor: Cursor, kind: string): Root {
  if (kind === 'address') {
    const space = cursor.next('name');
    return isSpace(space) ? { kind, space } : cursor.fail(`unknown state space ${space}`);
  }
  if (kind === 'array') return { kind, array: cursor.integer() };
  if (kind === 'buffer' || kind === 'param') return { kind, param: cursor.integer() };
  return cursor.fail(`unknown memory root ${kind}`);
}
