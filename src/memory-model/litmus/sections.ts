// Splits a file of litmus tests into its sections: lines that start with a keyword begin a section.
import { at } from '../../base/invariants.ts';
import type { Source, Span } from '../../ptx/ast.ts';
import { litmusDiagnostics } from '../diagnostics.ts';
import type { ConditionKind } from './litmus-test.ts';
import type { Raise } from './raise.ts';

/** A part of the file, verbatim. */
interface Part {
  readonly body: string;
  /** The offset of the body in the file. */
  readonly start: number;
}

/** A thread, and its place in the scope tree. */
export interface Section extends Part {
  readonly name: string;
  readonly place: { readonly block: number; readonly cluster: number | undefined; readonly device: number };
  readonly span: Span;
}

/** A line `alias NAME = NAME`. */
export interface AliasLine {
  readonly name: string;
  readonly of: string;
  readonly span: Span;
}

export interface TestSections {
  readonly name: string;
  readonly span: Span;
  readonly declarations: Part;
  readonly aliases: readonly AliasLine[];
  readonly threads: readonly Section[];
  readonly condition: Part & { readonly kind: ConditionKind };
}

interface Line {
  readonly keyword: string;
  /** The rest of the keyword's line. */
  readonly rest: string;
  readonly start: number;
  /** The offset after the keyword's line. */
  readonly next: number;
  /** The offset of the next keyword. */
  readonly end: number;
}

export function findSections(source: Source, raise: Raise): readonly TestSections[] {
  const lines = keywordLines(source.text);
  const start = { start: 0, end: Math.min(1, source.text.length) };
  if (lines[0]?.keyword !== 'test') {
    return raise(litmusDiagnostics.expected(lines[0] ? spanOf(lines[0]) : start, '`test NAME`', 'other text'));
  }
  const starts = lines.flatMap(({ keyword }, index) => (keyword === 'test' ? [index] : []));
  return starts.map((first, order) => oneTest(lines.slice(first, starts[order + 1]), source, raise));
}

function keywordLines(text: string): readonly Line[] {
  const matches = [...text.matchAll(/^(test|alias|thread|allowed|forbidden|exists|always)\b([^\n]*)/gm)];
  return matches.map(({ 0: whole, 1: keyword = '', 2: rest = '', index }, order) => ({
    keyword,
    rest: rest.replace(/\/\/.*/, '').trim(),
    start: index,
    next: Math.min(index + whole.length + 1, text.length),
    end: matches[order + 1]?.index ?? text.length,
  }));
}

const spanOf = ({ start, keyword }: Line): Span => ({ start, end: start + keyword.length });

function oneTest(lines: readonly Line[], { text }: Source, raise: Raise): TestSections {
  const head = at(lines, 0, 'line of the test');
  const last = at(lines, lines.length - 1, 'line of the test');
  const afterAliases = lines.findIndex(({ keyword }, index) => index > 0 && keyword !== 'alias');
  const aliases = afterAliases < 0 ? [] : lines.slice(1, afterAliases);
  const threads = lines.slice(1 + aliases.length, -1);
  const misplaced = [...threads.filter(({ keyword }) => keyword !== 'thread'), ...(isCondition(last) ? [] : [last])];
  const [wrong] = misplaced;
  if (wrong !== undefined || threads.length === 0) {
    const place = wrong ?? head;
    return raise(
      litmusDiagnostics.expected(
        spanOf(place),
        '`thread NAME` for each thread, then `allowed`, `forbidden`, `exists` or `always`',
        `\`${place.keyword}\``,
      ),
    );
  }
  if (head.rest === '') raise(litmusDiagnostics.expected(spanOf(head), 'a name', 'the end of the line'));
  const part = ({ next, end }: Line): Part => ({ body: text.slice(next, end), start: next });
  const start = last.start + last.keyword.length;
  return {
    name: head.rest,
    span: { start: head.start, end: head.start + head.keyword.length + 1 + head.rest.length },
    declarations: part(head),
    aliases: aliases.map((line) => aliasLine(line, text, raise)),
    threads: threads.map((line) => ({ ...part(line), ...threadHead(line, raise), span: spanOf(line) })),
    condition: { kind: last.keyword as ConditionKind, body: text.slice(start, last.end), start },
  };
}

const isCondition = ({ keyword }: Line): boolean => !['test', 'alias', 'thread'].includes(keyword);

function aliasLine(line: Line, text: string, raise: Raise): AliasLine {
  const parsed = /^([A-Za-z_$][\w$]*)\s*=\s*([A-Za-z_$][\w$]*)$/.exec(line.rest);
  const hasMore =
    text
      .slice(line.next, line.end)
      .replace(/\/\/[^\n]*/g, '')
      .trim() !== '';
  if (parsed === null || hasMore) {
    const found = hasMore ? 'other lines before `thread`' : `\`${line.rest}\``;
    return raise(litmusDiagnostics.expected(spanOf(line), '`alias NAME = NAME` after the declarations', found));
  }
  return { name: parsed[1] ?? '', of: parsed[2] ?? '', span: spanOf(line) };
}

function threadHead(line: Line, raise: Raise): Pick<Section, 'name' | 'place'> {
  const parsed = /^([A-Za-z_]\w*)((?:\s*,\s*(?:block|cluster|device)\s+\d+)*)$/.exec(line.rest);
  if (parsed === null) {
    return raise(litmusDiagnostics.expected(spanOf(line), '`thread NAME, block NUMBER`', `\`${line.rest}\``));
  }
  const numbers = new Map(
    [...(parsed[2] ?? '').matchAll(/(\w+)\s+(\d+)/g)].map(([, key = '', number = '']) => [key, Number(number)]),
  );
  return {
    name: parsed[1] ?? '',
    place: { block: numbers.get('block') ?? 0, cluster: numbers.get('cluster'), device: numbers.get('device') ?? 0 },
  };
}
