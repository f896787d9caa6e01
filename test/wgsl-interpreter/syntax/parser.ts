// Parses a WGSL module. https://www.w3.org/TR/WGSL/#grammar-recursive-descent

import { reservedWords } from '../../../src/wgsl/tree/reserved-words.ts';
import type * as ast from './ast.ts';
import { ExpressionParser } from './expressions.ts';

const assignment = /^(?:[-+*/%&|^]|<<|>>)?=$/;

/** Returns the declarations of a module. Throws `WgslError` if the text does not parse. */
export function parseWgsl(code: string): ast.Declaration[] {
  return new Parser(code).module();
}

class Parser extends ExpressionParser {
  module(): ast.Declaration[] {
    const nodes: ast.Declaration[] = [];
    while (this.text !== '') {
      if (this.accept(';')) continue;
      const node = this.declaration();
      if (node !== undefined) nodes.push(node);
    }
    return nodes;
  }

  private declaration(): ast.Declaration | undefined {
    const attributes = this.attributes();
    const { line, text } = this;
    switch (text) {
      case 'enable':
      case 'requires':
      case 'diagnostic':
        return this.directive();
      case 'const_assert':
        return this.skipAssertion();
      case 'fn':
        return this.function(attributes);
      case 'struct': {
        this.next();
        const name = this.declared();
        return { kind: 'struct', line, name, members: this.list('{', '}', () => this.argument()) };
      }
      case 'alias': {
        this.next();
        const name = this.declared();
        this.expect('=');
        const type = this.type();
        this.expect(';');
        return { kind: 'alias', line, name, type };
      }
      default: {
        const node = this.variable(attributes) ?? this.fail(`unexpected ${text}`);
        this.expect(';');
        return node;
      }
    }
  }

  private directive(): ast.Directive {
    const { line } = this;
    this.next();
    const args: string[] = [];
    for (let text = this.next(); text !== ';'; text = this.next()) if (/^\w/.test(text)) args.push(text);
    return { kind: 'directive', line, args };
  }

  /** Skips a `const_assert`, which the interpreter does not check. */
  private skipAssertion(): undefined {
    while (this.next() !== ';');
  }

  private attributes(): ast.Attribute[] {
    const found: ast.Attribute[] = [];
    while (this.accept('@')) {
      const { line } = this;
      const name = this.name();
      const args = this.text === '(' ? this.list('(', ')', () => this.next()) : [];
      found.push({ line, name, args });
    }
    return found;
  }

  /** Parses a name that the module declares. Browsers reject reserved words. */
  private declared(): string {
    if (reservedWords.has(this.text)) this.fail(`the word ${this.text} is reserved`);
    return this.name();
  }

  private argument(): ast.Argument {
    const attributes = this.attributes();
    const { line } = this;
    const name = this.declared();
    this.expect(':');
    return { line, name, type: this.type(), attributes };
  }

  private function(attributes: readonly ast.Attribute[]): ast.Function {
    this.expect('fn');
    const { line } = this;
    const name = this.declared();
    const args = this.list('(', ')', () => this.argument());
    let returnType: ast.Type | null = null;
    if (this.accept('->')) {
      this.attributes();
      returnType = this.type();
    }
    return { kind: 'function', line, name, args, returnType, body: this.block(), attributes };
  }

  /** Parses `var`, `let`, `const` or `override`, without the semicolon. */
  private variable(attributes: readonly ast.Attribute[] = []): ast.Var | ast.Constant | undefined {
    const { line, text: kind } = this;
    if (kind !== 'var' && kind !== 'let' && kind !== 'const' && kind !== 'override') return undefined;
    this.next();
    const [storage = null, access = null] =
      kind === 'var' && this.text === '<' ? this.list('<', '>', () => this.name()) : [];
    const name = this.declared();
    const type = this.accept(':') ? this.type() : null;
    const value = this.accept('=') ? this.expression() : null;
    const constant = { line, name, type, value };
    return kind === 'var' ? { kind, ...constant, storage, access, attributes } : { kind, ...constant };
  }

