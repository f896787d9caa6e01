// Finds rules and variants by their names.
import { type Variant, variants } from '../lane-rows/variants.ts';
import { type WarpCase, warpCases } from './rules/warp-cases.ts';

function find<T>(items: readonly T[], is: (item: T) => boolean, name: string): T {
  const found = items.find(is);
  if (found === undefined) throw new Error(`no rule ${name}`);
  return found;
}

export const laneRule = (label: string): Variant => find(variants, (each) => each.label === label, label);
export const warpRule = (name: string): WarpCase => find(warpCases, (each) => each.name === name, name);
