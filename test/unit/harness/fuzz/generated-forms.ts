// Finds the forms of instructions in lines of PTX: rows, values of their modifiers, and shapes of
// their operands.
import { type IsaRow, isaRows, type Mods } from '../../../../src/isa/index.ts';
import { groupsFor, matchOpcode, patternOf, splitOpcode } from '../../../../src/isa/match.ts';

function formsOf(row: IsaRow): string[] {
  const { parts, groups } = patternOf(row);
  const least = groups.filter(({ optional }) => !optional).length;
  return [
    row.name,
    ...parts.flatMap(({ name, values, slot, optional }) =>
      slot || optional
        ? [...values, ...(optional ? ['none'] : [])].map((value) => `${row.name} .${name}=${value}`)
        : [],
    ),
    ...groups.flatMap(({ first, second, secondOptional }) => [
      ...(secondOptional ? [`${row.name} |${second?.name}`, `${row.name} without |${second?.name}`] : []),
      ...(first.negatable ? [`${row.name} !${first.name}`] : []),
    ]),
    ...Array.from({ length: groups.length - least + 1 }, (_, more) => `${row.name} with ${least + more} operands`),
  ];
}

export const allForms: readonly string[] = isaRows.flatMap(formsOf);

/** Returns the forms of the modifiers only. */
export function formsOfMods(row: IsaRow, mods: Mods): string[] {
  const named = patternOf(row).parts.filter(({ slot, optional }) => slot || optional);
  return [row.name, ...named.map(({ name }) => `${row.name} .${name}=${mods[name] ?? 'none'}`)];
}

/** Splits at the commas outside brackets. */
function operandsOf(text: string): string[] {
  const operands: string[] = [];
  let depth = 0;
  let current = '';
  for (const letter of text) {
    if ('{[('.includes(letter)) depth++;
    if ('}])'.includes(letter)) depth--;
    if (letter === ',' && depth === 0) {
      operands.push(current.trim());
      current = '';
    } else current += letter;
  }
  return current.trim() === '' ? operands : [...operands, current.trim()];
}

export function formsOfLine(line: string): string[] {
  const [, opcode, text = ''] = /^\s*(?:@\S+ )?([a-z][\w.:]*)(?: ([^;]*))?;?$/.exec(line) ?? [];
  const match = opcode === undefined ? undefined : matchOpcode(splitOpcode(opcode));
  if (match === undefined) return [];
  const { row } = match.pattern;
  const operands = operandsOf(text);
  const groups = groupsFor(match.pattern, operands.length) ?? [];
  const shapes = groups.flatMap(({ first, second, secondOptional }, index) => {
    const operand = operands[index] ?? '';
    const pair = secondOptional ? [`${row.name} ${operand.includes('|') ? '' : 'without '}|${second?.name}`] : [];
    return operand.startsWith('!') ? [...pair, `${row.name} !${first.name}`] : pair;
  });
  return [...formsOfMods(row, match.mods), ...shapes, `${row.name} with ${operands.length} operands`];
}
