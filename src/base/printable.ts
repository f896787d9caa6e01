// Makes untrusted text safe to print: ids, names of files and kernels, lines of PTX. On a terminal,
// their control characters could move the cursor or change colors. In GitHub Actions, a line could
// run a workflow command.

// C0 except tab and newline, DEL and C1; characters that change the text direction, which can make
// one name look like another; line and paragraph separators; the byte order mark; lone surrogates.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/gu;
const lineBreaks = /[\t\n]/g;
/** The color codes that this program prints, or `unprintable`. */
const unprintableOrColor = new RegExp(`\\u001b\\[[0-9;]*m|${unprintable.source}`, 'gu');

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Returns lines of text with control characters written as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** Escapes like `printable`, but keeps this program's color codes. */
export function printableButColors(text: string): string {
  return text.replace(unprintableOrColor, (match) => (match.length > 1 ? match : escaped(match)));
}

/**
 * Returns a name on one line: newlines and tabs are escaped too, and it is cut after `maxLength`
 * characters.
 */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return printable(shown).replace(lineBreaks, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/**
 * Returns output that GitHub Actions does not parse as commands. Actions recognizes `::` at the
 * beginning of a line, also after spaces, and `##[` anywhere.
 */
export function withoutWorkflowCommands(text: string): string {
  return text.replace(/^([^\S\n\r\u2028\u2029]*):(?=:)/gm, '$1\\x3a').replaceAll('##[', '#\\x23[');
}
