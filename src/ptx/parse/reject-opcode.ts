// Explains why no row matches an opcode.
import { manualWords } from '../../isa/manual.ts';
import { matchParts, opcodeWords, type PartPattern, patternsFor } from '../../isa/match.ts';
import type { Diagnostic } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { nearest } from '../diagnostics/suggest.ts';
import { isUnsupportedModifier, uncoveredInstruction } from './known-opcodes.ts';
import type { Opcode, OpcodeResult } from './opcode-result.ts';

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
    return diagnostics().unknownModifier(opcode.spanOf(unmatched + 1), word, modifier, near, forms);
  }
  const missing: PartPattern | undefined = best?.missing[0];
  const values = missing?.values ?? [];
  return diagnostics().missingModifier(opcode.span, opcode.text, missing?.name ?? '', values);
}

/** Classifies an opcode that no row matches: unsupported, or an error. */
export function rejectOpcode(opcode: Opcode): OpcodeResult {
  const [word = '', ...modifiers] = opcode.parts;
  if (uncoveredInstruction(opcode.parts) !== undefined)
    return { kind: 'unsupported', diagnostic: diagnostics().unsupportedOpcode(opcode.span, opcode.text) };
  if (patternsFor(word).length === 0) {
    const near = nearest(word, [...opcodeWords(), ...manualWords()]);
    return { kind: 'error', diagnostic: diagnostics().unknownOpcode(opcode.spanOf(0), word, near) };
  }
  // The matrix types match some row, so the error is in another modifier.
  const known = new Set(
    patternsFor(word).flatMap(({ row, parts }) => (row.kind === 'matrix' ? parts.flatMap(({ values }) => values) : [])),
  );
  const foreign = modifiers.findIndex((modifier) => isUnsupportedModifier(word, modifier) && !known.has(modifier));
  if (foreign >= 0) {
    const diagnostic = diagnostics().unsupportedModifier(
      opcode.spanOf(foreign + 1),
      opcode.text,
      modifiers[foreign] ?? '',
    );
    return { kind: 'unsupported', diagnostic };
  }
  return { kind: 'error', diagnostic: explain(opcode, word, modifiers) };
}
