// Mutants of a litmus test: the test without a fence, or with a weaker order. PTX allows the weak
// outcome of a mutant, so a run that shows it could also have seen a fault of the original.
import { type LitmusTest, parseLitmus, verdictOf } from '../../memory-model/index.ts';
import type { Instruction, Span } from '../../ptx/ast.ts';

export interface Mutant {
  /** The change, such as `without fence.sc.gpu in t0`. */
  readonly change: string;
  readonly test: LitmusTest;
}

interface Edit {
  readonly change: string;
  readonly span: Span;
  readonly text: string;
}

/** Returns the mutants of a test that PTX forbids whose condition PTX allows. */
export function mutantsOf(test: LitmusTest): readonly Mutant[] {
  const edits = test.threads.flatMap(({ name, code }) =>
    code.body.flatMap((statement) => (statement.kind === 'instruction' ? weaker(test, name, statement) : [])),
  );
  const isFence = ({ text }: Edit): boolean => text === '';
  const all = edits.filter(isFence);
  const candidates = [
    ...edits.map((edit) => ({ change: edit.change, edits: [edit] })),
    ...(all.length > 1 ? [{ change: 'without all fences', edits: all }] : []),
  ];
  return candidates.flatMap(({ change, edits: own }) => {
    const mutant = edited(test, own, change);
    return verdictOf(mutant) === 'allowed' ? [{ change, test: mutant }] : [];
  });
}

/** The replacements of an instruction with less order. */
function weaker({ moduleText, place }: LitmusTest, thread: string, { row, mods, span }: Instruction): readonly Edit[] {
  const whole = place(span);
  const text = moduleText.slice(span.start, span.end);
  const opcode = text.split(/\s/)[0]?.replace(/;$/, '') ?? '';
  if (row.name === 'fence' || row.name === 'membar' || row.name === 'fence.proxy') {
    const removed = { change: `without ${opcode} in ${thread}`, span: whole, text: '' };
    const weakened = {
      change: `${opcode} as acq_rel in ${thread}`,
      span: whole,
      text: text.replace('.sc', '.acq_rel'),
    };
    return mods.sem === 'sc' ? [removed, weakened] : [removed];
  }
  const order = ['acq_rel', 'acquire', 'release'].find((name) => mods.sem === name);
  if (order !== undefined) {
    const replaced = text.replace(`.${order}`, '.relaxed');
    return [{ change: `${opcode} as relaxed in ${thread}`, span: whole, text: replaced }];
  }
  const isAccess = row.name === 'ld.volatile' || row.name === 'st.volatile';
  if (!isAccess || mods.sem !== 'relaxed') return [];
  const replaced = text.replace(`.relaxed${mods.scope === undefined ? '' : `.${mods.scope}`}`, '.weak');
  return [{ change: `${opcode} as weak in ${thread}`, span: whole, text: replaced }];
}

function edited(test: LitmusTest, edits: readonly Edit[], change: string): LitmusTest {
  const { text, file } = test.source;
  const own = [...edits].sort((a, b) => b.span.start - a.span.start);
  const changed = own.reduce((all, { span, text: to }) => withReplacement(all, span, to), text);
  const found = parseLitmus({ file, text: changed }).find(({ name }) => name === test.name);
  if (found === undefined) throw new RangeError(`the mutant of ${test.name} is missing`);
  return { ...found, name: `${test.name} (${change})` };
}

function withReplacement(text: string, { start, end }: Span, to: string): string {
  // The statement ends with its semicolon, which the span may not contain.
  const after = to === '' ? text.slice(end).replace(/^\s*;/, '') : text.slice(end);
  return text.slice(0, start) + to + after;
}
