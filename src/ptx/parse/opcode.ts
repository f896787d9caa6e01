// Finds the row of an opcode, or creates the diagnostic if there is no such row.
import { manualWords } from '../../isa/manual.ts';
import {
  matchOpcode,
  matchParts,
  type OpcodeMatch,
  opcodeWords,
  type PartPattern,
  patternsFor,
} from '../../isa/match.ts';
import type { Diagnostic, Span } from '../ast.ts';
import { objectionTo } from '../checks/constraints.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Age, completeOpcode, impliedMods } from './legacy.ts';
import { type WideOpcode, wideOpcode } from './wide-opcodes.ts';

/** An opcode as written in the source. */
export class Opcode {
  readonly text: string;
  readonly span: Span;
  private readonly tokens: TokenList;
  private readonly first: number;

  /** Creates an opcode. `first` is the number of its first token. */
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
      /**
       * Whether early PTX implies a part of the form, so that the form does not require a version.
       */
      readonly isImplied: boolean;
      readonly wide: WideOpcode | undefined;
    }
  | { readonly kind: 'unsupported'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'error'; readonly diagnostic: Diagnostic };

function explain(opcode: Opcode, word: string, modifiers: readonly string[]): Diagnostic {
  const attempts = patternsFor(word)
    .map((pattern) => ({ pattern, ...matchParts(pattern, modifiers) }))
    .sort((a, b) => a.unmatched.length - b.unmatched.length || a.missing.length - b.missing.length);
  const best = attempts[0];
  const unmatched = best?.unmatched[0];
  if (unmatched !== undefined) {
    const modifier = modifiers[unmatched] ?? '';
    const allowed = new Set(attempts.flatMap(({ pattern }) => pattern.parts.flatMap((part) => part.values)));
    const near = allowed.has(modifier) ? undefined : nearest(modifier, allowed);
    const forms = attempts.slice(0, 4).map(({ pattern }) => pattern.row.syntax);
    return diagnostics.unknownModifier(opcode.spanOf(unmatched + 1), word, modifier, near, forms);
  }
  const missing: PartPattern | undefined = best?.missing[0];
  const values = missing?.values ?? [];
  return diagnostics.missingModifier(opcode.span, opcode.text, missing?.name ?? '', values);
}

function classify(opcode: Opcode, age: Age): OpcodeResult {
  const { parts } = opcode;
  const wide = wideOpcode(parts);
  const narrow = wide && matchOpcode(wide.parts);
  if (narrow !== undefined && objectionTo(narrow.pattern.row, narrow.mods) === undefined)
    return { kind: 'match', match: narrow, isImplied: false, wide };
  const completed = completeOpcode(parts, age);
  const match = (completed && matchOpcode(completed)) ?? matchOpcode(parts);
  if (match !== undefined) {
    const mods = impliedMods(match, opcode.text, age);
    const objection = objectionTo(match.pattern.row, mods);
    if (objection === undefined)
      return { kind: 'match', match: { ...match, mods }, isImplied: completed !== undefined, wide: undefined };
    if (objection.unsupported !== undefined)
      return {
        kind: 'unsupported',
        diagnostic: diagnostics().unsupportedModifier(opcode.span, opcode.text, objection.unsupported),
      };
    return {
      kind: 'error',
      diagnostic: diagnostics().badCombination(opcode.span, opcode.text, objection.why, objection.hint),
    };
  }
  if (uncoveredInstruction(opcode.parts) !== undefined)
    return { kind: 'unsupported', diagnostic: diagnostics.unsupportedOpcode(opcode.span, opcode.text) };
  if (patternsFor(word).length === 0) {
    const near = nearest(word, [...opcodeWords(), ...manualWords()]);
    return { kind: 'error', diagnostic: diagnostics.unknownOpcode(opcode.spanOf(0), word, near) };
  }
  // The matrix types are valid in some row, so the error is in another modifier.
  const known = new Set(
    patternsFor(word).flatMap(({ row, parts }) => (row.kind === 'matrix' ? parts.flatMap(({ values }) => values) : [])),
  );
  const foreign = modifiers.findIndex((modifier) => isUnsupportedModifier(word, modifier) && !known.has(modifier));
  if (foreign >= 0) {
    const diagnostic = diagnostics.unsupportedModifier(
      opcode.spanOf(foreign + 1),
      opcode.text,
      modifiers[foreign] ?? '',
    );
    return { kind: 'unsupported', diagnostic };
  }
  return { kind: 'error', diagnostic: explain(opcode, word, modifiers) };
}

/**
 * Classifies opcodes. Caches the valid ones, because a module uses only a few dozen, each many
 * times.
 */
export class OpcodeTable {
  private readonly matches = new Map<string, OpcodeResult>();
  private readonly age: () => Age;

  /** Creates a table. `age` is called for each new opcode. */
  constructor(age: () => Age) {
    this.age = age;
  }

  classify(opcode: Opcode): OpcodeResult {
    const known = this.matches.get(opcode.text);
    if (known !== undefined) return known;
    const result = classify(opcode, this.age());
    if (result.kind === 'match') this.matches.set(opcode.text, result);
    return result;
  }
}
