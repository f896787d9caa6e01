// Parses SASS fragments: SHFL and the few other instructions in the reference's examples, as the
// equivalent PTX rows. The syntax is that of the SHFL page of the SASS reference. An instruction
// ends at `;` or at the end of its line.
import { matchOpcode, type OpcodeMatch } from '../../isa/match.ts';
import type { Span } from '../ast.ts';
import { type Constant, floatBits, intConstant, parseFloatLiteral, parseInteger } from '../constants.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Reporter, SyntaxFailure } from '../diagnostics/reporter.ts';
import type { Cursor } from '../lexer/cursor.ts';
import type { Token } from '../lexer/tokens.ts';
import { nameOf } from '../parse/parse-operand.ts';
import type { RawGuard, RawOperand, RawStatement } from '../syntax.ts';
import { type Place, type SassForm, sassForms } from './sass-forms.ts';

interface SassOperand {
  readonly raw: RawOperand;
  readonly negated: boolean;
}

const isTrue = (text: string) => text === 'PT' || text === 'UPT';

class SassParser {
  private readonly cursor: Cursor;
  private readonly reporter: Reporter;
  private readonly statements: RawStatement[] = [];
  /** The line of the current instruction. */
  private line = 0;

  constructor(cursor: Cursor, reporter: Reporter) {
    this.cursor = cursor;
    this.reporter = reporter;
  }

  parse(): readonly RawStatement[] {
    const { cursor } = this;
    while (!cursor.atEnd) {
      if (cursor.accept(';') !== undefined) continue;
      this.line = cursor.peek.line;
      try {
        this.parseInstruction();
      } catch (failure) {
        if (!(failure instanceof SyntaxFailure)) throw failure;
        this.reporter.report(failure.diagnostic);
        while (!this.ended) cursor.take();
      }
    }
    return this.statements;
  }

  private get ended(): boolean {
    const { cursor } = this;
    return cursor.atEnd || cursor.at(';') || cursor.peek.line !== this.line;
  }

  private next(what: string): Token {
    if (this.ended)
      throw new SyntaxFailure(diagnostics().expected(this.cursor.gap, what, 'the end of the instruction'));
    return this.cursor.take();
  }

  private parseInstruction(): void {
    const { cursor } = this;
    const start = cursor.peek.start;
    const guard = this.parseGuard();
    const opcode = this.next('an instruction');
    const modifiers: Token[] = [];
    while (!this.ended && cursor.peek.kind === 'dot') modifiers.push(cursor.take());
    if (opcode.kind !== 'word')
      throw new SyntaxFailure(diagnostics().sassOperand(opcode, 'an instruction', opcode.text));
    if (/^[a-z]/.test(opcode.text)) throw new SyntaxFailure(diagnostics().mixedDialects(opcode));
    if (opcode.text === 'NOP') {
      while (!this.ended) cursor.take();
      return;
    }
    const form = Object.hasOwn(sassForms, opcode.text) ? sassForms[opcode.text] : undefined;
    if (form === undefined)
      throw new SyntaxFailure(diagnostics().unsupportedSass(opcode, opcode.text, [...Object.keys(sassForms), 'NOP']));
    const parts = this.parseModifiers(opcode, modifiers, form);
    const operands = this.parseOperands(opcode, form);
    const end = cursor.last.end;
    this.skipAnnotations();
    cursor.accept(';');
    if (guard === 'never') {
      this.reporter.report(diagnostics().sassNever({ start, end: opcode.end }));
      return;
    }
    const span = { start, end };
    const name = { text: opcode.text, span: { start: opcode.start, end: modifiers.at(-1)?.end ?? opcode.end } };
    const { match, raws } = lower(form, parts, operands);
    if (match === undefined) throw new SyntaxFailure(diagnostics().sassCombination(name.span, name.text, form.form));
    this.statements.push({ kind: 'instruction', guard, match, opcode: name, operands: raws, call: undefined, span });
  }

  private parseGuard(): RawGuard | 'never' | undefined {
    const start = this.cursor.accept('@');
    if (start === undefined) return undefined;
    const negated = this.cursor.accept('!') !== undefined;
    const token = this.next('a predicate');
    checkPredicate(token);
    if (isTrue(token.text)) return negated ? 'never' : undefined;
    return { name: nameOf(token), negated, span: { start: start.start, end: token.end } };
  }

