// Reads the lines of a control tree in text, and the parts of a line: values, instructions, labels,
// places to wait. A value may be used before its definition, since a case of a dispatch may precede
// the case that defines its operands. So the parser creates the parts after it knows all names.
import { at, get } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { Variable } from '../../ptx/ast.ts';
import { Ids } from '../ir/builder.ts';
import {
  type Block,
  type Inst,
  type InstNamed,
  isMatrixInst,
  type MatrixInst,
  type Param,
  type Value,
} from '../ir/nodes.ts';
import { hintOf, InstParser } from '../ir/parse-insts.ts';
import type { Later } from '../ir/parse-operands.ts';
import type { Names } from '../ir/print-insts.ts';
import { Cursor } from '../ir/text-tokens.ts';
import type { Jump, Label } from './tree.ts';
import { isSync, type WaitClass, type WaitPlace } from './waits.ts';

/** Creates a part of the tree, after all values are known. */
export type Made<Part> = () => Part;

type Warp = InstNamed<'warp'>;

export class ControlReader {
  private readonly file: string;
  private readonly lines: readonly string[];
  private line = 0;
  /** The current line. */
  cursor: Cursor;
  private readonly insts: InstParser;
  private readonly labels = new Map<string, { params: readonly Param[] }>();
  /**
   * Instructions with results, by the name of the first result. In a converged loop, their text
   * appears twice.
   */
  private readonly known = new Map<string, { readonly inst: Inst; readonly text: string }>();
  /** The warp instructions of each class, by its number. */
  private readonly waiting = new Map<number, Set<Warp>>();
  private readonly classes = new Map<number, WaitClass>();

  constructor(text: string, file: string, variables: ReadonlyMap<string, Variable>) {
    this.file = file;
    this.lines = text.split('\n');
    this.insts = new InstParser(new Ids(), variables);
    this.cursor = this.next();
  }

  // Lines.

  /** Returns the next line that is not empty. */
  private next(): Cursor {
    const cursor = this.nextOrNone();
    // Absent: the text ends before its last brace.
    return cursor ?? new Cursor('', `${this.file}:${this.lines.length}`).fail('a brace is not closed');
  }

  /** Reads `{`, lines, and the `}` that starts a line. `read` reads a line. */
  inBraces(read: () => void): void {
    this.cursor.expect('{');
    this.cursor.end();
    for (this.cursor = this.next(); !this.cursor.take('}'); this.cursor = this.next()) {
      read();
      this.cursor.end();
    }
  }

  /** Fails if there is more text. */
  end(): void {
    this.cursor.end();
    this.nextOrNone()?.fail('the text should end here');
    this.insts.finish();
  }

  private nextOrNone(): Cursor | undefined {
    for (const line of this.lines.slice(this.line)) {
      this.line += 1;
      const cursor = new Cursor(line, `${this.file}:${this.line}`);
      if (!cursor.done) return cursor;
    }
    return undefined;
  }

  names(): Names {
    return this.insts.names();
  }

  value(): Later {
    return this.insts.value(this.cursor);
  }

  values(): Made<readonly Value[]> {
    const { cursor } = this;
    const list = cursor.done || cursor.is('!') ? [] : cursor.list(() => this.value());
    return () => list.map((value) => value());
  }

  inst(): Inst {
    const { cursor } = this;
    const start = cursor.position;
    const first = cursor.peek();
    const known = first?.kind === 'value' ? this.known.get(first.text) : undefined;
    if (known !== undefined) {
      this.insts.again(cursor);
      if (cursor.since(start) !== known.text) cursor.fail(`${first?.text} is defined twice, in different ways`);
      return known.inst;
    }
    const inst = this.insts.inst(cursor);
    if (first?.kind === 'value') this.known.set(first.text, { inst, text: cursor.since(start) });
    return inst;
  }

  /** Reads a collective. */
  collective(): Warp | InstNamed<'barrier'> | MatrixInst {
    const inst = this.inst();
    return isMatrixInst(inst) ? inst : this.asSync(inst);
  }

  /** Reads a collective at which lanes of a dispatched kernel wait. */
  sync(): Warp | InstNamed<'barrier'> {
    return this.asSync(this.inst());
  }

  private asSync(inst: Inst): Warp | InstNamed<'barrier'> {
    if (inst.op === 'warp' || inst.op === 'barrier') return inst;
    return this.cursor.fail(`lanes do not execute ${inst.op} together`);
  }

  warp(): Warp {
    const inst = this.inst();
    return inst.op === 'warp' ? inst : this.cursor.fail(`${inst.op} is not a warp instruction`);
  }

