// Shows messages in a list, and as marks in the text.
import { el } from '../dom.ts';
import type { Lint } from '../editor/code-view.ts';
import type { LineFinder } from '../program/line-finder.ts';
import type { Message } from '../program/messages.ts';

export function lintOf(messages: readonly Message[]): Lint[] {
  const placed = messages.filter(({ origin }) => origin !== 'page');
  return placed.map(({ from, to, severity, code, text, hint }) => {
    const message = hint === undefined ? text : `${text}\n${hint}`;
    return { from, to, severity, source: code, message };
  });
}

/**
 * Returns a list item for each message whose origin is in `kinds`. A click on an item calls
 * `onJump` with the offset of the message's position.
 */
export function messageItems(
  messages: readonly Message[],
  kinds: readonly Message['origin'][],
  { lines, onJump }: { readonly lines: LineFinder; readonly onJump: (offset: number) => void },
): HTMLElement[] {
  return messages
    .filter(({ origin }) => kinds.includes(origin))
    .map(({ from, severity, code, text, hint, origin }) => {
      const { line, column } = lines.at(from);
      const jump = el('button', { type: 'button', class: 'link', onclick: () => onJump(from) }, `${line}:${column}`);
      const name = severity === 'error' ? 'Error' : 'Warning';
      return el(
        'li',
        { class: severity },
        origin !== 'page' && jump,
        ` ${name} ${code}: ${text}`,
        hint !== undefined && el('div', { class: 'hint' }, hint),
      );
    });
}
