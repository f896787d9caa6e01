// The text of files with cases. A case consists of a line with the name of the pass or plan,
// comments, an input, and the results. A line `; --- <name>` precedes each result.

export interface FileCase {
  /** The rest of the first line, after the keyword. */
  readonly head: string;
  /** The first comment. */
  readonly title: string;
  /** The comments and the input, as they are written. */
  readonly before: string;
  /** Results by name, in the order of the file. */
  readonly results: ReadonlyMap<string, string>;
}

const resultLine = /^; --- (.+)$/;

/** Joins lines, without empty lines at the ends. */
const blockOf = (lines: readonly string[]): string =>
  `${lines
    .join('\n')
    .replace(/^(?:\s*\n)+/, '')
    .trimEnd()}\n`;

/** Reads the cases of a file, each of which begins with `; <keyword>: `. */
export function casesOf(text: string, keyword: string): FileCase[] {
  const begin = `; ${keyword}: `;
  const parts = text.split(new RegExp(`^(?=${begin})`, 'm')).filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [head = '', ...lines] = part.split('\n');
    if (!head.startsWith(begin)) throw new Error(`a case begins with \`${begin}…\`, not with \`${head}\``);
    const sections: { name: string; lines: string[] }[] = [{ name: '', lines: [] }];
    for (const line of lines) {
      const [, name] = resultLine.exec(line) ?? [];
      if (name === undefined) sections.at(-1)?.lines.push(line);
      else sections.push({ name, lines: [] });
    }
    const [before, ...results] = sections;
    return {
      head: head.slice(begin.length).trim(),
      title: lines.find((line) => line.startsWith('; ') && !resultLine.test(line))?.slice(2) ?? '',
      before: blockOf(before?.lines ?? []),
      results: new Map(results.map((section) => [section.name, blockOf(section.lines)])),
    };
  });
}

/** Writes cases in the format that `casesOf` reads. */
export function printCases(cases: readonly FileCase[], keyword: string): string {
  const texts = cases.map(({ head, before, results }) => {
    const sections = [...results].map(([name, text]) => `; --- ${name}\n${text}`);
    return `; ${keyword}: ${head}\n${before}${sections.join('')}`;
  });
  return texts.join('\n');
}

/** Returns the program of an input, without the comments at its start, which describe the case. */
export const withoutComments = (before: string): string => before.replace(/^(?:; .*\n)*/, '');
