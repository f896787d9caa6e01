// Expressions as text, with no parentheses but those that WGSL's grammar asks for.
// https://www.w3.org/TR/WGSL/#expression-grammar
import type { HelperName } from '../helpers.ts';
import { isNegated, literalText } from './literals.ts';
import type { BinaryOp, Expr, Name } from './nodes.ts';
import { typeText } from './types.ts';

/// What the grammar takes an expression for, the tightest first.
const levels = [
  'singular',
  'unary',
  'product',
  'sum',
  'shift',
  'relation',
  'and',
  'or',
  'bitAnd',
  'bitOr',
  'bitXor',
] as const;
type Level = (typeof levels)[number];

/// Levels, a bit each.
type Levels = number;

const bit = (level: Level): Levels => 1 << levels.indexOf(level);
const upTo = (last: Level): Levels => 2 * bit(last) - 1;

interface Operator {
  readonly level: Levels;
  readonly left: Levels;
  readonly right: Levels;
}

const operator = (level: Level, left: Levels, right: Levels): Operator => ({ level: bit(level), left, right });

const product = operator('product', upTo('product'), upTo('unary'));
const sum = operator('sum', upTo('sum'), upTo('product'));
const shift = operator('shift', upTo('unary'), upTo('unary'));
const relation = operator('relation', upTo('shift'), upTo('shift'));
// These may be regrouped: the operands have no effects, and each is associative.
const chained = (level: Level, operands: Level): Operator =>
  operator(level, upTo(operands) | bit(level), upTo(operands) | bit(level));
const operators: Readonly<Record<BinaryOp, Operator>> = {
  '*': product,
  '/': product,
  '%': product,
  '+': sum,
  '-': sum,
  '<<': shift,
  '>>': shift,
  '==': relation,
  '!=': relation,
  '<': relation,
  '<=': relation,
  '>': relation,
  '>=': relation,
  '&&': chained('and', 'relation'),
  '||': chained('or', 'relation'),
  '&': chained('bitAnd', 'unary'),
  '|': chained('bitOr', 'unary'),
  '^': chained('bitXor', 'unary'),
};

const singular = bit('singular');
const unary = bit('unary');

/// A part of the text. WGSL takes `a < b, c > d` for a template's name and arguments, whatever it stands in: so it matters whether there is a `<`
/// or `>` outside of all parentheses.
interface Printed {
  readonly text: string;
  /// One bit.
  readonly level: Levels;
  readonly opens: boolean;
  readonly closes: boolean;
}

export class ExpressionPrinter {
  /// Functions of the prelude that were printed.
  readonly helpers = new Set<HelperName>();
  private readonly nameOf: (name: Name) => string;

  constructor(nameOf: (name: Name) => string) {
    this.nameOf = nameOf;
  }

  print(expr: Expr): string {
    return this.part(expr).text;
  }

  private part(expr: Expr): Printed {
    switch (expr.kind) {
      case 'literal':
        return plain(literalText(expr.type, expr.bits), isNegated(expr.type, expr.bits) ? unary : singular);
      case 'name':
        return plain(this.nameOf(expr.name));
      case 'unary': {
        const operand = this.part(expr.operand);
        // `--` would be another token.
        const isDoubled = expr.op === '-' && isNegation(expr.operand);
        return plain(`${expr.op}${isDoubled ? `(${operand.text})` : within(operand, singular | unary)}`, unary);
      }
      case 'binary':
        return this.binary(expr.op, this.part(expr.left), this.part(expr.right));
      case 'builtin':
        return this.call(expr.fn, expr.args);
      case 'construct':
        return this.call(typeText(expr.type, this.nameOf), expr.args);
      case 'bitcast':
        return plain(`bitcast<${typeText(expr.type, this.nameOf)}>(${this.part(expr.operand).text})`);
      case 'helper':
        this.helpers.add(expr.fn);
        return this.call(expr.fn, expr.args);
      case 'call':
        return this.call(this.nameOf(expr.fn), expr.args);
      case 'index':
        return plain(`${within(this.part(expr.base), singular)}[${this.part(expr.index).text}]`);
      case 'member': {
        const member = typeof expr.member === 'string' ? expr.member : this.nameOf(expr.member);
        return plain(`${within(this.part(expr.base), singular)}.${member}`);
      }
    }
  }

  private binary(op: BinaryOp, left: Printed, right: Printed): Printed {
    const { level, left: lefts, right: rights } = operators[op];
    const isTemplate = (op === '<' || left.opens) && right.closes && isIn(right.level, rights);
    const [a, b] = [within(left, lefts), isTemplate ? `(${right.text})` : within(right, rights)];
    const isShort = op === '&&' || op === '||';
    return {
      text: `${a} ${op} ${b}`,
      level,
      // `&&` and `||` end what looks like a template.
      opens:
        op === '<' || (!isShort && left.opens && isIn(left.level, lefts)) || (right.opens && isIn(right.level, rights)),
      closes:
        op === '>' ||
        op === '>=' ||
        op === '>>' ||
        (left.closes && isIn(left.level, lefts)) ||
        (!isShort && !isTemplate && right.closes && isIn(right.level, rights)),
    };
  }

  private call(fn: string, args: readonly Expr[]): Printed {
    const [first] = args;
    if (first === undefined) return plain(`${fn}()`);
    if (args.length === 1) return plain(`${fn}(${this.part(first).text})`);
    const parts = args.map((arg) => this.part(arg));
    let closesLater = false;
    let text = '';
    for (let i = parts.length - 1; i >= 0; i--) {
      const part = parts[i];
      if (part === undefined) continue;
      const arg = part.opens && closesLater ? `(${part.text})` : part.text;
      closesLater ||= part.closes;
      text = text === '' ? arg : `${arg}, ${text}`;
    }
    return plain(`${fn}(${text})`);
  }
}

const isNegation = (expr: Expr): boolean =>
  expr.kind === 'literal' ? isNegated(expr.type, expr.bits) : expr.kind === 'unary' && expr.op === '-';

const isIn = (level: Levels, allowed: Levels): boolean => (level & allowed) !== 0;

const plain = (text: string, level = singular): Printed => ({ text, level, opens: false, closes: false });

const within = ({ text, level }: Printed, allowed: Levels): string => (isIn(level, allowed) ? text : `(${text})`);
