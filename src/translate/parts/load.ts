// The list of the parts that a page loads on use, with the PTX that needs them.

import { provideHelpers } from '../../wgsl/helpers/library.ts';

interface PartOnUse {
  readonly name: string;
  /** Matches every PTX text that may need the part. */
  readonly needs: RegExp;
  readonly load: () => Promise<void>;
}

export const partsOnUse: readonly PartOnUse[] = [
  {
    name: 'helpers',
    needs: /f64|f16/,
    load: async () => provideHelpers((await import('../../wgsl/helpers/rare.ts')).rareHelpers),
  },
  { name: 'matrices', needs: /mma|matrix/, load: async () => (await import('./matrices.ts')).provideMatrices() },
  { name: 'doubles', needs: /f64/, load: async () => (await import('./doubles.ts')).provideDoubles() },
  {
    name: 'lanes',
    needs: /f16|tf32|f32x2|e\dm\d|s2f6|[su](8|16)x[24]|\b(v|dp[24]a)\w*\d|\bv(add|sub|absdiff|min|max|shl|shr|mad|set)/,
    load: async () => (await import('./lanes.ts')).provideRareLanes(),
  },
];

/** Loads the parts that a PTX text may need. */
export async function loadParts(ptx: string): Promise<void> {
  await Promise.all(partsOnUse.filter(({ needs }) => needs.test(ptx)).map(({ load }) => load()));
}