  /** Reads all results of an instruction, and returns the instruction. */
  resultsOf(): Made<Inst> {
    const { cursor } = this;
    const values = cursor.list(() => this.value());
    return () => {
      const [first, ...others] = values.map((value) => value());
      if (first?.kind !== 'result') return cursor.fail('expected the results of an instruction');
      const { inst } = first;
      if (others.length + 1 !== inst.results.length || others.some((other, index) => other !== inst.results[index + 1]))
        return cursor.fail(`expected all results of one ${inst.op}`);
      return inst;
    };
  }

  /** Reads the moves to all parameters of a block: `%a:i32 = %x, %b:i32 = 1`. */
  moves(): { readonly params: readonly Param[]; readonly args: Made<readonly Value[]> } {
    const { cursor } = this;
    const moves = cursor.list(() => {
      const [name, type] = this.insts.definition(cursor);
      cursor.expect('=');
      return { name, type, arg: this.value() };
    });
    const args = () => moves.map(({ arg }) => arg());
    const known = moves.map(({ name }) => this.insts.defined(name));
    if (known.every((value) => value === undefined)) {
      const block: Block = { id: this.insts.ids.next(), params: [], insts: [], end: { kind: 'exit', span: undefined } };
      block.params = moves.map(({ name, type }): Param => {
        const param: Param = { kind: 'param', id: this.insts.ids.next(), type, hint: hintOf(name), block };
        this.insts.define(cursor, name, param);
        return param;
      });
      return { params: block.params, args };
    }
    const [first] = known;
    if (first?.kind !== 'param') return cursor.fail('expected the parameters of a block');
    const { params } = first.block;
    const fits = params.length === moves.length && moves.every(({ type }, index) => params[index]?.type === type);
    if (!fits || params.some((param, index) => param !== known[index]))
      return cursor.fail('expected the same parameters as in the other move to this block');
    return { params, args };
  }

  // Reads the name of a label.

  label(): { params: readonly Param[] } {
    return getOrInsert(this.labels, this.cursor.next('name'), () => ({ params: [] }));
  }

  /**
   * Reads the label of a construct, with the parameters of the block that a jump reaches: `L0(%a,
   * %b)`.
   */
  construct(): Label {
    const { cursor } = this;
    const label = this.label();
    if (!cursor.take('(')) return label;
    const values = cursor.list(() => this.value());
    cursor.expect(')');
    this.insts.whenKnown(() => {
      label.params = values.map((value) => {
        const param = value();
        return param.kind === 'param' ? param : cursor.fail('expected a parameter of a block');
      });
    });
    return label;
  }

  jump(): Jump {
    const { cursor } = this;
    const kind = cursor.next('name');
    if (kind !== 'break' && kind !== 'continue') return cursor.fail('expected break or continue');
    return { kind, label: this.label() };
  }

  place(): Made<WaitPlace> {
    const { cursor } = this;
    const kind = cursor.next('name');
    switch (kind) {
      case 'class': {
        const id = cursor.integer();
        return () => ({ kind, class: this.classOf(id, cursor) });
      }
      case 'loop':
      case 'back-edge': {
        const head = cursor.integer();
        return () => ({ kind, head });
      }
      case 'barrier':
      case 'yield':
        return () => ({ kind });
      default:
        return cursor.fail(`invalid place to wait ${kind}: expected class, loop, back-edge, barrier or yield`);
    }
  }

  /**
   * Reads a wait, such as `class 1, goto 7: %x = warp …`. Other places may replace `class 1`. The
   * instruction after the colon is optional.
   */
  wait(): {
    readonly at: Made<WaitPlace>;
    readonly next: number;
    readonly inst: Warp | InstNamed<'barrier'> | undefined;
  } {
    const { cursor } = this;
    const id = cursor.is('class') ? Number(cursor.peek(1)?.text) : undefined;
    const place = this.place();
    cursor.expect(',');
    cursor.expect('goto');
    const next = cursor.integer();
    const inst = cursor.take(':') ? this.sync() : undefined;
    if (id !== undefined && inst?.op === 'warp') getOrInsert(this.waiting, id, () => new Set()).add(inst);
    return { at: place, next, inst };
  }

  private classOf(id: number, cursor: Cursor): WaitClass {
    return getOrInsert(this.classes, id, () => {
      if (!this.waiting.has(id)) cursor.fail(`no lane waits at class ${id}`);
      const members = [...get(this.waiting, id, 'the instructions of a class')];
      const first = at(members, 0, 'the instructions of a class');
      return { id, sync: isSync(first), first, members };
    });
  }
}
