// Prints expressions with only the parentheses that WGSL's grammar requires.
// https://www.w3.org/TR/WGSL/#expression-grammar
import type { HelperName } from '../helpers.ts';
import { isNegated, literalText } from './literals.ts';
import type { BinaryOp, Expr, Name } from './nodes.ts';
import { typeText } from './types.ts';

/** The levels of expressions in the grammar, ordered from the one that binds most tightly. */
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

/** A set of levels, with one bit for each level. */
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
// An associative operator. Its operands do not have effects, so its chains can be regrouped.
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

/**
 * Prints expressions. In any context, WGSL parses `a < b, c > d` as the name and the arguments of a
 * template. The printer therefore tracks whether a `<` or `>` is outside of all parentheses.
 */
export class ExpressionPrinter {
  /** The prelude functions in the printed expressions. */
  readonly helpers = new Set<HelperName>();
  private readonly nameOf: (name: Name) => string;
  // The following fields are properties of the part that was printed last. Allocating an object for
  // each part would dominate the time for printing.
  /** The level of the part, as a set with one bit. */
  private level: Levels = singular;
  private opens = false;
  private closes = false;

  constructor(nameOf: (name: Name) => string) {
    this.nameOf = nameOf;
  }

  print(expr: Expr): string {
    return this.part(expr);
  }

  private part(expr: Expr): string {
    switch (expr.kind) {
      case 'literal':
        return this.plain(literalText(expr.type, expr.bits), isNegated(expr.type, expr.bits) ? unary : singular);
      case 'name':
        return this.plain(this.nameOf(expr.name));
      case 'unary': {
        const operand = this.part(expr.operand);
        // `--` would be parsed as a single token.
        const isDoubled = expr.op === '-' && isNegation(expr.operand);
        const text = isDoubled ? `(${operand})` : within(operand, this.level, singular | unary);
        return this.plain(expr.op + text, unary);
      }
      case 'binary':
        return this.binary(expr.op, expr.left, expr.right);
      case 'builtin':
        return this.call(`${expr.fn}${this.templates(expr.templates)}`, expr.args);
      case 'construct':
        return this.call(typeText(expr.type, this.nameOf), expr.args);
      case 'bitcast':
        return this.plain(`bitcast<${typeText(expr.type, this.nameOf)}>(${this.part(expr.operand)})`);
      case 'helper':
        this.helpers.add(expr.fn);
        return this.call(expr.fn, expr.args);
      case 'call':
        return this.call(this.nameOf(expr.fn), expr.args);
      case 'index': {
        const base = this.singular(expr.base);
        return this.plain(`${base}[${this.part(expr.index)}]`);
      }
      case 'member': {
        const member = typeof expr.member === 'string' ? expr.member : this.nameOf(expr.member);
        return this.plain(`${this.singular(expr.base)}.${member}`);
      }
    }
  }

  /**
   * Returns the text of template parameters. Absent: the text is empty for a function without
   * template parameters.
   */
  private templates(templates: Extract<Expr, { readonly kind: 'builtin' }>['templates'] = []): string {
    const texts = templates.map((each) =>
      each === 'row_major' || each === 'col_major' ? each : typeText(each, this.nameOf),
    );
    return texts.length === 0 ? '' : `<${texts.join(', ')}>`;
  }

  private singular(expr: Expr): string {
    const text = this.part(expr);
    return within(text, this.level, singular);
  }

  private plain(text: string, level = singular): string {
    this.level = level;
    this.opens = false;
    this.closes = false;
    return text;
  }

  private binary(op: BinaryOp, left: Expr, right: Expr): string {
    const { level, left: lefts, right: rights } = operators[op];
    const leftText = this.part(left);
    const a = within(leftText, this.level, lefts);
    const leftIn = isIn(this.level, lefts);
    const { opens, closes } = this;
    const rightText = this.part(right);
    const isTemplate = (op === '<' || opens) && this.closes && isIn(this.level, rights);
    const b = isTemplate ? `(${rightText})` : within(rightText, this.level, rights);
    const rightIn = isIn(this.level, rights);
    const isShort = op === '&&' || op === '||';
    this.level = level;
    // `&&` and `||` end a possible template.
    this.opens = op === '<' || (!isShort && opens && leftIn) || (this.opens && rightIn);
    this.closes =
      op === '>' ||
      op === '>=' ||
      op === '>>' ||
      (closes && leftIn) ||
      (!isShort && !isTemplate && this.closes && rightIn);
    return `${a} ${op} ${b}`;
  }

  private call(fn: string, args: readonly Expr[]): string {
    const [first] = args;
    if (first === undefined) return this.plain(`${fn}()`);
    if (args.length === 1) return this.plain(`${fn}(${this.part(first)})`);
    // Parenthesize an argument with an opening `<` if a later argument contains a closing `>`.
    const parts: string[] = [];
    const opens: boolean[] = [];
    let lastClosing = -1;
    for (let at = 0; at < args.length; at++) {
      const arg = args[at];
      if (arg === undefined) continue;
      parts.push(this.part(arg));
      opens.push(this.opens);
      if (this.closes) lastClosing = at;
    }
    let text = '';
    for (let at = 0; at < parts.length; at++) {
      const part = opens[at] && at < lastClosing ? `(${parts[at]})` : parts[at];
      text = at === 0 ? `${part}` : `${text}, ${part}`;
    }
    return this.plain(`${fn}(${text})`);
  }
}

const isNegation = (expr: Expr): boolean =>
  expr.kind === 'literal' ? isNegated(expr.type, expr.bits) : expr.kind === 'unary' && expr.op === '-';

const isIn = (level: Levels, allowed: Levels): boolean => (level & allowed) !== 0;

const within = (text: string, level: Levels, allowed: Levels): string => (isIn(level, allowed) ? text : `(${text})`);
