// The steps of a translation, in order, as `--print-after` accepts them. After the last two steps,
// `--print-after` prints the control tree.
const names = [
  'build',
  'clean-up',
  'promote-variables',
  'fold-ranges',
  'schedule-waits',
  'unroll-loops',
  'resolve-memory',
  'join-waits',
  'divide-copies',
  'use-matrices',
  'hoist-loads',
  'overlap-copies',
  'legalize-memory',
  'share-guards',
  'hide-negative-zeros',
  'legalize',
  'join-products',
  'compare-next',
  'join-loop-ways',
  'select-by-votes',
  'part-bit-tests',
  'encode',
  'structure',
  'lower-control',
] as const;

export type PassName = (typeof names)[number];

export const passNames: readonly string[] = names;
