/** Wraps a paragraph or a list item at 100 characters. Does not wrap the row of a table. */
export function wrapped(text) {
  if (text.startsWith('|')) return text;
  const indent = text.startsWith('- ') ? '  ' : '';
  const lines = [];
  let line = '';
  // Do not break a link.
  for (const word of text.match(/(?:\[[^\]]*\]\([^)]*\)|\S)+/g) ?? []) {
    if (line !== '' && line.length + 1 + word.length > 100) {
      lines.push(line);
      line = indent + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
