// What modules of early versions and targets leave out, and what it stands for there.
import type { Mods } from '../../isa/index.ts';
import type { OpcodeMatch } from '../../isa/match.ts';

/** A module's `.version` as `major * 1000 + minor`, and the number of its `.target`. */
export interface Age {
  readonly version: number;
  readonly target: number;
}

/** A fragment is of today. */
export const today: Age = { version: Number.POSITIVE_INFINITY, target: Number.POSITIVE_INFINITY };

/** Before PTX 1.4 there was one form of each. */
const completed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  f32: Object.fromEntries(['div', 'rcp', 'sqrt', 'rsqrt', 'sin', 'cos', 'lg2', 'ex2'].map((word) => [word, 'approx'])),
  f64: { div: 'rn', sqrt: 'rn', mad: 'rn', rsqrt: 'approx' },
};

/** The opcode with the modifier that was no more than implied; undefined where nothing was. */
export function completeOpcode(parts: readonly string[], { version }: Age): readonly string[] | undefined {
  const [word = '', ...modifiers] = parts;
  const type = modifiers.at(-1) ?? '';
  const implied = version < 1004 ? completed[type]?.[word] : undefined;
  return implied === undefined ? undefined : [word, implied, ...modifiers];
}

/**
 * Targets before sm_20 flush subnormal f32 whatever the instruction says, and need not say how `mad.f32` rounds; nor need any module before
 * PTX 3.2. (On targets before sm_20 it truncated the product, which no later GPU does: as there, it becomes a fused multiply-add.)
 */
export function impliedMods({ pattern, mods }: OpcodeMatch, opcode: string, { version, target }: Age): Mods {
  const early = target < 20;
  if (!early && version >= 3002) return mods;
  const implied: Record<string, string> = { ...mods };
  if (pattern.row.name === 'mad.f32') implied.rnd ??= 'rn';
  const flushes = early && opcode.includes('.f32') && pattern.parts.some(({ name }) => name === 'ftz');
  if (flushes) implied.ftz = 'ftz';
  return implied;
}
