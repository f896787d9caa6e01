// Determines the source file of each part of minified code, by the source map.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns the numbers of a segment of a source map (base64 VLQ). */
function numbersOf(segment) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = digits.indexOf(letter);
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

/**
 * Yields each source file, with the code that remains if the file's code is removed. The file is
 * undefined for code of the bundler. A line of a template belongs to the same file as the code
 * before it.
 */
export function* codeWithoutSources(code, map) {
  const pieces = [];
  let [source, owner] = [0, undefined];
  const lines = code.split('\n');
  const mappings = map === null ? [] : map.mappings.split(';');
  lines.forEach((line, number) => {
    let [column, start] = [0, 0];
    const text = number + 1 < lines.length ? `${line}\n` : line;
    for (const segment of (mappings[number] ?? '').split(',').filter((written) => written !== '')) {
      const [columns, sources] = numbersOf(segment);
      column += columns;
      pieces.push([owner, text.slice(start, column)]);
      start = column;
      if (sources !== undefined) source += sources;
      owner = sources === undefined ? undefined : map.sources[source];
    }
    pieces.push([owner, text.slice(start)]);
  });
  for (const file of new Set(pieces.map(([of]) => of)))
    yield [file, pieces.flatMap(([of, text]) => (of === file ? [] : [text])).join('')];
}
