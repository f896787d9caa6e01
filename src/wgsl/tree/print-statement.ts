// Prints statements as lines of text. The text of a PTX statement is a comment above the first line
// of its translation.
import type { Case, Expr, Name, Origin, Stmt } from './nodes.ts';
import type { ExpressionPrinter } from './print-expression.ts';
import { typeText } from './types.ts';

/** The index of a line, and the PTX statement from which it was translated. */
export interface LineSource {
  line: number;
  readonly origin: Origin;
}

/** Returns the texts of names until the scopes of the names end. */
export interface NameTexts {
  of(name: Name): string;
  /** Releases a name whose scope has ended. */
  release(name: Name): void;
}

export class StatementPrinter {
  private readonly names: NameTexts;
  private readonly expressions: ExpressionPrinter;
  private readonly ptx: string | undefined;
  private lines: string[] = [];
  private sources: LineSource[] = [];
  private indent = '';
  /** The PTX statement of the current lines. */
  private origin: Origin | undefined;

  constructor(names: NameTexts, expressions: ExpressionPrinter, ptx: string | undefined) {
    this.names = names;
    this.expressions = expressions;
    this.ptx = ptx;
  }

  /** Appends the lines of a function's body to `lines`. Returns the origin of each line. */
  print(body: readonly Stmt[], lines: string[]): readonly LineSource[] {
    this.lines = lines;
    this.sources = [];
    this.origin = undefined;
    this.body(body);
    return this.sources;
  }

  private line(text: string): void {
    if (this.origin && !isEmpty(this.origin)) this.sources.push({ line: this.lines.length, origin: this.origin });
    this.lines.push(this.indent + text);
  }

  /** Appends a line without an origin, such as a closing brace. */
  private brace(text: string): void {
    this.lines.push(this.indent + text);
  }

  private body(statements: readonly Stmt[]): void {
    const outer = this.origin;
    this.indent += '  ';
    for (const statement of statements) this.statement(statement);
    this.indent = this.indent.slice(2);
    this.origin = outer;
  }

  private statement(statement: Stmt): void {
    const { origin } = statement;
    if (origin !== undefined && !isSame(origin, this.origin)) {
      this.origin = origin;
      const text = this.ptxOf(origin);
      if (text !== undefined) this.line(`// ${text}`);
    }
    switch (statement.kind) {
      case 'let':
        return this.line(`let ${this.names.of(statement.name)} = ${this.text(statement.value)};`);
      case 'var': {
        const value = statement.value === undefined ? '' : ` = ${this.text(statement.value)}`;
        return this.line(`var ${this.names.of(statement.name)}${this.declaredType(statement)}${value};`);
      }
      case 'assign':
        // Absent: the statement is a plain assignment.
        return this.line(`${this.text(statement.target)} ${statement.op ?? ''}= ${this.text(statement.value)};`);
      case 'do':
        return this.line(`${this.text(statement.call)};`);
      case 'if':
        return this.conditional(statement);
      case 'loop':
        this.line('loop {');
        this.body(statement.body);
        this.continuing(statement.continuing, statement.breakIf);
        return this.brace('}');
      case 'repeat': {
        const name = this.names.of(statement.name);
        this.line(`for (var ${name} = 0u; ${name} < ${statement.count}u; ${name}++) {`);
        this.body(statement.body);
        // The counter of the next loop may use the same name.
        this.names.release(statement.name);
        return this.brace('}');
      }
      case 'switch':
        this.line(`switch ${this.text(statement.selector)} {`);
        this.indent += '  ';
        for (const one of statement.cases) this.case(one, statement.selector.type === 'i32' ? 'i' : 'u');
        this.indent = this.indent.slice(2);
        return this.brace('}');
      case 'break':
      case 'continue':
      case 'return':
        return this.line(this.jump(statement));
      case 'block':
        this.brace('{');
        this.body(statement.body);
        return this.brace('}');
      case 'comment':
        for (const text of statement.text.split('\n')) this.line(`// ${text}`);
        return;
    }
  }