  private parseModifiers(opcode: Token, modifiers: readonly Token[], form: SassForm): readonly string[] {
    const parts = modifiers.map((token) => {
      const name = token.text.slice(1);
      const part = Object.hasOwn(form.modifiers, name) ? form.modifiers[name] : undefined;
      if (part === undefined)
        throw new SyntaxFailure(diagnostics().sassModifier(token, opcode.text, name, Object.keys(form.modifiers)));
      return part;
    });
    if (form.modes !== undefined && parts.length === 0)
      throw new SyntaxFailure(diagnostics().sassMode(opcode, form.modes));
    return parts;
  }

  private get atAnnotation(): boolean {
    return this.cursor.at('{') || this.cursor.at('&') || this.cursor.at('?');
  }

  private parseOperands(opcode: Token, form: SassForm): readonly SassOperand[] {
    const { cursor } = this;
    const operands: SassOperand[] = [];
    const wanted = form.places.length;
    while (!this.ended && !this.atAnnotation) {
      const place = form.places[operands.length];
      if (place === undefined)
        throw new SyntaxFailure(diagnostics().sassCount(cursor.peek, opcode.text, form.form, wanted, wanted + 1));
      operands.push(this.parsePlace(place));
      if (cursor.accept(',') === undefined) break;
    }
    if (operands.length < wanted)
      throw new SyntaxFailure(diagnostics().sassCount(opcode, opcode.text, form.form, wanted, operands.length));
    return operands;
  }

  private parsePlace(place: Place): SassOperand {
    const { cursor } = this;
    const sign = cursor.accept('!') ?? cursor.accept('-') ?? cursor.accept('+');
    const token = this.next('an operand');
    if (token.kind === 'word' && !this.ended && cursor.peek.text === '.reuse') cursor.take();
    const span: Span = { start: sign?.start ?? token.start, end: token.end };
    const negated = sign?.text === '-';
    if (place.kind === 'predicate' || place.kind === 'condition') {
      if (negated) throw new SyntaxFailure(diagnostics().notNegatable(span, '-'));
      return { raw: predicateOperand(token, place.kind, sign?.text === '!', span), negated: false };
    }
    if (sign?.text === '!') throw new SyntaxFailure(diagnostics().notNegatable(span, '!'));
    if (token.kind === 'word') return { raw: registerOperand(token, place.kind, span), negated };
    if (place.kind === 'register') throw new SyntaxFailure(diagnostics().sassOperand(token, 'a register', token.text));
    const value = immediate(token, place.kind === 'float', negated);
    if (place.kind === 'bits') checkBits(place, value, span);
    return { raw: { kind: 'constant', value, span }, negated: false };
  }

  /**
   * Skips scheduling annotations, such as `{&req_6}`, `&wr=0` and `?sched`, which do not affect
   * results.
   */
  private skipAnnotations(): void {
    const { cursor } = this;
    while (!this.ended) {
      const token = cursor.take();
      if (token.text === '{') {
        while (!this.ended && !cursor.at('}')) cursor.take();
        this.next('`}`');
      } else if (token.text === '&' || token.text === '?') {
        if (this.ended || cursor.peek.kind !== 'word') throw new SyntaxFailure(diagnostics().sassAnnotation(token));
        cursor.take();
        if (!this.ended && cursor.accept('=') !== undefined) this.next('a number');
      } else throw new SyntaxFailure(diagnostics().sassAnnotation(token));
    }
  }
}

function checkPredicate(token: Token): void {
  const looksLikeRegister = /^U?R(\d+|[a-z]\w*|Z)$/.test(token.text);
  if (token.kind === 'word' && !looksLikeRegister) return;
  throw new SyntaxFailure(diagnostics().sassOperand(token, 'a predicate such as `P0`', token.text));
}

function nameOperand(token: Token, sign: '' | '!', span: Span): RawOperand {
  return { kind: 'name', name: token.text, component: undefined, sign, offset: undefined, index: undefined, span };
}

