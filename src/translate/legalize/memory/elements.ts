// Conversions between values of any type and their words in memory.
import { at as element } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import type { InstNamed, Value } from '../../ir/nodes.ts';
import { integerOf, type Type, widthOf } from '../../ir/types.ts';

/** Returns the number of words of an element; a fraction for elements smaller than a word. */
export const elementWords = (type: Type): number => widthOf(type) / 32;

/** Returns the number of words of an access to whole words. */
export const wordsOf = ({ attrs: { type, count } }: InstNamed<'load' | 'store'>): number =>
  Math.ceil((widthOf(type) * count) / 32);

/** Extracts elements from the consecutive words that contain them. */
export function elementsOf(
  builder: Builder,
  words: readonly Value[],
  type: Type,
  count: number,
  hints: readonly (string | undefined)[],
): readonly Value[] {
  const bits = widthOf(type);
  const word = (index: number): Value => element(words, index, 'a word of an element');
  const elements: Value[] = [];
  for (let index = 0; index < count; index++) {
    builder.hint = hints[index];
    elements.push(
      builder.bitcast(bits < 32 ? piece(index * bits) : joined(builder, word, index * (bits / 32), bits), type),
    );
    builder.hint = undefined;
  }
  return elements;
  function piece(at: number): Value {
    const moved = builder.lshrw(word(Math.floor(at / 32)), builder.i32(at % 32));
    return builder.value('trunc', { to: integerOf(bits) }, [moved]);
  }
}

function joined(builder: Builder, word: (index: number) => Value, first: number, bits: number): Value {
  if (bits === 32) return word(first);
  const half = bits / 2;
  return builder.join(joined(builder, word, first, half), joined(builder, word, first + half / 32, half));
}

/** Packs consecutive elements into words. Unused bits of the last word are 0. */
export function packed(builder: Builder, elements: readonly Value[]): readonly Value[] {
  const words: Value[] = [];
  let filled = 0;
  for (const element of elements) {
    const bits = widthOf(element.type);
    const value = builder.bitcast(element, integerOf(bits));
    if (bits >= 32) {
      words.push(...halves(builder, value));
      continue;
    }
    const wide = builder.shlw(builder.resize(value, 'i32'), builder.i32(filled));
    const last = words.length - 1;
    const before = words[last];
    if (filled === 0 || before === undefined) words.push(wide);
    else words[last] = builder.or(before, wide);
    filled = (filled + bits) % 32;
  }
  return words;
}

function halves(builder: Builder, value: Value): readonly Value[] {
  if (widthOf(value.type) <= 32) return [value];
  return builder.split(value).flatMap((half) => halves(builder, half));
}
