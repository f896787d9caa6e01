// Replaces memory accesses by accesses to words. Smaller elements are extracted from words, and
// larger elements are combined from words. A store of less than a word is two atomic operations, so
// that it never overwrites neighboring bytes.

import { at } from '../../../base/invariants.ts';
import { compileDiagnostics, refuse } from '../../diagnostics.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import type { Definition, Func, Inst, InstNamed, Program, Value } from '../../ir/nodes.ts';
import type { MemoryPlan } from '../../memory-plan.ts';
import { atomicPart } from './atomic-part.ts';
import { elementsOf, elementWords, packed, wordsOf } from './elements.ts';
import { type Part, partOf, WordPlaces } from './word-places.ts';

export function legalizeMemory(program: Program, builder: Builder, plan: MemoryPlan): void {
  const places = new WordPlaces(builder, plan, program.params);
  for (const func of [program.kernel, ...program.functions]) legalizeFunc(func, builder, places);
}

function legalizeFunc(func: Func, builder: Builder, places: WordPlaces): void {
  const replaced = new IdMap<Definition, Value>();
  for (const block of func.blocks) {
    if (!block.insts.some(({ op }) => op === 'load' || op === 'store' || op === 'atomic')) continue;
    const insts: Inst[] = [];
    builder.into(insts);
    for (const inst of block.insts) {
      builder.span = inst.span;
      const values = legalized(inst, builder, places);
      if (values === undefined) insts.push(inst);
      else
        for (const [index, result] of inst.results.entries())
          replaced.set(result, at(values, index, 'a result of an access'));
    }
    block.insts = insts;
  }
  builder.span = undefined;
  builder.hint = undefined;
  replaceValues(func, replaced);
}

/**
 * Whether an access is one atomic operation on several words, because other lanes may access these
 * words.
 */
const isCell = (inst: InstNamed<'load' | 'store'>, places: WordPlaces): boolean =>
  inst.attrs.whole === true && places.memoryOf(inst).cells;

/**
 * Replaces a memory access. Returns the values of the instruction's results; undefined if the
 * instruction stays.
 */
function legalized(inst: Inst, builder: Builder, places: WordPlaces): readonly Value[] | undefined {
  if (inst.op === 'load')
    return isCell(inst, places) ? atomicPart.content.loadCells(inst, builder, places) : loaded(inst, builder, places);
  if (inst.op === 'store') {
    if (inst.attrs.place.root.kind === 'param')
      refuse(compileDiagnostics.notSupported('a store to parameter memory'), inst.span);
    if (isCell(inst, places)) atomicPart.content.storeCells(inst, builder, places);
    else storeTo(inst, builder, places);
    return [];
  }
  return inst.op === 'atomic' ? atomicPart.content.legalizeAtomic(inst, builder, places) : undefined;
}

function loaded(inst: InstNamed<'load'>, builder: Builder, places: WordPlaces): readonly Value[] {
  const { type, count } = inst.attrs;
  const part = partOf(inst);
  const bits = elementWords(type);
  const elements = part === undefined ? undefined : partial(inst, part, builder, places);
  if (elements) return chosen(inst, elements, builder);
  const total = wordsOf(inst);
  // If the elements consist of whole words, these are the words in lanes that do not execute the
  // load.
  const otherwise =
    inst.when !== undefined && bits >= 1 ? inst.otherwise.flatMap((value) => packed(builder, [value])) : undefined;
  const words: Value[] = [];
  const { granule } = places.memoryOf(inst);
  const step = total >= granule && total % granule === 0 ? granule : 1;
  for (let word = 0; word < total; word += step) {
    const zeros = Array.from({ length: step }, (_, index) =>
      otherwise === undefined ? builder.i32(0) : at(otherwise, word + index, 'a word where the load is not executed'),
    );
    const hints = Array.from(
      { length: step },
      (_, index) => inst.results[Math.floor((word + index) / Math.max(bits, 1))]?.hint,
    );
    words.push(...places.load(inst, word, step, { hints, otherwise: zeros }));
  }
  const values = elementsOf(
    builder,
    words,
    type,
    count,
    inst.results.map(({ hint }) => hint),
  );
  return otherwise ? values : chosen(inst, values, builder);
}

/** Selects the instruction's `otherwise` in lanes that do not execute it. */
function chosen(inst: Inst, values: readonly Value[], builder: Builder): readonly Value[] {
  const { when } = inst;
  if (when === undefined) return values;
  return values.map((value, index) => {
    const otherwise = inst.otherwise[index];
    return otherwise ? builder.select(when, value, otherwise) : value;
  });
}

function partial(inst: InstNamed<'load'>, part: Part, builder: Builder, places: WordPlaces): readonly Value[] {
  const { type, count } = inst.attrs;
  const { word, shift } = places.part(inst, part);
  const [whole] = places.loadAt(inst, word, 1, { hints: [], otherwise: [builder.i32(0)] });
  if (whole === undefined) return [];
  const moved = builder.lshrw(whole, shift);
  return elementsOf(
    builder,
    [moved],
    type,
    count,
    inst.results.map(({ hint }) => hint),
  );
}

function storeTo(inst: InstNamed<'store'>, builder: Builder, places: WordPlaces): void {
  const { place } = inst.attrs;
  const values = place.indexed ? inst.args.slice(1) : inst.args;
  const words = packed(builder, values);
  const part = partOf(inst);
  if (part !== undefined) {
    storePart(inst, part, at(words, 0, 'the word of a store'), builder, places);
    return;
  }
  const { granule } = places.memoryOf(inst);
  const step = words.length >= granule && words.length % granule === 0 ? granule : 1;
  for (let word = 0; word < words.length; word += step) places.store(inst, word, words.slice(word, word + step));
}

function storePart(inst: InstNamed<'store'>, part: Part, value: Value, builder: Builder, places: WordPlaces): void {
  const { word, shift } = places.part(inst, part);
  const kept = builder.not(builder.shlw(builder.i32(part.mask), shift));
  const set = builder.shlw(value, shift);
  const memory = places.memoryOf(inst);
  if (memory.isPrivate) {
    const [old] = places.loadAt(inst, word, 1, { hints: [], otherwise: [builder.i32(0)] });
    if (old) places.storeAt(inst, word, [builder.or(builder.and(old, kept), set)]);
    return;
  }
  places.updateAt(inst, word, 'and', kept);
  places.updateAt(inst, word, 'or', set);
}
