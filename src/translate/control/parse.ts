// Reads the control tree that print.ts prints.
import type { Span, Variable } from '../../ptx/ast.ts';
import type { Inst } from '../ir/nodes.ts';
import { spanAt } from '../ir/parse-insts.ts';
import type { Names } from '../ir/print-insts.ts';
import type { Cursor } from '../ir/text-tokens.ts';
import { ControlText, type Made } from './parse-parts.ts';
import { type MaskChange, scopes, type Tree } from './tree.ts';

export interface ParsedControl {
  /** The kernel's name. */
  readonly name: string;
  readonly tree: readonly Tree[];
  /** The names of the values in the text. */
  readonly names: Names;
}

/**
 * Throws IrSyntaxError for text that is not a control tree. The verifier checks what the text
 * means.
 */
export function parseControl(
  text: string,
  file = 'control',
  variables: ReadonlyMap<string, Variable> = new Map(),
): ParsedControl {
  const lines = new ControlText(text, file, variables);
  const head = lines.next();
  head.expect('control');
  const name = head.peek()?.kind === 'value' ? head.next('value') : head.next('name');
  const list = new TreeParser(lines).only(head);
  lines.end();
  return { name, tree: list(), names: lines.names() };
}

type List = Made<readonly Tree[]>;

/** A list, and the line that closes it, read up to the brace. */
interface Body {
  readonly list: List;
  readonly close: Cursor;
}

class TreeParser {
  private readonly text: ControlText;

  constructor(text: ControlText) {
    this.text = text;
  }

  // Lists.

  /** Reads `{` at the end of a head, and the lines up to `}`. `read` reads a line. */
  private lines(head: Cursor, read: (cursor: Cursor) => void): Cursor {
    head.expect('{');
    head.end();
    for (let cursor = this.text.next(); ; cursor = this.text.next()) {
      if (cursor.take('}')) return cursor;
      read(cursor);
    }
  }

  private body(head: Cursor): Body {
    const parts: Made<Tree>[] = [];
    let run: Inst[] | undefined;
    const close = this.lines(head, (cursor) => {
      const tree = this.tree(cursor);
      if (tree !== undefined) {
        parts.push(tree);
        run = undefined;
        return;
      }
      if (run === undefined) {
        const insts: Inst[] = [];
        parts.push(() => ({ kind: 'code', insts }));
        run = insts;
      }
      run.push(this.text.inst(cursor));
      cursor.end();
    });
    return { list: () => parts.map((part) => part()), close };
  }

  /** Reads a list in braces. Fails if text follows the closing brace. */
  only(head: Cursor): List {
    const { list, close } = this.body(head);
    close.end();
    return list;
  }

  /** Reads `{ … } else { … }`. The second part is optional. */
  private orElse(head: Cursor): readonly [List, List] {
    const { list, close } = this.body(head);
    if (close.take('else')) return [list, this.only(close)];
    close.end();
    return [list, () => []];
  }

  // Trees.

  /** Returns undefined for an instruction. */
  private tree(cursor: Cursor): Made<Tree> | undefined {
    const { text } = this;
    const first = cursor.peek();
    if (first?.kind !== 'name') return undefined;
    const start = first.text;
    if (start === 'if' || start.startsWith('if.')) return this.if(cursor);
    switch (start) {
      case 'move': {
        cursor.next('name');
        const { params, args } = text.moves(cursor);
        cursor.end();
        return () => ({ kind: 'move', params, args: args() });
      }
      case 'switch':
        return this.switch(cursor);
      case 'loop':
        return this.loop(cursor);
      case 'block': {
        cursor.next('name');
        const label = text.construct(cursor);
        const body = this.only(cursor);
        return () => ({ kind: 'block', label, body: body() });
      }
      case 'break':
      case 'continue': {
        const jump = text.jump(cursor);
        cursor.end();
        return () => jump;
      }
      case 'exit':
        cursor.next('name');
        cursor.end();
        return () => ({ kind: 'exit' });
      case 'trap': {
        cursor.next('name');
        const span = lastSpan(cursor);
        return () => ({ kind: 'trap', span });
      }
      case 'return': {
        cursor.next('name');
        const values = text.values(cursor);
        const span = lastSpan(cursor);
        return () => ({ kind: 'return', values: values(), span });
      }
      case 'lanes': {
        cursor.next('name');
        const masked = cursor.take('masked');
        const body = this.only(cursor);
        return () => ({ kind: 'lanes', body: body(), masked });
      }
      case 'collective': {
        cursor.next('name');
        const keeps = cursor.take('keeps');
        const inst = text.collective(cursor);
        cursor.end();
        return () => ({ kind: 'collective', inst, keeps });
      }
      case 'any': {
        cursor.next('name');
        const vote = text.vote(cursor);
        const body = this.only(cursor);
        return () => ({ kind: 'any', vote, body: body() });
      }
      case 'mask': {
        cursor.next('name');
        const change = this.change(cursor);
        cursor.end();
        return () => ({ kind: 'mask', change: change() });
      }
      default:
        return this.dispatchTree(cursor, start);
    }
  }

