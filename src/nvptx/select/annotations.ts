// The annotations of functions: `__attribute__((annotate("text")))`.
import { getOrInsert } from '../../base/maps.ts';
import type { LlvmModule, Value } from '../ir/module.ts';

/** Returns the texts with which each function is annotated, by its name. */
export function annotationsOf({ variables }: LlvmModule): ReadonlyMap<string, readonly string[]> {
  const texts = new Map(variables.map(({ name, init }) => [name, textOf(init)]));
  const found = new Map<string, string[]>();
  const list = variables.find(({ name }) => name === 'llvm.global.annotations')?.init;
  for (const annotation of elementsOf(list)) {
    const [target, text] = elementsOf(annotation);
    if (target?.kind !== 'global' || text?.kind !== 'global') continue;
    getOrInsert(found, target.name, () => []).push(texts.get(text.name) ?? '');
  }
  return found;
}

const elementsOf = (value: Value | undefined): readonly Value[] => (value?.kind === 'aggregate' ? value.elements : []);

/** Returns the characters of a string up to its terminating zero. */
function textOf(init: Value | undefined): string {
  const codes = elementsOf(init).map((element) => (element.kind === 'int' ? Number(element.value) : 0));
  return String.fromCharCode(...codes.slice(0, codes.indexOf(0)));
}