  private block(): ast.Statement[] {
    const nodes: ast.Statement[] = [];
    this.attributes();
    this.expect('{');
    while (!this.accept('}')) {
      if (this.accept(';')) continue;
      const node = this.statement();
      if (node !== undefined) nodes.push(node);
    }
    return nodes;
  }

  private statement(): ast.Statement | undefined {
    const { line, text } = this;
    switch (text) {
      case '{':
      case '@':
        return { kind: 'block', line, body: this.block() };
      case 'if':
        return this.branch();
      case 'switch':
        this.next();
        return { kind: 'switch', line, condition: this.expression(), clauses: this.clauses() };
      case 'loop':
        this.next();
        return this.loop(line);
      case 'while':
        this.next();
        return { kind: 'while', line, condition: this.expression(), body: this.block() };
      case 'for':
        this.next();
        return this.counted(line);
      case 'const_assert':
        return this.skipAssertion();
      default: {
        const node = this.simple();
        this.expect(';');
        return node;
      }
    }
  }

  /** Parses a statement that ends in a semicolon, without it. */
  private simple(): ast.Statement {
    const { line, text } = this;
    switch (text) {
      case 'break':
        this.next();
        return { kind: 'break', line, condition: this.accept('if') ? this.expression() : null };
      case 'continue':
        this.next();
        return { kind: 'continue', line };
      case 'return':
        this.next();
        return { kind: 'return', line, value: this.text === ';' ? null : this.expression() };
      default:
        return this.variable() ?? this.update();
    }
  }

  /** Parses an assignment, an increment or a call. */
  private update(): ast.Statement {
    const { line } = this;
    const target = this.unary();
    const operator = this.operator();
    if (assignment.test(operator)) {
      this.skip(operator);
      return { kind: 'assign', line, operator, variable: target, value: this.expression() };
    }
    if (operator === '++' || operator === '--') {
      this.next();
      return { kind: 'increment', line, operator, variable: target };
    }
    if (target.kind !== 'call' || target.postfix !== null) return this.fail(`unexpected ${operator}`);
    return target;
  }

  private branch(): ast.If {
    const { line } = this;
    const arms: ast.If['arms'][number][] = [];
    for (;;) {
      this.expect('if');
      arms.push({ condition: this.expression(), body: this.block() });
      if (!this.accept('else')) return { kind: 'if', line, arms, otherwise: [] };
      if (this.text !== 'if') return { kind: 'if', line, arms, otherwise: this.block() };
    }
  }

  private clauses(): ast.Clause[] {
    const clauses: ast.Clause[] = [];
    this.expect('{');
    while (!this.accept('}')) {
      const selectors: ast.Expression[] = [];
      let isDefault = this.accept('default');
      if (!isDefault) {
        this.expect('case');
        do {
          if (this.accept('default')) isDefault = true;
          else selectors.push(this.expression());
        } while (this.accept(',') && this.text !== ':' && this.text !== '{');
      }
      this.accept(':');
      clauses.push({ selectors, isDefault, body: this.block() });
    }
    return clauses;
  }

  private loop(line: number): ast.Loop {
    const body: ast.Statement[] = [];
    let continuing: ast.Statement[] = [];
    this.expect('{');
    while (!this.accept('}')) {
      if (this.accept(';')) continue;
      if (this.accept('continuing')) continuing = this.block();
      else {
        const node = this.statement();
        if (node !== undefined) body.push(node);
      }
    }
    return { kind: 'loop', line, body, continuing };
  }

  private counted(line: number): ast.For {
    this.expect('(');
    const init = this.text === ';' ? null : this.simple();
    this.expect(';');
    const condition = this.text === ';' ? null : this.expression();
    this.expect(';');
    const increment = this.text === ')' ? null : this.update();
    this.expect(')');
    return { kind: 'for', line, init, condition, increment, body: this.block() };
  }
}