function predicateOperand(token: Token, kind: 'predicate' | 'condition', negated: boolean, span: Span): RawOperand {
  checkPredicate(token);
  if (kind === 'condition') {
    if (isTrue(token.text)) return { kind: 'constant', value: intConstant(negated ? 0n : 1n, false), span };
    return nameOperand(token, negated ? '!' : '', span);
  }
  if (negated) throw new SyntaxFailure(diagnostics().notNegatable(span, '!'));
  // A write to PT, or to a name that consists of underscores, is discarded.
  return isTrue(token.text) || /^_+$/.test(token.text) ? { kind: 'sink', span } : nameOperand(token, '', span);
}

function registerOperand(token: Token, kind: Place['kind'], span: Span): RawOperand {
  if (/^P(\d|T$)/.test(token.text)) throw new SyntaxFailure(diagnostics().sassOperand(token, 'a register', token.text));
  if (token.text === 'RZ' && kind === 'float') return { kind: 'constant', value: { kind: 'float', value: 0 }, span };
  if (token.text === 'RZ' && kind === 'bits') return { kind: 'constant', value: intConstant(0n, false), span };
  return nameOperand(token, '', span);
}

/**
 * Reads an immediate. For a float operand, `1` is 1.0, and a hexadecimal number denotes its bits.
 * For other operands, `1.0` denotes the bits of that float.
 */
function immediate(token: Token, wantsFloat: boolean, negative: boolean): Constant {
  if (token.kind !== 'int' && token.kind !== 'float')
    throw new SyntaxFailure(diagnostics().sassOperand(token, 'a register or a number', token.text));
  const parsed = token.kind === 'int' ? parseInteger(token.text) : parseFloatLiteral(token.text);
  if (parsed === undefined) throw new SyntaxFailure(diagnostics().malformedNumber(token, token.text));
  const value = Number(parsed.value) * (negative ? -1 : 1);
  const hex = (pattern: bigint): Constant => ({
    kind: 'float',
    value,
    hex: { width: 32, bits: BigInt.asUintN(32, pattern) },
  });
  if (parsed.kind === 'float') return wantsFloat ? { kind: 'float', value } : hex(floatBits(value, 32));
  if (!wantsFloat) return intConstant(negative ? -parsed.value : parsed.value, false);
  return /^0[xX]/.test(token.text) ? hex(parsed.value ^ (negative ? 1n << 31n : 0n)) : { kind: 'float', value };
}

function checkBits(place: Extract<Place, { kind: 'bits' }>, value: Constant, span: Span): void {
  if (place.bits === undefined || value.kind !== 'int') return;
  if (value.value < 0n || value.value >= 1n << BigInt(place.bits))
    throw new SyntaxFailure(diagnostics().sassRange(span, place.name, place.bits));
}

/**
 * Returns the PTX row and the operands of a SASS instruction. The row is undefined if the modifiers
 * contradict each other. A negated summand changes FADD to a subtraction. No other row accepts a
 * negated register.
 */
function lower(
  form: SassForm,
  parts: readonly string[],
  operands: readonly SassOperand[],
): { match: OpcodeMatch | undefined; raws: RawOperand[] } {
  const raws = operands.map(({ raw }) => raw);
  let opcode = form.opcode(parts);
  const negated = operands.flatMap((operand, index) => (operand.negated ? [index] : []));
  const [only] = negated;
  if (only !== undefined) {
    if (opcode[0] !== 'add' || negated.length > 1)
      throw new SyntaxFailure(diagnostics().notNegatable(raws[only]?.span ?? { start: 0, end: 0 }, '-'));
    opcode = ['sub', ...opcode.slice(1)];
    const [d, a, b] = raws;
    if (only === 1 && d !== undefined && a !== undefined && b !== undefined) raws.splice(0, 3, d, b, a);
  }
  if (opcode[0] === 'shfl') {
    const [p, d, ...sources] = raws;
    if (p !== undefined && d !== undefined) {
      const pair: RawOperand =
        p.kind === 'sink' ? d : { kind: 'pair', first: d, second: p, span: { start: p.span.start, end: d.span.end } };
      raws.splice(0, raws.length, pair, ...sources);
    }
  }
  return { match: matchOpcode(opcode), raws };
}

/** Returns the instructions of a SASS fragment as PTX. Reports errors line by line. */
export function parseSass(cursor: Cursor, reporter: Reporter): readonly RawStatement[] {
  return new SassParser(cursor, reporter).parse();
}
