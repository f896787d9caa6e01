// An opcode of a text, and the row or the diagnostic that it results in.
import type { OpcodeMatch } from '../../isa/match.ts';
import type { Diagnostic, Span } from '../ast.ts';
import type { TokenList } from '../lexer/tokens.ts';
import type { WideOpcode } from './wide-opcodes.ts';

/** An opcode as written in the source. */
export class Opcode {
  readonly text: string;
  readonly span: Span;
  private readonly tokens: TokenList;
  private readonly first: number;

  /** `first` is the number of the opcode's first token. */
  constructor(text: string, span: Span, tokens: TokenList, first: number) {
    this.text = text;
    this.span = span;
    this.tokens = tokens;
    this.first = first;
  }

  /** The words of the opcode. */
  get parts(): readonly string[] {
    return this.text.split('.');
  }

  /** Returns the span of a word. */
  spanOf(part: number): Span {
    return this.first + part < this.tokens.length ? this.tokens.at(this.first + part) : this.span;
  }
}

export type OpcodeResult =
  | {
      readonly kind: 'match';
      readonly match: OpcodeMatch;
      /** Whether early PTX implies the form, so it requires no version. */
      readonly isImplied: boolean;
      readonly wide: WideOpcode | undefined;
    }
  | { readonly kind: 'unsupported'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'error'; readonly diagnostic: Diagnostic };
