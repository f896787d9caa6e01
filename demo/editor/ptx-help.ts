// Completion and explanations of instructions and special registers, based on the ISA rows.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { hoverTooltip } from '@codemirror/view';
import { type IsaRow, isaRows, specialRegisters } from '../../src/isa/index.ts';
import { matchOpcode, patternsFor, splitOpcode } from '../../src/isa/match.ts';
import { el } from '../dom.ts';
import { rowHelp } from '../views/row-help.ts';

/**
 * Returns the opcodes of a row: one for each combination of required modifiers, without optional
 * modifiers. A modifier whose values would yield more than 48 opcodes contributes only its first
 * value.
 */
function opcodesOf(row: IsaRow): string[] {
  const [pattern = ''] = row.syntax.split(' ');
  const slots = Object.entries(row.where ?? {}).filter(([name]) => pattern.includes(`.${name}`));
  const bare = pattern.replace(/\{\.[\w:]+\}/g, '');
  return slots.reduce<string[]>(
    (texts, [name, values]) => {
      if (!new RegExp(`\\.${name}\\b`).test(bare)) return texts;
      return texts.length * values.length > 48
        ? texts.map((text) => text.replace(new RegExp(`\\.${name}\\b`), `.${values[0]}`))
        : texts.flatMap((text) => values.map((value) => text.replace(new RegExp(`\\.${name}\\b`), `.${value}`)));
    },
    [bare],
  );
}

let completions: readonly Completion[] | undefined;

function allCompletions(): readonly Completion[] {
  completions ??= [
    ...isaRows.flatMap((row) =>
      opcodesOf(row).map(
        (label): Completion => ({
          label,
          type: 'keyword',
          detail: row.syntax.slice(row.syntax.indexOf(' ') + 1).slice(0, 40),
          info: () => rowHelp(row),
          boost: row.kind === 'warp' ? 2 : 0,
        }),
      ),
    ),
    ...specialRegisters.map(({ name, doc }): Completion => ({ label: name, type: 'variable', info: doc })),
  ];
  return completions;
}

export function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/%?[\w.:]+/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  return { from: word.from, options: [...allCompletions()], validFor: /^%?[\w.:]*$/ };
}

/** Returns the row of an opcode, even if one of the opcode's modifiers is wrong or missing. */
function rowOf(opcode: string): IsaRow | undefined {
  const parts = splitOpcode(opcode);
  const exact = matchOpcode(parts);
  if (exact) return exact.pattern.row;
  return (
    patternsFor(parts[0] ?? '').find(({ row }) => opcode.startsWith(row.name))?.row ??
    patternsFor(parts[0] ?? '')[0]?.row
  );
}

/**
 * The number of characters before and after the pointer in which to search for the word under the
 * pointer. All opcodes are shorter.
 */
const maxWord = 200;

/** Shows the documentation of the word under the pointer. */
export const ptxHover = hoverTooltip((view, position) => {
  const line = view.state.doc.lineAt(position);
  // Search only the part around the pointer, because a line may be as long as the text.
  const start = Math.max(line.from, position - maxWord);
  const near = view.state.doc.sliceString(start, Math.min(line.to, position + maxWord));
  for (const match of near.matchAll(/%?[A-Za-z_][\w.:]*/g)) {
    const from = start + match.index;
    const to = from + match[0].length;
    if (position < from || position > to) continue;
    const register = specialRegisters.find(({ name }) => name === match[0]);
    const row = register
      ? undefined
      : rowOf(match[0].toLowerCase().startsWith('shfl.') ? sassToPtx(match[0]) : match[0]);
    if (!register && !row) return null;
    const dom = row ? rowHelp(row) : el('div', { class: 'help' }, `${register?.name}: ${register?.doc}`);
    return { pos: from, end: to, above: true, create: () => ({ dom }) };
  }
  return null;
});

/** Converts a SASS name to PTX. For example, `SHFL.UP` becomes `shfl.up.b32`. */
function sassToPtx(text: string): string {
  return /^SHFL\.[A-Z]+$/.test(text) ? `${text.toLowerCase()}.b32` : text;
}
