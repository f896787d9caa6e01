// Parses WGSL expressions and types. https://www.w3.org/TR/WGSL/#expression-grammar

import type * as ast from './ast.ts';
import { literalOf } from './literals.ts';
import { Tokens } from './tokens.ts';

/** The names that template parameters may follow. */
const generic =
  /^(?:array|atomic|bitcast|ptr|vec[234]|mat[234]x[234]|texture_(?:storage_)?[123]d(?:_array)?|subgroup_matrix_\w+|subgroupMatrix\w+)$/;
const unaryOperators: ReadonlySet<string> = new Set(['-', '!', '~', '*', '&']);
const additive: ReadonlySet<string> = new Set(['+', '-']);
const multiplicative: ReadonlySet<string> = new Set(['*', '/', '%']);
const relational: ReadonlySet<string> = new Set(['<', '>', '<=', '>=', '==', '!=']);
const bitwise: ReadonlySet<string> = new Set(['&', '|', '^']);
const logical: ReadonlySet<string> = new Set(['&&', '||']);

export class ExpressionParser extends Tokens {
  /**
   * WGSL has no precedence between bitwise operators, or of them with others: such expressions need
   * parentheses. The same holds for `&&` with `||`, and for the operands of shifts.
   */
  protected expression(): ast.Expression {
    const first = this.unary();
    if (bitwise.has(this.text)) return this.chain(first, () => this.unary());
    const left = this.relational(first);
    return logical.has(this.text) ? this.chain(left, () => this.relational(this.unary())) : left;
  }

  /** Parses a list of operands with the operator at the cursor between them. */
  private chain(first: ast.Expression, operand: () => ast.Expression): ast.Expression {
    const operator = this.text;
    let left = first;
    while (this.text === operator) left = this.binary(operator, left, operand);
    return left;
  }

  private binary(operator: string, left: ast.Expression, operand: () => ast.Expression): ast.Expression {
    const { line } = this;
    this.skip(operator);
    return { kind: 'binary', line, postfix: null, operator, left, right: operand() };
  }

  private relational(first: ast.Expression): ast.Expression {
    const left = this.shift(first);
    const operator = this.operator();
    return relational.has(operator) ? this.binary(operator, left, () => this.shift(this.unary())) : left;
  }

  private shift(first: ast.Expression): ast.Expression {
    const operator = this.operator();
    if (operator === '<<' || operator === '>>') return this.binary(operator, first, () => this.unary());
    let left = this.product(first);
    while (additive.has(this.text)) left = this.binary(this.text, left, () => this.product(this.unary()));
    return left;
  }

  private product(first: ast.Expression): ast.Expression {
    let left = first;
    while (multiplicative.has(this.text)) left = this.binary(this.text, left, () => this.unary());
    return left;
  }

  protected unary(): ast.Expression {
    const { line, text } = this;
    if (text === '--' || text === '&&') this.fail(`${text} is not a unary operator`);
    if (!unaryOperators.has(text)) return this.withPostfixes(this.primary());
    this.next();
    return { kind: 'unary', line, postfix: null, operator: text, right: this.unary() };
  }

  private withPostfixes(base: ast.Expression): ast.Expression {
    let last: ast.Chained = base;
    // The base of `(a.b).c` has a postfix.
    while (last.postfix !== null) last = last.postfix;
    for (;;) {
      const { line } = this;
      if (this.accept('.')) last.postfix = { kind: 'member', line, postfix: null, value: this.name() };
      else if (this.accept('[')) {
        last.postfix = { kind: 'index', line, postfix: null, index: this.expression() };
        this.expect(']');
      } else return base;
      last = last.postfix;
    }
  }

  private primary(): ast.Expression {
    const { line, text } = this;
    if (this.accept('(')) {
      const inside = this.expression();
      this.expect(')');
      return inside;
    }
    if (/^[.\d]/.test(text) || text === 'true' || text === 'false') return literalOf(this.next(), line);
    const name = this.name();
    const template = generic.test(name) && this.text === '<' ? this.template(name, line) : undefined;
    if (template === undefined && this.text !== '(') return { kind: 'variable', line, postfix: null, name };
    const args = this.list('(', ')', () => this.expression());
    if (name === 'bitcast') return this.bitcast(template, args, line);
    if (template?.kind === 'named') return { kind: 'call', line, postfix: null, name: template.name, args };
    const type = template ?? inferredType(name, line);
    return type === undefined
      ? { kind: 'call', line, postfix: null, name, args }
      : { kind: 'create', line, postfix: null, type, args };
  }

  private bitcast(type: ast.Type | undefined, [value]: readonly ast.Expression[], line: number): ast.Expression {
    if (type?.kind !== 'template' || value === undefined) return this.fail('bitcast needs a type and a value');
    return { kind: 'bitcast', line, postfix: null, type: type.format, value };
  }

  /** Parses a list with commas, and perhaps one at the end. */
  protected list<T>(open: string, close: string, item: () => T): T[] {
    const items: T[] = [];
    this.expect(open);
    while (!this.accept(close)) {
      items.push(item());
      if (!this.accept(',')) {
        this.expect(close);
        break;
      }
    }
    return items;
  }

  protected type(): ast.Type {
    const { line } = this;
    const name = this.name();
    return generic.test(name) && this.text === '<' ? this.template(name, line) : { kind: 'named', line, name };
  }

  private template(name: string, line: number): ast.Type {
    const args = this.list('<', '>', () => (/^\d/.test(this.text) ? literalOf(this.next(), line).value : this.type()));
    const [format, second] = args;
    const textOf = (arg: number | ast.Type): string => String(typeof arg === 'number' ? arg : arg.name);
    if (/^subgroup_?[mM]atrix/.test(name)) return { kind: 'named', line, name: [name, ...args.map(textOf)].join('_') };
    if (name === 'ptr' && typeof second === 'object') return { kind: 'pointer', line, name, type: second };
    if (typeof format !== 'object') return this.fail(`${name} needs a type`);
    if (name !== 'array') return { kind: 'template', line, name, format };
    return { kind: 'array', line, name, format, count: typeof second === 'object' ? second.name : (second ?? null) };
  }
}

/** Returns the type of a constructor that infers its element type: `array(…)` or `vec2(…)`. */
function inferredType(name: string, line: number): ast.Type | undefined {
  if (name === 'array') return { kind: 'array', line, name, format: null, count: null };
  return /^vec[234]$/.test(name) ? { kind: 'named', line, name } : undefined;
}
