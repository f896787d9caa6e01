// PTX that could make the translation slow.
import { translationShapes } from '../../src/harness/bench/translation-shapes.ts';
import { parsePtx, planFor, translate } from '../../src/index.ts';
import { exactFloats } from '../lockstep/float-profiles.ts';
import type { Family } from './measure.ts';

/**
 * The families. Their sizes are smaller than in `bench tool`, because quadratic growth is also
 * visible at smaller sizes.
 */
export const translationFamilies: readonly Family[] = translationShapes.map(({ name, size, text }) => ({
  name,
  size: Math.ceil(size / 16),
  prepare(count) {
    const { module } = parsePtx(text(count), { file: 'growth.ptx' });
    if (!module) throw new Error(`${name}: the PTX is refused`);
    return () => {
      const { program, diagnostics } = translate(module, { block: [64, 1, 1], plan: planFor(32), float: exactFloats });
      if (!program) throw new Error(diagnostics[0]?.message);
      return program;
    };
  },
}));
