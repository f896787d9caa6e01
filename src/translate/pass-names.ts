// The steps of a translation to IR, in order: what `--print-after` takes.
export const passNames = [
  'build',
  'clean-up',
  'fold-warp-results',
  'unroll-loops',
  'resolve-memory',
  'hoist-loads',
  'legalize-memory',
  'legalize',
] as const;

export type PassName = (typeof passNames)[number];

export const isPassName = (text: string): text is PassName => passNames.some((name) => name === text);
