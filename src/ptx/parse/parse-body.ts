// Parses the statements of a function into a flat list.
import { isCall } from '../../isa/row.ts';
import type { StackRowName } from '../../isa/stack.ts';
import type { Diagnostic, Span } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Reporter, SyntaxFailure } from '../diagnostics/reporter.ts';
import { nearest } from '../diagnostics/suggest.ts';
import type { Cursor } from '../lexer/cursor.ts';
import type { Name, RawCall, RawGuard, RawOperand, RawStatement } from '../syntax.ts';
import { isImageSlot } from '../types.ts';
import type { OpcodeTable } from './opcode.ts';
import { Opcode } from './opcode-result.ts';
import { nameOf, parseOperand, parseOperandList } from './parse-operand.ts';
import { OpaqueDeclaration, parseParameters, parseRegisters, parseVariables } from './parse-variable.ts';

/**
 * The instructions that the front end expands into other PTX text. They are unsupported in
 * fragments.
 */
const stackNames: ReadonlySet<string> = new Set<StackRowName>(['stacksave', 'stackrestore', 'alloca']);

const variableSpaces = {
  '.local': 'local',
  '.shared': 'shared',
  '.param': 'param',
  '.const': 'const',
  '.global': 'global',
} as const;
const bodyDirectives = [
  ...Object.keys(variableSpaces),
  '.reg',
  '.loc',
  '.pragma',
  '.branchtargets',
  '.calltargets',
  '.callprototype',
];

/**
 * The maximum number of nested scopes. It is limited because the lookup of a name examines each
 * open scope.
 */
const maxOpen = 100;

function isVariableSpace(text: string): text is keyof typeof variableSpaces {
  return Object.hasOwn(variableSpaces, text);
}

export class BodyParser {
  private readonly cursor: Cursor;
  private readonly reporter: Reporter;
  private readonly opcodes: OpcodeTable;
  private readonly statements: RawStatement[] = [];
  private readonly opened: Span[] = [];
  /**
   * Whether the body is a fragment, whose last `;` may be omitted and which ends at the end of the
   * text.
   */
  private readonly fragment: boolean;

  constructor(cursor: Cursor, reporter: Reporter, opcodes: OpcodeTable, fragment: boolean) {
    this.cursor = cursor;
    this.reporter = reporter;
    this.opcodes = opcodes;
    this.fragment = fragment;
  }

  /**
   * Parses statements up to and including the `}` that closes the body, or in a fragment up to the
   * end of the text.
   */
  parse(open: Span | undefined): readonly RawStatement[] {
    const { cursor, opened } = this;
    for (;;) {
      if (cursor.atEnd) {
        const unclosed = opened.at(-1) ?? open;
        if (unclosed !== undefined) this.reporter.report(diagnostics().unclosedBody(unclosed, '{'));
        return this.statements;
      }
      if (cursor.at('}')) {
        const close = cursor.take();
        if (opened.pop() !== undefined) this.statements.push({ kind: 'close', span: close });
        else if (open !== undefined) return this.statements;
        else this.reporter.report(diagnostics().unexpectedStatement(close, '}', 'no `{` is open'));
        continue;
      }
      this.parseRecovering();
    }
  }

  private parseRecovering(): void {
    const start = this.cursor.position;
    try {
      this.parseStatement();
    } catch (failure) {
      if (failure instanceof OpaqueDeclaration) {
        this.reporter.report(diagnostics().unsupportedVariable(failure.type, failure.type.text));
        for (const variable of failure.variables) this.statements.push({ kind: 'opaque', ...variable });
        this.cursor.accept(';');
        return;
      }
      if (!(failure instanceof SyntaxFailure)) throw failure;
      this.reporter.report(failure.diagnostic);
      if (this.cursor.position === start) this.cursor.take();
      this.resume();
    }
  }

  /**
   * Skips tokens after an error, to the next `;` or to a line that looks like the start of a
   * statement.
   */
  private resume(): void {
    const { cursor } = this;
    while (!cursor.atEnd) {
      if (cursor.last.text === ';' || this.startsStatement()) return;
      if (cursor.at('}') && cursor.peek.line !== cursor.last.line) return;
      cursor.take();
    }
  }

  private startsStatement(): boolean {
    if (!this.cursor.startsLine) return false;
    const { peek } = this.cursor;
    if (peek.text === '@' || peek.text === '{' || peek.kind === 'dot') return true;
    const next = this.cursor.look(1);
    return peek.kind === 'word' && (next.kind === 'dot' || next.text === ':');
  }

