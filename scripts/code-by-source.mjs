// Determines the source file of each part of minified code, by the source map.

import { decode } from '@jridgewell/sourcemap-codec';

/**
 * Yields each source file, with the code that remains if the file's code is removed. The file is
 * undefined for code of the bundler. A line of a template belongs to the same file as the code
 * before it.
 */
export function* codeWithoutSources(code, map) {
  const pieces = [];
  let owner;
  const lines = code.split('\n');
  const mappings = map === null ? [] : decode(map.mappings);
  lines.forEach((line, number) => {
    let start = 0;
    const text = number + 1 < lines.length ? `${line}\n` : line;
    for (const [column, source] of mappings[number] ?? []) {
      pieces.push([owner, text.slice(start, column)]);
      start = column;
      owner = source === undefined ? undefined : map.sources[source];
    }
    pieces.push([owner, text.slice(start)]);
  });
  for (const file of new Set(pieces.map(([of]) => of)))
    yield [file, pieces.flatMap(([of, text]) => (of === file ? [] : [text])).join('')];
}
