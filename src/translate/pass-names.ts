// The steps of a translation to IR, in order: what `--print-after` takes.
const names = [
  'build',
  'clean-up',
  'schedule-waits',
  'unroll-loops',
  'resolve-memory',
  'hoist-loads',
  'legalize-memory',
  'share-guards',
  'hide-negative-zeros',
  'legalize',
  'join-products',
  'compare-next',
  'join-loop-ways',
  'select-by-votes',
  'part-bit-tests',
  'join-waits',
] as const;

export type PassName = (typeof names)[number];

export const passNames: readonly string[] = names;