  /**
   * Whether the first token of a line is an operand rather than a statement: the `{` of a vector,
   * or `%tid.x`.
   */
  private startsOperand(): boolean {
    const [first, second] = [this.cursor.peek, this.cursor.look(1)];
    if (first.text === '{') return true;
    return first.kind === 'word' && first.text.startsWith('%') && second.kind === 'dot';
  }

  /** Skips the operands of an unsupported instruction and the `;` after them. */
  private skipStatement(checked: boolean): void {
    const { cursor } = this;
    for (let depth = 0; !cursor.atEnd; ) {
      if (cursor.at(';')) {
        cursor.take();
        return;
      }
      if (depth === 0 && (cursor.at('}') || (this.startsStatement() && !this.startsOperand()))) break;
      const { text } = cursor.take();
      depth += text === '{' ? 1 : text === '}' ? -1 : 0;
    }
    if (checked) this.endInstruction();
  }

  private parseStatement(): void {
    const { cursor } = this;
    const { kind, text } = cursor;
    if (text === '{' && kind === 'mark') {
      const open = cursor.take();
      if (this.opened.length >= maxOpen) throw new SyntaxFailure(diagnostics().scopesTooDeep(open, maxOpen));
      this.opened.push(open);
      this.statements.push({ kind: 'open', span: open });
    } else if (kind === 'dot') this.parseDirective();
    else if (kind === 'word' && cursor.isMarkAhead(1, ':')) this.parseLabel();
    else if (kind === 'word' || (kind === 'mark' && text === '@')) this.parseInstruction();
    else if (text === ';') throw new SyntaxFailure(diagnostics().emptyStatement(cursor.take()));
    else cursor.fail('an instruction');
  }

  private parseDirective(): void {
    const { cursor } = this;
    const start = cursor.take();
    const { text } = start;
    if (text === '.reg') this.statements.push(parseRegisters(cursor, start));
    else if (isVariableSpace(text))
      for (const variable of parseVariables(cursor, variableSpaces[text], false, start)) this.statements.push(variable);
    else if (text === '.loc' || text === '.file') skipLine(cursor);
    else if (text === '.pragma') this.skipStatement(false);
    else if (text === '.section') skipSection(cursor);
    else throw new SyntaxFailure(diagnostics().unknownDirective(start, text, nearest(text, bodyDirectives)));
  }

  private parseLabel(): void {
    const { cursor } = this;
    const name = nameOf(cursor.take());
    cursor.take();
    if (cursor.accept('.branchtargets') !== undefined) {
      const labels: Name[] = [];
      do labels.push(nameOf(cursor.expectWord('a label')));
      while (cursor.accept(',') !== undefined);
      cursor.expect(';');
      this.statements.push({ kind: 'targets', name, labels, span: name.span });
    } else if (cursor.accept('.calltargets') !== undefined) {
      const functions: Name[] = [];
      do functions.push(nameOf(cursor.expectWord('a function')));
      while (cursor.accept(',') !== undefined);
      cursor.expect(';');
      this.statements.push({ kind: 'callees', name, functions, span: name.span });
    } else if (cursor.accept('.callprototype') !== undefined) {
      const results = cursor.at('(') ? parseParameters(cursor) : [];
      cursor.expectWord('`_`');
      const params = cursor.at('(') ? parseParameters(cursor) : [];
      // `.noreturn` and `.abi_preserve` do not affect the interface of the callee.
      this.skipStatement(false);
      this.statements.push({ kind: 'prototype', name, signature: { params, results }, span: name.span });
    } else {
      this.statements.push({ kind: 'label', name, span: name.span });
    }
  }

  private parseGuard(): RawGuard | undefined {
    const { cursor } = this;
    const start = cursor.accept('@');
    if (start === undefined) return undefined;
    const negated = cursor.accept('!') !== undefined;
    const token = cursor.expectWord('a predicate');
    return { name: nameOf(token), negated, span: { start: start.start, end: token.end } };
  }

  private parseOpcode(): Opcode {
    const { cursor } = this;
    const first = cursor.position;
    const { start } = cursor;
    if (cursor.kind !== 'word') cursor.fail('an instruction');
    do cursor.skip();
    while (cursor.kind === 'dot');
    return new Opcode(cursor.textSince(first), { start, end: cursor.lastEnd }, cursor.tokens, first);
  }

