// Selects a few combinations of a row's modifiers in which each value of each modifier occurs.
import type { Mods } from '../../../isa/index.ts';

/**
 * Returns choices that cover every value of every modifier, including its absence. Each choice
 * covers as many additional values as possible.
 */
export function coveringChoices(choices: readonly Mods[]): ReadonlySet<Mods> {
  const names = [...new Set(choices.flatMap((mods) => Object.keys(mods)))];
  const values = new Map(choices.map((mods) => [mods, names.map((name) => `${name} ${mods[name] ?? ''}`)] as const));
  const valuesOf = (mods: Mods): readonly string[] => values.get(mods) ?? [];
  const open = new Set(choices.flatMap(valuesOf));
  const chosen = new Set<Mods>();
  while (open.size > 0) {
    const gain = (mods: Mods): number => valuesOf(mods).filter((value) => open.has(value)).length;
    const [first, ...others] = choices;
    if (first === undefined) break;
    const best = others.reduce(
      (found, mods) => {
        const count = gain(mods);
        return count > found.count ? { mods, count } : found;
      },
      { mods: first, count: gain(first) },
    ).mods;
    chosen.add(best);
    for (const value of valuesOf(best)) open.delete(value);
  }
  // A row without modifiers has one choice.
  return chosen.size > 0 ? chosen : new Set(choices);
}
