// Reads a function line by line. Values may be used above their definition, so arguments are looked up when the function ends.

import { getOrInsert } from '../../base/maps.ts';
import type { Span, Variable } from '../../ptx/ast.ts';
import type { Ids } from './builder.ts';
import {
  type Block,
  constant,
  type Definition,
  type Func,
  type Inst,
  type Result,
  type Terminator,
  undef,
  type Value,
} from './nodes.ts';
import { isOpName, operations } from './operations.ts';
import { type Later, type Operands, parseOperands } from './parse-operands.ts';
import type { Cursor } from './text-tokens.ts';
import { isType, type Type } from './types.ts';

/** A value's name without the number that tells it from others of its hint. */
function hintOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  const stem = dot === -1 ? name : name.slice(0, dot);
  return stem === '%' ? undefined : stem;
}

export class FuncParser {
  private readonly func: Func;
  private readonly ids: Ids;
  private readonly variables: ReadonlyMap<string, Variable>;
  private readonly values = new Map<string, Definition>();
  private readonly blocks = new Map<string, Block>();
  private readonly later: (() => void)[] = [];
  private block: Block | undefined;

  private constructor(func: Func, ids: Ids, variables: ReadonlyMap<string, Variable>) {
    this.func = func;
    this.ids = ids;
    this.variables = variables;
  }

  /** `kernel name {`, `function name -> i32 {`. */
  static head(cursor: Cursor, ids: Ids, variables: ReadonlyMap<string, Variable>): FuncParser {
    const kind = cursor.next('name');
    if (kind !== 'kernel' && kind !== 'function') return cursor.fail(`what is a ${kind}?`);
    const name = cursor.peek()?.kind === 'value' ? cursor.next('value') : cursor.next('name');
    const results = cursor.take('->') ? cursor.list(() => typeAt(cursor)) : [];
    cursor.expect('{');
    return new FuncParser({ name, kind, results, blocks: [] }, ids, variables);
  }

  finish(): Func {
    for (const action of this.later) action();
    return this.func;
  }

  line(cursor: Cursor): void {
    const first = cursor.peek();
    const isBlock = first?.kind === 'name' && (cursor.peek(1)?.text === ':' || isBlockHead(first.text, cursor));
    if (isBlock) {
      this.head(cursor);
      return;
    }
    if (this.block === undefined) cursor.fail('a block begins first: b0:');
    else if (!this.end(cursor, this.block)) this.inst(cursor, this.block);
  }

  private head(cursor: Cursor): void {
    const block = this.blockNamed(cursor.next('name'));
    if (this.func.blocks.includes(block)) cursor.fail('this block was there already');
    this.func.blocks.push(block);
    this.block = block;
    if (cursor.take('(')) {
      block.params = cursor.list(() => {
        const [name, type] = this.definition(cursor);
        const param = { kind: 'param', id: this.ids.next(), type, hint: hintOf(name), block } as const;
        this.define(cursor, name, param);
        return param;
      });
      cursor.expect(')');
    }
    cursor.expect(':');
  }

  private blockNamed(name: string): Block {
    return getOrInsert(this.blocks, name, () => ({
      id: this.ids.next(),
      params: [],
      insts: [],
      end: { kind: 'exit', span: undefined },
    }));
  }

  /** `%name:type`. */
  private definition(cursor: Cursor): readonly [string, Type] {
    const name = cursor.next('value');
    cursor.expect(':');
    return [name, typeAt(cursor)];
  }

  private define(cursor: Cursor, name: string, value: Definition): void {
    if (this.values.has(name)) cursor.fail(`${name} is defined twice`);
    this.values.set(name, value);
  }

  private inst(cursor: Cursor, block: Block): void {
    const definitions = cursor.peek()?.kind === 'value' ? cursor.list(() => this.definition(cursor)) : [];
    if (definitions.length > 0) cursor.expect('=');
    const [op, ...words] = cursor.next('name').split('.');
    if (op === undefined || !isOpName(op)) return cursor.fail(`no operation is called ${op}`);
    const { variables } = this;
    const types = definitions.map(([, type]) => type);
    const operands: Operands = parseOperands({ cursor, op, words, types, variables, value: () => this.value(cursor) });
    const when = cursor.take('when') ? this.value(cursor) : undefined;
    const otherwise = when && cursor.take('else') ? cursor.list(() => this.value(cursor)) : [];
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
    };
    // The words of the operation's row gave the attributes their types.
    const inst = { ...fields, span: spanAt(cursor) } as unknown as Inst;
    definitions.forEach(([name, type], index) => {
      const result: Result = { kind: 'result', id: this.ids.next(), type, hint: hintOf(name), inst, index };
      results.push(result);
      this.define(cursor, name, result);
    });
    cursor.end();
    block.insts.push(inst);
    this.later.push(() => {
      inst.args = operands.args.map((value) => value());
      inst.when = when?.();
      inst.otherwise = otherwise.map((value) => value());
    });
  }

  private value(cursor: Cursor): Later {
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

  private edge(cursor: Cursor): () => { readonly to: Block; readonly args: readonly Value[] } {
    const name = cursor.next('name');
    const args = cursor.take('(') ? cursor.list(() => this.value(cursor)) : [];
    if (args.length > 0) cursor.expect(')');
    return () => {
      const to = this.blocks.get(name);
      if (to === undefined || !this.func.blocks.includes(to)) return cursor.fail(`there is no block ${name}`);
      return { to, args: args.map((value) => value()) };
    };
  }

  /** Whether the line is a terminator. */
  private end(cursor: Cursor, block: Block): boolean {
    const make = this.terminator(cursor);
    if (make === undefined) return false;
    const span = spanAt(cursor);
    cursor.end();
    this.block = undefined;
    this.later.push(() => {
      block.end = make(span);
    });
    return true;
  }

  private terminator(cursor: Cursor): ((span: Span | undefined) => Terminator) | undefined {
    if (cursor.take('jump')) {
      const to = this.edge(cursor);
      return (span) => ({ kind: 'jump', to: to(), span });
    }
    if (cursor.take('branch')) {
      const condition = this.value(cursor);
      cursor.expect(',');
      const then = this.edge(cursor);
      cursor.expect(',');
      const otherwise = this.edge(cursor);
      return (span) => ({ kind: 'branch', condition: condition(), then: then(), else: otherwise(), span });
    }
    if (cursor.take('switch')) {
      const selector = this.value(cursor);
      cursor.expect(',');
      const edges = cursor.list(() => this.edge(cursor));
      return (span) => ({ kind: 'switch', selector: selector(), edges: edges.map((edge) => edge()), span });
    }
    if (cursor.take('return')) {
      const values = cursor.done || cursor.is('!') ? [] : cursor.list(() => this.value(cursor));
      return (span) => ({ kind: 'return', values: values.map((value) => value()), span });
    }
    if (cursor.take('exit')) return (span) => ({ kind: 'exit', span });
    if (cursor.take('trap')) return (span) => ({ kind: 'trap', span });
    return undefined;
  }
}

/** `b3(` begins a block where a type follows the first value; no instruction looks so. */
const isBlockHead = (text: string, cursor: Cursor): boolean => text.startsWith('b') && cursor.peek(1)?.text === '(';

function typeAt(cursor: Cursor): Type {
  const text = cursor.next('name');
  return isType(text) ? text : cursor.fail(`no type is called ${text}`);
}

/** `!12..34`. */
function spanAt(cursor: Cursor): Span | undefined {
  if (!cursor.take('!')) return undefined;
  const start = cursor.integer();
  cursor.expect('..');
  return { start, end: cursor.integer() };
}