  private parseInstruction(): void {
    const { cursor } = this;
    const { start } = cursor;
    const guard = this.parseGuard();
    const opcode = this.parseOpcode();
    const result = this.opcodes.classify(opcode);
    if (result.kind === 'error') throw new SyntaxFailure(result.diagnostic);
    if (result.kind === 'unsupported') return this.skipUnsupported(start, opcode, result.diagnostic);
    // A kernel that is made from a fragment contains the text of the fragment's instructions, so
    // instructions that are split or expanded are unsupported.
    const { row } = result.match.pattern;
    if (this.fragment && (result.wide !== undefined || isImageSlot(row.types.a) || stackNames.has(row.name)))
      return this.skipUnsupported(start, opcode, diagnostics().unsupportedOpcode(opcode.span, opcode.text));
    const call = isCall(result.match.pattern.row) ? this.parseCall() : undefined;
    const operands =
      call === undefined ? this.parseOperands(result.match.pattern.groups.some(({ optional }) => !optional)) : [];
    this.endInstruction();
    const span = { start, end: cursor.lastEnd };
    this.statements.push({
      kind: 'instruction',
      guard,
      match: result.match,
      opcode,
      operands,
      call,
      isImplied: result.isImplied,
      wide: result.wide,
      span,
    });
  }

  private skipUnsupported(start: number, opcode: Opcode, diagnostic: Diagnostic): void {
    this.skipStatement(true);
    this.statements.push({
      kind: 'unsupported',
      opcode: opcode.text,
      diagnostic,
      span: { start, end: this.cursor.last.end },
    });
  }

  /** Parses operands. Required operands may be on the next line. */
  private parseOperands(required: boolean): RawOperand[] {
    const { cursor } = this;
    if (cursor.at(';') || cursor.atEnd || (this.startsStatement() && !(required && this.startsOperand()))) return [];
    // Start with a list of one element, because pushing to an empty list would allocate memory for
    // sixteen more elements.
    const first = parseOperand(cursor);
    if (!cursor.skipIf(',')) return [first];
    const second = parseOperand(cursor);
    if (!cursor.skipIf(',')) return [first, second];
    const third = parseOperand(cursor);
    if (!cursor.skipIf(',')) return [first, second, third];
    const operands = [first, second, third, parseOperand(cursor)];
    while (cursor.skipIf(',')) operands.push(parseOperand(cursor));
    return operands;
  }

  private parseCall(): RawCall {
    const { cursor } = this;
    let results: readonly RawOperand[] = [];
    if (cursor.at('(')) {
      results = parseOperandList(cursor);
      cursor.expect(',');
    }
    const callee = nameOf(cursor.expectWord('a function'));
    if (cursor.accept(',') === undefined) return { callee, prototype: undefined, results, args: [] };
    const args = cursor.at('(') ? parseOperandList(cursor) : undefined;
    const hasPrototype = args === undefined || cursor.accept(',') !== undefined;
    const prototype = hasPrototype ? nameOf(cursor.expectWord('a prototype')) : undefined;
    return { callee, prototype, results, args: args ?? [] };
  }

  private endInstruction(): void {
    const { cursor } = this;
    if (cursor.at(';')) return cursor.skip();
    if (this.fragment && cursor.atEnd) return;
    throw new SyntaxFailure(
      cursor.atEnd || cursor.peek.line !== cursor.last.line
        ? diagnostics().missingSemicolon(cursor.gap)
        : diagnostics().expected(cursor.peek, '`,` or `;`', `\`${cursor.peek.text}\``),
    );
  }
}

/** Skips the rest of the line of `.loc`, `.file` or `@@DWARF`. */
export function skipLine(cursor: Cursor): void {
  const { line } = cursor.last;
  while (!cursor.atEnd && cursor.peek.line === line) cursor.take();
}

/** Skips a `.section` with its block. The debug information in it does not affect the result. */
export function skipSection(cursor: Cursor): void {
  while (!cursor.atEnd && !cursor.at('{')) cursor.take();
  let depth = 0;
  do {
    const { text, kind } = cursor.take();
    if (kind === 'mark') depth += text === '{' ? 1 : text === '}' ? -1 : 0;
  } while (depth > 0 && !cursor.atEnd);
}
