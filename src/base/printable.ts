// Text of others, made safe to print. Ids, names of files and kernels, and lines of PTX come from whoever wrote them: on a terminal
// their control characters would move the cursor or recolour what is said, and a line of their own would run a workflow command.

// C0 but for tab and newline, DEL and C1; characters that change the direction of text, as they can make one name look like
// another; line and paragraph separators; the byte order mark; halves of a surrogate pair.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/gu;
const lineBreaks = /[\t\n]/g;
/** As `unprintable`, after the colours that this program itself prints. */
const unprintableOrColor = new RegExp(`\\u001b\\[[0-9;]*m|${unprintable.source}`, 'gu');

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Lines of text with their control characters shown as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** Of colored output, all but the colors. */
export function printableButColors(text: string): string {
  return text.replace(unprintableOrColor, (match) => (match.length > 1 ? match : escaped(match)));
}

/** A name: newlines and tabs are shown too, and what is longer than `maxLength` is cut. */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return printable(shown).replace(lineBreaks, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/** Output that GitHub Actions will not take for commands. It looks for `::` where a line begins, after spaces too, and for `##[` anywhere. */
export function withoutWorkflowCommands(text: string): string {
  return text.replace(/^([^\S\n\r\u2028\u2029]*):(?=:)/gm, '$1\\x3a').replaceAll('##[', '#\\x23[');
}
