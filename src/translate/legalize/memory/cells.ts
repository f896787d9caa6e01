// Values of several words that other lanes may access. Each access is one atomic operation on all
// words.
import { at } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import type { AtomicOp } from '../../ir/memory.ts';
import type { InstNamed, Value } from '../../ir/nodes.ts';
import { elementsOf, elementWords, packed } from './elements.ts';
import type { WordPlaces } from './word-places.ts';

export function loadCells(inst: InstNamed<'load'>, builder: Builder, places: WordPlaces): readonly Value[] {
  const { type, count, order, scope } = inst.attrs;
  const words = elementWords(type);
  return Array.from({ length: count }, (_, element) => {
    const { place, index } = places.word(inst, element * words, 1);
    const attrs = { place, type, order, scope, op: 'load', signed: false, result: true } as const;
    const hint = inst.results[element]?.hint;
    const otherwise = inst.otherwise[element];
    const loaded = builder.emit('cell', attrs, index ? [index] : [], {
      ...(inst.when && otherwise ? { when: inst.when, otherwise: packed(builder, [otherwise]) } : {}),
      hint,
    });
    return at(elementsOf(builder, loaded, type, 1, [hint]), 0, 'the value of a cell');
  });
}

export function storeCells(inst: InstNamed<'store'>, builder: Builder, places: WordPlaces): void {
  const { type, order, scope, place: whole } = inst.attrs;
  const words = elementWords(type);
  for (const [element, value] of (whole.indexed ? inst.args.slice(1) : inst.args).entries()) {
    const { place, index } = places.word(inst, element * words, 1);
    const attrs = { place, type, order, scope, op: 'store', signed: false, result: false } as const;
    const args = packed(builder, [value]);
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
