// The messages of clang, at positions in the text of the CUDA editor.
import { sourceName } from '../clang/source-name.ts';
import { clip, maxMessageLength, maxMessages } from './limits.ts';
import { LineFinder } from './line-finder.ts';
import type { Message } from './messages.ts';

/** Matches the first line of a message: the position, the severity, our own code, and the text. */
const pattern = /^(?:(\S[^\n:]*):(\d+):(\d+): )?(fatal error|error|warning|note)(?:\[(\w+)\])?: (.*)$/;

interface Found {
  /**
   * The offset in the CUDA source. Undefined if the message does not have a position, or has a
   * position in a header.
   */
  from: number | undefined;
  readonly severity: Message['severity'];
  readonly code: string;
  readonly text: string;
  readonly notes: string[];
}

/**
 * Returns the messages in the output of a compilation of `source`. Notes and hints follow the
 * message that they explain. A message in a header is shown at the first position in `source` that
 * its notes contain, if there is such a position.
 */
export function clangMessages(output: string, source: string): Message[] {
  const finder = new LineFinder(source);
  const offsetAt = (file: string | undefined, line: string, column: string): number | undefined => {
    if (file !== `/${sourceName}`) return undefined;
    const offset = finder.offsetOf({ line: Number(line), column: Number(column) });
    return offset === undefined ? undefined : Math.min(offset, source.length);
  };
  const all: Found[] = [];
  for (const row of output.split('\n')) {
    const last = all.at(-1);
    const [, hint] = /^ {2}hint: (.*)$/.exec(row) ?? [];
    if (hint !== undefined) last?.notes.push(hint);
    const match = pattern.exec(row);
    if (match === null) continue;
    const [, file, line = '', column = '', severity = '', code = 'clang', text = ''] = match;
    const from = offsetAt(file, line, column);
    if (severity === 'note') {
      last?.notes.push(text);
      if (last !== undefined) last.from ??= from;
      continue;
    }
    all.push({ from, severity: severity === 'warning' ? 'warning' : 'error', code, text, notes: [] });
  }
  return all.slice(0, maxMessages).map(({ from, severity, code, text, notes }): Message => {
    const hint = notes.length === 0 ? undefined : clip(notes.join('\n'), maxMessageLength);
    const message = { severity, code, text: clip(text, maxMessageLength), hint };
    if (from === undefined) return { ...message, from: 0, to: 0, origin: 'page' };
    const [word = ' '] = /^\w+/.exec(source.slice(from, from + maxMessageLength)) ?? [];
    return { ...message, from, to: Math.min(from + word.length, source.length), origin: 'text' };
  });
}
