// Reads the code blocks of the documentation.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Block {
  readonly page: string;
  /** The first line of the code, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** Returns README.md and the pages below docs, relative to the root. */
export function pages(): readonly string[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...below.filter((file) => file.endsWith('.md')).map((file) => join('docs', file))];
}

export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length + 1,
    language: match[1] ?? '',
    code: match[2] ?? '',
  }));
}

/**
 * Returns the commands of a shell block, each on one line: without prompts, output, comments and
 * line continuations.
 */
export function commandsOf({ language, code }: Block): readonly string[] {
  const lines = code.replace(/\\\n\s*/g, '').split('\n');
  const commands = language === 'console' ? lines.filter((line) => line.startsWith('$ ')) : lines;
  return commands
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/(^|\s+)# .*$/, '')
        .trim(),
    )
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Splits a command into words as a shell does, without assignments before the command. */
export function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return words.slice(first === -1 ? words.length : first);
}
