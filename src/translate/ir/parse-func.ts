// Parses a function line by line. A value may be used before its definition, so arguments are
// resolved at the end of the function.

import { getOrInsert } from '../../base/maps.ts';
import type { Span, Variable } from '../../ptx/ast.ts';
import type { Ids } from './builder.ts';
import type { Block, Func, Terminator, Value } from './nodes.ts';
import { hintOf, InstParser, spanAt, typeAt } from './parse-insts.ts';
import type { Cursor } from './text-tokens.ts';

export class FuncParser {
  private readonly func: Func;
  private readonly insts: InstParser;
  private readonly blocks = new Map<string, Block>();
  private block: Block | undefined;

  private constructor(func: Func, ids: Ids, variables: ReadonlyMap<string, Variable>) {
    this.func = func;
    this.insts = new InstParser(ids, variables);
  }

  /** Parses `kernel name {` or `function name -> i32 {`. */
  static head(cursor: Cursor, ids: Ids, variables: ReadonlyMap<string, Variable>): FuncParser {
    const kind = cursor.next('name');
    if (kind !== 'kernel' && kind !== 'function')
      return cursor.fail(`expected \`kernel\` or \`function\`, found \`${kind}\``);
    const name = cursor.peek()?.kind === 'value' ? cursor.next('value') : cursor.next('name');
    const results = cursor.take('->') ? cursor.list(() => typeAt(cursor)) : [];
    cursor.expect('{');
    return new FuncParser({ name, kind, results, blocks: [] }, ids, variables);
  }

  finish(): Func {
    this.insts.finish();
    return this.func;
  }

  line(cursor: Cursor): void {
    const first = cursor.peek();
    const isBlock = first?.kind === 'name' && (cursor.peek(1)?.text === ':' || isBlockHead(first.text, cursor));
    if (isBlock) {
      this.head(cursor);
      return;
    }
    if (this.block === undefined) cursor.fail('expected the head of a block: `b0:`');
    else if (!this.end(cursor, this.block)) this.inst(cursor, this.block);
  }

  private head(cursor: Cursor): void {
    const block = this.blockNamed(cursor.next('name'));
    if (this.func.blocks.includes(block)) cursor.fail('this block is defined twice');
    this.func.blocks.push(block);
    this.block = block;
    if (cursor.take('(')) {
      block.params = cursor.list(() => {
        const [name, type] = this.insts.definition(cursor);
        const param = { kind: 'param', id: this.insts.ids.next(), type, hint: hintOf(name), block } as const;
        this.insts.define(cursor, name, param);
        return param;
      });
      cursor.expect(')');
    }
    cursor.expect(':');
  }

  private blockNamed(name: string): Block {
    return getOrInsert(this.blocks, name, () => ({
      id: this.insts.ids.next(),
      params: [],
      insts: [],
      end: { kind: 'exit', span: undefined },
    }));
  }

  private inst(cursor: Cursor, block: Block): void {
    const inst = this.insts.inst(cursor);
    cursor.end();
    block.insts.push(inst);
  }

  private edge(cursor: Cursor): () => { readonly to: Block; readonly args: readonly Value[] } {
    const name = cursor.next('name');
    const args = cursor.take('(') ? cursor.list(() => this.insts.value(cursor)) : [];
    if (args.length > 0) cursor.expect(')');
    return () => {
      const to = this.blocks.get(name);
      if (to === undefined || !this.func.blocks.includes(to)) return cursor.fail(`unknown block ${name}`);
      return { to, args: args.map((value) => value()) };
    };
  }

  /** Parses a terminator. Returns false if the line is not a terminator. */
  private end(cursor: Cursor, block: Block): boolean {
    const make = this.terminator(cursor);
    if (make === undefined) return false;
    const span = spanAt(cursor);
    cursor.end();
    this.block = undefined;
    this.insts.whenKnown(() => {
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
      const condition = this.insts.value(cursor);
      cursor.expect(',');
      const then = this.edge(cursor);
      cursor.expect(',');
      const otherwise = this.edge(cursor);
      return (span) => ({ kind: 'branch', condition: condition(), then: then(), else: otherwise(), span });
    }
    if (cursor.take('switch')) {
      const selector = this.insts.value(cursor);
      cursor.expect(',');
      const edges = cursor.list(() => this.edge(cursor));
      return (span) => ({ kind: 'switch', selector: selector(), edges: edges.map((edge) => edge()), span });
    }
    if (cursor.take('return')) {
      const values = cursor.done || cursor.is('!') ? [] : cursor.list(() => this.insts.value(cursor));
      return (span) => ({ kind: 'return', values: values.map((value) => value()), span });
    }
    if (cursor.take('exit')) return (span) => ({ kind: 'exit', span });
    if (cursor.take('trap')) return (span) => ({ kind: 'trap', span });
    return undefined;
  }
}

/** Whether a line begins a block, as in `b3(`. No instruction begins like this. */
const isBlockHead = (text: string, cursor: Cursor): boolean => text.startsWith('b') && cursor.peek(1)?.text === '(';
