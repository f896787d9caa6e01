// The PTX dialects of generated kernels.

import { getOrInsert } from '../../../base/maps.ts';
import { type IsaRow, laterDemands, type Mods } from '../../../isa/index.ts';
import { matchOpcode, splitOpcode } from '../../../isa/match.ts';

/** For each dialect, the PTX version and target of the module. */
export const dialects = {
  common: { version: '8.8', target: 'sm_90' },
  old: { version: '6.3', target: 'sm_70' },
  hopper: { version: '8.8', target: 'sm_90a' },
  newest: { version: '8.8', target: 'sm_100a' },
} as const;
export type Dialect = keyof typeof dialects;

export const dialectNames: readonly Dialect[] = ['common', 'old', 'hopper', 'newest'];

interface Demand {
  readonly ptx: string;
  readonly target: string;
}

/** Returns the dialects that support an instruction. */
export function dialectsFor(
  row: Pick<IsaRow, 'ptx' | 'target' | 'since' | 'removed'>,
  mods: Mods = {},
): readonly Dialect[] {
  const { ptx, target, removed } = row;
  const demands: readonly Demand[] = [{ ptx, target }, ...laterDemands(row, mods)];
  return dialectNames.filter(
    (name) =>
      demands.every((demand) => meets(dialects[name], demand)) &&
      (removed === undefined || !meets(dialects[name], removed)),
  );
}

/**
 * Returns the dialects that support all instructions in lines of PTX. Ignores instructions without
 * a row, because the front end splits accesses of 128 and 256 bits.
 */
export function dialectsOfLines(lines: readonly string[]): readonly Dialect[] {
  const allowed = lines.flatMap((line) => {
    const [, opcode = ''] = /^(?:@\S+ )?([\w.:]+)/.exec(line) ?? [];
    const match = matchOpcode(splitOpcode(opcode));
    return match === undefined ? [] : [dialectsFor(match.pattern.row, match.mods)];
  });
  return dialectNames.filter((name) => allowed.every((names) => names.includes(name)));
}

function meets(has: { readonly version: string; readonly target: string }, demand: Demand): boolean {
  if (/[af]$/.test(demand.target)) return has.target === demand.target;
  return numberOf(demand.ptx) <= numberOf(has.version) && architecture(demand.target) <= architecture(has.target);
}

/** Caches the results of a function that is called thousands of times with only a few texts. */
function remembered(compute: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    return getOrInsert(known, text, () => compute(text));
  };
}

const numberOf = remembered((version) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1000 + minor;
});

const architecture = remembered((target) => Number(/\d+/.exec(target)?.[0] ?? 0));
