// Parses the condition of a litmus test: `reader:%r0 == 1 && [x] != 2 || !(…)`.
import type { Span } from '../../ptx/ast.ts';
import { litmusDiagnostics } from '../diagnostics.ts';
import type { Condition, Observable } from './condition.ts';
import type { Raise } from './raise.ts';

/** Resolves the names of a condition. Throws `PtxError` for unknown names. */
export interface Names {
  register(thread: string, register: string, span: Span): Observable;
  memory(variable: string, offset: number, span: Span): Observable;
}

const token =
  /\s+|\/\/[^\n]*|(?<sign>&&|\|\||==|!=|[!()[\]:+])|(?<number>0[xX][\da-fA-F]+|\d+)|(?<name>%?[A-Za-z_$][\w$]*)|./gy;

interface Token {
  readonly text: string;
  readonly kind: 'sign' | 'number' | 'name' | 'other';
  readonly span: Span;
}

/** Parses a condition that starts at `start` of the file. */
export function parseCondition(
  text: string,
  start: number,
  names: Names,
  raise: Raise,
): { readonly condition: Condition; readonly observables: readonly Observable[] } {
  const tokens = tokensOf(text, start);
  const end: Token = { text: 'the end', kind: 'other', span: { start: start + text.length, end: start + text.length } };
  const observables: Observable[] = [];
  let next = 0;
  const peek = (): Token => tokens[next] ?? end;
  const take = (): Token => {
    const taken = peek();
    next++;
    return taken;
  };
  const expect = (what: string, test: (candidate: Token) => boolean): Token => {
    const found = take();
    return test(found) ? found : raise(litmusDiagnostics.expected(found.span, what, `\`${found.text}\``));
  };
  const accept = (text: string): boolean => {
    const matches = peek().text === text;
    if (matches) next++;
    return matches;
  };
  const sign = (text: string) => expect(`\`${text}\``, (found) => found.text === text);
  const name = (what: string) => expect(what, (found) => found.kind === 'name');
  const number = () => BigInt(expect('a number', (found) => found.kind === 'number').text);

  const condition = chain('or', '||', () => chain('and', '&&', primary));
  if (next < tokens.length) raise(litmusDiagnostics.expected(peek().span, '`&&` or `||`', `\`${peek().text}\``));
  return { condition, observables };

  function chain(kind: 'and' | 'or', separator: string, operand: () => Condition): Condition {
    const first = operand();
    const operands = [first];
    while (accept(separator)) operands.push(operand());
    return operands.length === 1 ? first : { kind, operands };
  }

  function primary(): Condition {
    if (accept('!')) return { kind: 'not', operand: primary() };
    if (accept('(')) {
      const inner = chain('or', '||', () => chain('and', '&&', primary));
      sign(')');
      return inner;
    }
    const left = observable();
    const comparison = expect('`==` or `!=`', (found) => found.text === '==' || found.text === '!=');
    const atom: Condition =
      peek().kind === 'number'
        ? { kind: 'equal', observable: left, value: number() }
        : { kind: 'same', left, right: observable() };
    return comparison.text === '==' ? atom : { kind: 'not', operand: atom };
  }

  function observable(): number {
    const first = peek().span;
    const found = accept('[') ? memory(first) : register(first);
    const known = observables.findIndex(({ text }) => text === found.text);
    return known >= 0 ? known : observables.push(found) - 1;
  }

  function memory(first: Span): Observable {
    const variable = name('the name of a variable').text;
    const offset = accept('+') ? Number(number()) : 0;
    return names.memory(variable, offset, { start: first.start, end: sign(']').span.end });
  }

  function register(first: Span): Observable {
    const thread = name('the name of a thread, or an address in brackets').text;
    sign(':');
    const found = name('the name of a register');
    return names.register(thread, found.text, { start: first.start, end: found.span.end });
  }
}

function tokensOf(text: string, start: number): readonly Token[] {
  return [...text.matchAll(token)].flatMap((match): readonly Token[] => {
    const [whole] = match;
    if (/^\s|^\/\//.test(whole)) return [];
    const { sign, number } = match.groups ?? {};
    const kind =
      sign !== undefined ? 'sign' : number !== undefined ? 'number' : /^[%A-Za-z_$]/.test(whole) ? 'name' : 'other';
    return [{ text: whole, kind, span: { start: start + match.index, end: start + match.index + whole.length } }];
  });
}
