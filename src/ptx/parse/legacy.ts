// Completes opcodes and modifiers that modules of early versions and targets omit.
import type { Mods } from '../../isa/index.ts';
import type { OpcodeMatch } from '../../isa/match.ts';

/**
 * The age of a module: its `.version` as `major * 1000 + minor`, and the number of its `.target`.
 */
export interface Age {
  readonly version: number;
  readonly target: number;
}

/** The age of a fragment: the current version. */
export const today: Age = { version: Number.POSITIVE_INFINITY, target: Number.POSITIVE_INFINITY };

/** For each type, the instructions that implied a modifier before PTX 1.4, with that modifier. */
const completed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  f32: Object.fromEntries(['div', 'rcp', 'sqrt', 'rsqrt', 'sin', 'cos', 'lg2', 'ex2'].map((word) => [word, 'approx'])),
  f64: { div: 'rn', sqrt: 'rn', mad: 'rn', rsqrt: 'approx' },
};

/**
 * Returns the parts of the opcode with the implied modifier, or undefined if no modifier is
 * implied.
 */
export function completeOpcode(parts: readonly string[], { version }: Age): readonly string[] | undefined {
  const [word = '', ...modifiers] = parts;
  const type = modifiers.at(-1) ?? '';
  const implied = version < 1004 ? completed[type]?.[word] : undefined;
  return implied === undefined ? undefined : [word, implied, ...modifiers];
}

/**
 * Returns the modifiers, including those that the version or target implies. Targets before sm_20
 * flush subnormal f32 numbers in every instruction. On these targets, and in modules before PTX
 * 3.2, `mad.f32` may omit the rounding. On these targets, `mad.f32` truncated the product; no later
 * GPU does so, so here it is a fused multiply-add, as on later GPUs.
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
