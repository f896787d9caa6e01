// Makes untrusted text safe to print, such as ids, names of files and kernels, and lines of PTX. On
// a terminal, control characters in such text could move the cursor or change colors. In GitHub
// Actions, a line could run a workflow command.

// Matches unprintable characters:
// - C0 except tab and newline, DEL and C1;
// - characters that change the direction of text, with which one name can look like another;
// - line and paragraph separators, the byte order mark, and lone surrogates.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/gu;
const lineBreaks = /[\t\n]/g;
/** Matches the color codes that this program prints, and unprintable characters. */
const unprintableOrColor = new RegExp(`\\u001b\\[[0-9;]*m|${unprintable.source}`, 'gu');

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Returns lines of text in which control characters are written as, for example, `\x1b` or
 * `\u202e`.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** Escapes a text like `printable`, but not the color codes of this program. */
export function printableButColors(text: string): string {
  return text.replace(unprintableOrColor, (match) => (match.length > 1 ? match : escaped(match)));
}

/**
 * Returns a name on one line, truncated after `maxLength` characters. Newlines and tabs are also
 * escaped.
 */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return printable(shown).replace(lineBreaks, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/**
 * Returns output in which GitHub Actions recognizes no commands. Actions recognizes `::` at the
 * beginning of a line, also after spaces, and `##[` anywhere.
 */
export function withoutWorkflowCommands(text: string): string {
  return text.replace(/^([^\S\n\r\u2028\u2029]*):(?=:)/gm, '$1\\x3a').replaceAll('##[', '#\\x23[');
}
