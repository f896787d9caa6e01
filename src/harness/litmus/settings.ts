// The settings of a round: permutations and stress. A kernel draws them before each round.
import type { LitmusTest } from '../../memory-model/index.ts';
import { globalsOf, type LaunchSize, scratchWords } from './plan.ts';

/** PTX that computes a setting, `%value`, from the random word `%hash`. `%q` is true in half of the rounds. */
type Draw = (size: LaunchSize) => string;

const word: Draw = () => 'mov.b32 %value, %hash;';
/** Zero in half of the rounds, and otherwise 2 to 256 minus one. */
const power: Draw = () => `and.b32 %some, %hash, 7;
  shl.b32 %value, 2, %some;
  sub.u32 %value, %value, 1;
  selp.b32 %value, 0, %value, %q;`;

const stressSettings: Readonly<Record<string, Draw>> = {
  seed: word,
  /** The maximum delay of a thread, as a mask. */
  jitter: power,
  /** The number of accesses of a stress thread. */
  stress: ({ iterations }) => `and.b32 %some, %hash, 3;
  shl.b32 %value, ${iterations * 4}, %some;
  selp.b32 %value, 0, %value, %q;`,
  /** The number of accesses of each thread before its test. */
  before: () => 'and.b32 %value, %hash, 7;\n  selp.b32 %value, 0, %value, %q;',
  /** The places of these accesses: a mask, and the first place. */
  places: () => `rem.u32 %some, %hash, ${Math.log2(scratchWords) + 1};
  shl.b32 %value, 1, %some;
  sub.u32 %value, %value, 1;`,
  first: word,
};
/** In half of the rounds, consecutive instances have consecutive places. */
const factor: Draw = () => 'or.b32 %value, %hash, 1;\n  selp.b32 %value, 1, %value, %q;';

/** The words of the buffer `settings`, after the number of the round. */
export const settingsOf = (test: LitmusTest): readonly string[] => [
  ...Object.keys(stressSettings),
  ...permutedOf(test).flatMap((name) => [`mul_${name}`, `add_${name}`]),
];

/** The variables and threads whose instances the settings permute. */
const permutedOf = (test: LitmusTest): readonly string[] => [
  ...globalsOf(test).map(({ variable }) => `var_${variable.name}`),
  ...test.threads.map(({ name }) => `thread_${name}`),
];

/**
 * Returns PTX that draws the settings. One thread executes it. `%round` is the number of the round,
 * and `%seed` the seed of the run.
 */
export function drawText(test: LitmusTest, size: LaunchSize): string {
  const draws = settingsOf(test).map((name, index) => {
    const draw = stressSettings[name] ?? (name.startsWith('mul_') ? factor : word);
    return `  mad.lo.u32 %hash, %round, 0x9E3779B1, ${Math.imul(index + 1, 0x85ebca6b) >>> 0};
  add.u32 %hash, %hash, %seed;
${mixText}
  setp.lt.s32 %q, %hash, 0;
  shr.u32 %hash, %hash, 3;
  ${draw(size)}
  st.global.u32 [%settings+${4 * (index + 1)}], %value;`;
  });
  return draws.join('\n');
}

/** Mixes the bits of `%hash`. */
const mixText = [16, 15]
  .map(
    (shift, index) => `  shr.u32 %some, %hash, ${shift};
  xor.b32 %hash, %hash, %some;
  mul.lo.u32 %hash, %hash, ${[0x7feb352d, 0x846ca68b][index]};`,
  )
  .join('\n');
