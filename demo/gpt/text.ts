// Converts a text to indices of characters.

export interface Alphabet {
  readonly characters: readonly string[];
  readonly numbers: Int32Array;
}

/**
 * Returns the characters in the order of their codes, and the text as indices of these characters.
 */
export function readText(text: string): Alphabet {
  const characters = [...new Set(text)].sort();
  const numberOf = new Map(characters.map((character, number) => [character, number]));
  return { characters, numbers: Int32Array.from(text, (character) => numberOf.get(character) ?? 0) };
}
