// Values of several words that other lanes may access. Each access is one atomic operation on all
// words.
import type { Builder } from '../../ir/builder.ts';
import type { AtomicOp } from '../../ir/memory.ts';
import type { InstNamed, Value } from '../../ir/nodes.ts';
import { elementsOf, packed, wordsOf } from './elements.ts';
import type { WordPlaces } from './word-places.ts';

/**
 * The words that an access loads or stores in one step. PTX splits a vector into its elements, but
 * GPUs with CUDA access up to 16 bytes at once, and CUB's descriptors rely on it.
 */
const stepWords = (total: number): 2 | 4 => (total < 4 ? 2 : 4);
const typeOfStep = { 2: 'i64', 4: 'i128' } as const;

export function loadCells(inst: InstNamed<'load'>, builder: Builder, places: WordPlaces): readonly Value[] {
  const { type, count, order, scope } = inst.attrs;
  const total = wordsOf(inst);
  const step = stepWords(total);
  const hints = inst.results.map(({ hint }) => hint);
  const otherwise = inst.when && packed(builder, inst.otherwise);
  const words: Value[] = [];
  for (let word = 0; word < total; word += step) {
    const { place, index } = places.word(inst, word, 1);
    const attrs = { place, type: typeOfStep[step], order, scope, op: 'load', signed: false, result: true } as const;
    const guard = otherwise ? { when: inst.when, otherwise: otherwise.slice(word, word + step) } : {};
    const names = count === total ? { hints: hints.slice(word, word + step) } : { hint: hints[word / step] };
    words.push(...builder.emit('cell', attrs, index ? [index] : [], { ...guard, ...names }));
  }
  return elementsOf(builder, words, type, count, hints);
}

export function storeCells(inst: InstNamed<'store'>, builder: Builder, places: WordPlaces): void {
  const { order, scope, place: whole } = inst.attrs;
  const words = packed(builder, whole.indexed ? inst.args.slice(1) : inst.args);
  const step = stepWords(words.length);
  for (let word = 0; word < words.length; word += step) {
    const { place, index } = places.word(inst, word, 1);
    const attrs = { place, type: typeOfStep[step], order, scope, op: 'store', signed: false, result: false } as const;
    const args = words.slice(word, word + step);
    builder.emit('cell', attrs, index ? [index, ...args] : args, inst.when ? { when: inst.when } : {});
  }
}

export function updateCell(
  inst: InstNamed<'atomic'>,
  op: AtomicOp,
  builder: Builder,
  places: WordPlaces,
): readonly Value[] {
  const { place: whole, ...attrs } = inst.attrs;
  const operands = packed(builder, whole.indexed ? inst.args.slice(1) : inst.args);
  const { place, index } = places.word(inst, 0, 1);
  const hint = inst.results[0]?.hint;
  const options = inst.when ? { when: inst.when, otherwise: packed(builder, inst.otherwise) } : {};
  const old = builder.emit('cell', { ...attrs, op, place }, index ? [index, ...operands] : operands, {
    ...options,
    hint,
  });
  return attrs.result ? elementsOf(builder, old, attrs.type, 1, [hint]) : [];
}