  private if(cursor: Cursor): Made<Tree> {
    const word = cursor.next('name');
    const scope = word === 'if' ? 'lane' : scopes.find((each) => word === `if.${each}`);
    if (scope === undefined) return cursor.fail(`invalid scope in ${word}: expected ${scopes.join(', ')}`);
    const condition = this.text.value(cursor);
    const vote = this.text.optionalVote(cursor);
    const span = spanAt(cursor);
    const [then, otherwise] = this.orElse(cursor);
    return () => ({ kind: 'if', condition: condition(), scope, vote, then: then(), else: otherwise(), span });
  }

  private switch(cursor: Cursor): Made<Tree> {
    cursor.next('name');
    const selector = this.text.value(cursor);
    const span = spanAt(cursor);
    const arms: { readonly values: readonly number[]; readonly body: List }[] = [];
    this.lines(cursor, (arm) => {
      arm.expect('case');
      const values = arm.list(() => arm.integer());
      arms.push({ values, body: this.only(arm) });
    }).end();
    const made = () => arms.map(({ values, body }) => ({ values, body: body() }));
    return () => ({ kind: 'switch', selector: selector(), arms: made(), span });
  }

  private loop(cursor: Cursor): Made<Tree> {
    const { text } = this;
    cursor.next('name');
    const label = text.construct(cursor);
    const exits = cursor.take('exits') ? cursor.list(() => text.construct(cursor)) : [];
    const vote = text.optionalVote(cursor);
    const { list, close } = this.body(cursor);
    let continuing: List = () => [];
    if (close.take('continuing')) continuing = this.only(close);
    else close.end();
    return () => ({ kind: 'loop', label, exits, vote, body: list(), continuing: continuing() });
  }

  private change(cursor: Cursor): Made<MaskChange> {
    const { text } = this;
    const op = cursor.next('name');
    switch (op) {
      case 'start': {
        const rejoins = cursor.done ? [] : cursor.list(() => text.jump(cursor));
        return () => ({ op, rejoins });
      }
      case 'leave':
      case 'leave-all': {
        const until = text.until(cursor);
        return () => ({ op, until });
      }
      case 'leave-unless':
      case 'leave-if': {
        const condition = text.value(cursor);
        const until = text.until(cursor);
        return () => ({ op: 'leave-unless', condition: condition(), negated: op === 'leave-if', until });
      }
      case 'rejoin': {
        const jump = text.jump(cursor);
        return () => ({ op, jump });
      }
      case 'split': {
        const condition = text.value(cursor);
        const span = spanAt(cursor);
        return () => ({ op, condition: condition(), span });
      }
      case 'other':
      case 'join':
        return () => ({ op });
      default:
        return cursor.fail(`invalid change of the mask: ${op}`);
    }
  }

  // The lanes of a dispatched kernel.

  private dispatchTree(cursor: Cursor, start: string): Made<Tree> | undefined {
    const { text } = this;
    switch (start) {
      case 'dispatch':
        return this.dispatch(cursor);
      case 'goto': {
        cursor.next('name');
        const to = cursor.integer();
        cursor.end();
        return () => ({ kind: 'goto', to });
      }
      case 'wait': {
        cursor.next('name');
        const { at, next, inst } = text.wait(cursor);
        cursor.end();
        return () => ({ kind: 'wait', at: at(), inst, next });
      }
      case 'resume':
      case 'pass': {
        cursor.next('name');
        const inst = text.resultsOf(cursor);
        cursor.end();
        return () => ({ kind: start, inst: inst() });
      }
      case 'meet': {
        cursor.next('name');
        const inst = text.warp(cursor);
        cursor.expect('alone');
        const alone = this.only(cursor);
        return () => ({ kind: 'meet', inst, alone: alone() });
      }
      default:
        return undefined;
    }
  }

  private dispatch(cursor: Cursor): Made<Tree> {
    const { text } = this;
    cursor.next('name');
    const waits: ReturnType<ControlText['place']>[] = [];
    const releases: ReturnType<ControlText['place']>[] = [];
    const cases: { readonly number: number; readonly body: List }[] = [];
    const loops: { readonly header: number; readonly body: List }[] = [];
    this.lines(cursor, (line) => {
      const word = line.next('name');
      if (word === 'wait') {
        if (line.integer() !== waits.length + 1) line.fail(`expected wait ${waits.length + 1}`);
        line.expect('=');
        waits.push(text.place(line));
        line.end();
      } else if (word === 'releases') {
        releases.push(...line.list(() => text.place(line)));
        line.end();
      } else if (word === 'case') {
        const number = line.integer();
        cases.push({ number, body: this.only(line) });
      } else if (word === 'converged') {
        const header = line.integer();
        loops.push({ header, body: this.only(line) });
      } else line.fail(`invalid part of a dispatch: ${word}`);
    }).end();
    return () => {
      const made = <Each extends { readonly body: List }>(list: readonly Each[]) =>
        list.map((each) => ({ ...each, body: each.body() }));
      const places = { waits: waits.map((place) => place()), releases: releases.map((place) => place()) };
      return { kind: 'dispatch', dispatch: { cases: made(cases), loops: made(loops), ...places } };
    };
  }
}

function lastSpan(cursor: Cursor): Span | undefined {
  const span = spanAt(cursor);
  cursor.end();
  return span;
}
