// The tokens of a line of IR text, and a cursor over them.
import { missing } from '../../base/invariants.ts';

export interface Token {
  readonly kind: 'name' | 'value' | 'number' | 'string' | 'sign';
  readonly text: string;
  readonly column: number;
}

/** The error for invalid IR text. The message contains the place as `file:line:column`. */
export class IrSyntaxError extends SyntaxError {
  override readonly name = 'IrSyntaxError';
}

// A value's name, a number, a string, a word with its dots, or a symbol.
const token =
  /\s+|;.*|(?<value>%[\w$%.?]*)|(?<number>-?0x[\da-f]+|-?\d+)|(?<string>"(?:[^"\\]|\\.)*")|(?<name>[\w$](?:[\w$.-]|::)*(?:<u32>)?)|(?<sign>->|\.\.|[:,(){}[\]=@+*!_-])/gy;

function tokensOf(line: string, place: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < line.length) {
    const column = token.lastIndex + 1;
    const found = token.exec(line);
    if (found === null) throw new IrSyntaxError(`${place}:${column}: what is ${line.slice(column - 1, column + 9)}?`);
    const groups = found.groups ?? missing('the kind of a token');
    for (const kind of ['value', 'number', 'string', 'name', 'sign'] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text, column });
    }
  }
  return tokens;
}

/** Reads the tokens of a line one by one. */
export class Cursor {
  private at = 0;
  private readonly tokens: readonly Token[];
  private readonly place: string;

  constructor(line: string, place: string) {
    this.tokens = tokensOf(line, place);
    this.place = place;
  }

  /** The number of tokens that have been read. */
  get position(): number {
    return this.at;
  }

  /** Returns the text of the tokens read since a position. */
  since(position: number): string {
    return this.tokens
      .slice(position, this.at)
      .map(({ text }) => text)
      .join(' ');
  }

  get done(): boolean {
    return this.at >= this.tokens.length;
  }

  peek(ahead = 0): Token | undefined {
    return this.tokens[this.at + ahead];
  }

  is(text: string): boolean {
    const next = this.peek();
    return next?.text === text && next.kind !== 'string';
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.at += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail(`expected \`${text}\``);
  }

  next(...kinds: readonly Token['kind'][]): string {
    const found = this.peek();
    if (found === undefined || !kinds.includes(found.kind)) return this.fail(`expected a ${kinds.join(' or ')}`);
    this.at += 1;
    return found.text;
  }

  string(): string {
    const parsed: unknown = JSON.parse(this.next('string'));
    return String(parsed);
  }

  integer(): number {
    return Number(this.next('number'));
  }

  /** Parses a list of items with commas between them. */
  list<Item>(read: () => Item): Item[] {
    const items = [read()];
    while (this.take(',')) items.push(read());
    return items;
  }

  fail(message: string): never {
    // Absent: the error is after the last token.
    const column = this.peek()?.column ?? 'end';
    throw new IrSyntaxError(`${this.place}:${column}: ${message}`);
  }

  end(): void {
    if (!this.done) this.fail('expected the end of the line');
  }
}
