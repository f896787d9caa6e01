// Finds the lines of a program that use functions that do not exist here.

/** A place in a source that uses a function. */
export interface FunctionUse {
  readonly name: string;
  readonly file: string;
  /** The position, from 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Replaces comments and string literals by spaces, so that positions stay the same. */
const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"/g, (found) => found.replace(/[^\n]/g, ' '));

/** Returns the first use of a function in each file. `name` may have a C++ signature. */
export function findUses(name: string, files: ReadonlyMap<string, string>): readonly FunctionUse[] {
  const [plain = name] = /^[\w:~]+/.exec(name) ?? [];
  const identifier = plain.split('::').at(-1) ?? plain;
  const uses: FunctionUse[] = [];
  for (const [file, text] of files) {
    const offset = codeOf(text).search(new RegExp(`\\b${identifier}\\b`));
    if (offset < 0) continue;
    const before = text.slice(0, offset).split('\n');
    const line = before.length;
    uses.push({
      name: identifier,
      file,
      line,
      column: (before.at(-1)?.length ?? 0) + 1,
      text: text.split('\n')[line - 1] ?? '',
    });
  }
  return uses;
}

/** Returns the message about a use, with its line. */
export function useText({ name, file, line, column, text }: FunctionUse): string {
  const number = String(line);
  const gutter = ' '.repeat(number.length);
  const isCuda = /^(cu|nv|__cuda)/.test(name);
  const reason = isCuda ? 'is not available in whole programs' : 'is not defined';
  return [
    `${file}:${line}:${column}: error: \`${name}\` ${reason}`,
    `${gutter} |`,
    `${number} | ${text}`,
    `${gutter} | ${text.slice(0, column - 1).replace(/[^\t]/g, ' ')}${'^'.repeat(name.length)}`,
  ].join('\n');
}
