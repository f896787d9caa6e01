// Parses the instructions and values of a function, or of its control tree. Values may be used
// before their definition, so names are resolved at the end.

import type { Span, Variable } from '../../ptx/ast.ts';
import type { Ids } from './builder.ts';
import { constant, type Definition, type Inst, type Result, undef } from './nodes.ts';
import { isOpName, operations } from './operations.ts';
import { type Later, type Operands, parseOperands } from './parse-operands.ts';
import type { Cursor } from './text-tokens.ts';
import { isType, type Type } from './types.ts';

/**
 * Returns a value's name without the number that distinguishes it from others with the same hint.
 */
export function hintOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  const stem = dot === -1 ? name : name.slice(0, dot);
  return stem === '%' ? undefined : stem;
}

export class InstParser {
  readonly ids: Ids;
  private readonly variables: ReadonlyMap<string, Variable>;
  private readonly values = new Map<string, Definition>();
  private readonly later: (() => void)[] = [];

  constructor(ids: Ids, variables: ReadonlyMap<string, Variable>) {
    this.ids = ids;
    this.variables = variables;
  }

  /** Resolves the names. */
  finish(): void {
    for (const action of this.later) action();
  }

  /** Defers an action until all values are known. */
  whenKnown(action: () => void): void {
    this.later.push(action);
  }

  /** Returns the names of the defined values. */
  names(): ReadonlyMap<Definition, string> {
    return new Map([...this.values].map(([name, value]) => [value, name]));
  }

  /** Parses `%name:type`. */
  definition(cursor: Cursor): readonly [string, Type] {
    const name = cursor.next('value');
    cursor.expect(':');
    return [name, typeAt(cursor)];
  }

  define(cursor: Cursor, name: string, value: Definition): void {
    if (this.values.has(name)) cursor.fail(`${name} is defined twice`);
    this.values.set(name, value);
  }

  defined(name: string): Definition | undefined {
    return this.values.get(name);
  }

  inst(cursor: Cursor): Inst {
    const { definitions, op, operands, when, otherwise, span } = this.read(cursor);
    const results: Result[] = [];
    const fields = {
      id: this.ids.next(),
      op,
      operation: operations[op],
      attrs: operands.attrs,
      args: [],
      results,
      when: undefined,
      otherwise: [],
      span,
    };
    // The parsed words determine the types of the attributes, which TypeScript cannot check.
    const inst = fields as unknown as Inst;
    definitions.forEach(([name, type], index) => {
      const result: Result = { kind: 'result', id: this.ids.next(), type, hint: hintOf(name), inst, index };
      results.push(result);
      this.define(cursor, name, result);
    });
    this.whenKnown(() => {
      inst.args = operands.args.map((value) => value());
      inst.when = when?.();
      inst.otherwise = otherwise.map((value) => value());
    });
    return inst;
  }

  /** Skips an instruction whose results are already defined. */
  again(cursor: Cursor): void {
    this.read(cursor);
  }

  private read(cursor: Cursor) {
    const definitions = cursor.peek()?.kind === 'value' ? cursor.list(() => this.definition(cursor)) : [];
    if (definitions.length > 0) cursor.expect('=');
    const [op, ...words] = cursor.next('name').split('.');
    if (op === undefined || !isOpName(op)) return cursor.fail(`unknown operation ${op}`);
    const { variables } = this;
    const types = definitions.map(([, type]) => type);
    const operands: Operands = parseOperands({ cursor, op, words, types, variables, value: () => this.value(cursor) });
    const when = cursor.take('when') ? this.value(cursor) : undefined;
    const otherwise = when && cursor.take('else') ? cursor.list(() => this.value(cursor)) : [];
    return { definitions, op, operands, when, otherwise, span: spanAt(cursor) };
  }

  value(cursor: Cursor): Later {
    if (cursor.take('true')) return () => constant('i1', 1n);
    if (cursor.take('false')) return () => constant('i1', 0n);
    if (cursor.take('undef')) {
      cursor.expect(':');
      const type = typeAt(cursor);
      return () => undef(type);
    }
    if (cursor.peek()?.kind === 'number') {
      const text = cursor.next('number');
      const bits = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
      const type = cursor.take(':') ? typeAt(cursor) : 'i32';
      return () => constant(type, bits);
    }
    const name = cursor.next('value');
    return () => this.values.get(name) ?? cursor.fail(`${name} is not defined`);
  }
}

export function typeAt(cursor: Cursor): Type {
  const text = cursor.next('name');
  return isType(text) ? text : cursor.fail(`unknown type ${text}`);
}

/** Parses a span: `!12..34`. */
export function spanAt(cursor: Cursor): Span | undefined {
  if (!cursor.take('!')) return undefined;
  const start = cursor.integer();
  cursor.expect('..');
  return { start, end: cursor.integer() };
}
