// A text as numbers of its characters.

export interface Alphabet {
  readonly characters: readonly string[];
  readonly numbers: Int32Array;
}

/** Characters in the order of their codes, and the text as numbers of them. */
export function readText(text: string): Alphabet {
  const characters = [...new Set(text)].sort();
  const numberOf = new Map(characters.map((character, number) => [character, number]));
  return { characters, numbers: Int32Array.from(text, (character) => numberOf.get(character) ?? 0) };
}