  private declaredType({ type, value }: Extract<Stmt, { readonly kind: 'var' }>): string {
    // If there is a value, WGSL infers the type.
    return value === undefined ? `: ${typeText(type, (name) => this.names.of(name))}` : '';
  }

  private conditional(statement: Extract<Stmt, { readonly kind: 'if' }>): void {
    const [only] = statement.then;
    if (only && isJump(only) && statement.then.length === 1 && statement.else.length === 0 && !this.isNew(only)) {
      return this.line(`if (${this.text(statement.condition)}) { ${this.jump(only)} }`);
    }
    this.line(`if (${this.text(statement.condition)}) {`);
    this.body(statement.then);
    let rest = statement.else;
    const outer = this.origin;
    for (let [next] = rest; next?.kind === 'if' && rest.length === 1; [next] = rest) {
      // Write the PTX comment on the same line, because `else if` cannot have a line above it.
      const isNew = this.isNew(next);
      this.origin = next.origin ?? this.origin;
      const ptx = isNew && this.origin ? this.ptxOf(this.origin) : undefined;
      this.line(`} else if (${this.text(next.condition)}) {${ptx === undefined ? '' : ` // ${ptx}`}`);
      this.body(next.then);
      rest = next.else;
    }
    if (rest.length > 0) {
      this.brace('} else {');
      this.body(rest);
    }
    this.origin = outer;
    this.brace('}');
  }

  /** Whether the PTX statement of a statement has not been printed yet. */
  private isNew({ origin }: Stmt): boolean {
    return origin !== undefined && !isSame(origin, this.origin);
  }

  private continuing(statements: readonly Stmt[], breakIf: Expr | undefined): void {
    if (statements.length === 0 && breakIf === undefined) return;
    this.indent += '  ';
    this.brace('continuing {');
    this.body(statements);
    if (breakIf !== undefined) this.line(`  break if ${this.text(breakIf)};`);
    this.brace('}');
    this.indent = this.indent.slice(2);
  }

  private case({ values, isDefault, body }: Case, suffix: 'u' | 'i'): void {
    const list = values.map((value) => `${value}${suffix}`);
    if (isDefault && list.length === 0) this.brace('default: {');
    else this.brace(`case ${[...list, ...(isDefault ? ['default'] : [])].join(', ')}: {`);
    this.body(body);
    this.brace('}');
  }

  private jump(statement: Jump): string {
    if (statement.kind !== 'return' || statement.value === undefined) return `${statement.kind};`;
    return `return ${this.text(statement.value)};`;
  }

  private text(expr: Expr): string {
    return this.expressions.print(expr);
  }

  /** Returns the PTX text on one line, or undefined if there is none. */
  private ptxOf(origin: Origin): string | undefined {
    if (isEmpty(origin)) return undefined;
    const { start, end } = origin;
    const text = this.ptx?.slice(start, end);
    if (text === undefined || isOneLine(text)) return text;
    // A character that WGSL treats as a line break would end the comment, and WGSL rejects NUL.
    return text.replace(/[\s\u0085\0]+/gu, ' ').trim();
  }
}

/**
 * Whether a text consists of ASCII words with single spaces between them. This is the case for most
 * statements.
 */
function isOneLine(text: string): boolean {
  let before = 32;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 32 || code > 126 || (code === 32 && before === 32)) return false;
    before = code;
  }
  return before !== 32;
}

type Jump = Extract<Stmt, { readonly kind: 'break' | 'continue' | 'return' }>;

const isJump = (statement: Stmt): statement is Jump =>
  statement.kind === 'break' || statement.kind === 'continue' || statement.kind === 'return';

/**
 * Whether an origin is empty. The loads and stores around a fragment have an empty origin, so that
 * their lines are not attributed to the previous statement.
 */
const isEmpty = ({ start, end }: Origin): boolean => end <= start;

const isSame = (a: Origin, b: Origin | undefined): boolean => b !== undefined && a.start === b.start && a.end === b.end;
