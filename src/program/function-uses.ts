// Finds the lines of a program that use functions that do not exist here.
import type { Source } from '../ptx/ast.ts';
import { codeFrame } from '../ptx/diagnostics/render.ts';
import { positionOf } from '../ptx/diagnostics/source.ts';
import { codeOf } from './source-code.ts';

/** A place in a source that uses a function. */
export interface FunctionUse {
  readonly name: string;
  readonly source: Source;
  /** The offset of the name in the source. */
  readonly offset: number;
}

/** Returns the first use of a function in each file. `name` may have a C++ signature. */
export function findUses(name: string, files: ReadonlyMap<string, string>): readonly FunctionUse[] {
  const [plain = name] = /^[\w:~]+/.exec(name) ?? [];
  const identifier = plain.split('::').at(-1) ?? plain;
  const uses: FunctionUse[] = [];
  for (const [file, text] of files) {
    const offset = codeOf(text).search(new RegExp(`\\b${identifier}\\b`));
    if (offset >= 0) uses.push({ name: identifier, source: { file, text }, offset });
  }
  return uses;
}

/** Returns the message about a use, in one line. */
export function useLine({ name, source, offset }: FunctionUse): string {
  const { line, column } = positionOf(source, offset);
  const isCuda = /^(cu|nv|__cuda)/.test(name);
  const reason = isCuda ? 'is not available in whole programs' : 'is not defined';
  return `${source.file}:${line}:${column}: error: \`${name}\` ${reason}`;
}

/** Returns the message about a use, with its line of the source. */
export function useText(use: FunctionUse): string {
  const { name, source, offset } = use;
  return [useLine(use), ...codeFrame(source, { start: offset, end: offset + name.length })].join('\n');
}
