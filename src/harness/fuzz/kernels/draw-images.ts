// Draws instructions on textures and surfaces.
import type { Random } from '../../suites/random.ts';
import type { Dialect } from './dialects.ts';
import { imageFor, imageTemplates } from './image-templates.ts';
import type { ImageStatement, Statement } from './tree.ts';

/** The maximum number of images in a kernel. Each image needs one more buffer. */
const mostImages = 2;

function draw(rng: Random, dialect: Dialect, number: number): readonly ImageStatement[] {
  const row = [...imageTemplates.keys()][rng.below(imageTemplates.size)] ?? '';
  const possible = (imageTemplates.get(row) ?? []).filter(({ dialects }) => dialects.includes(dialect));
  const template = possible[rng.below(possible.length)];
  const image = template && imageFor(template, rng);
  if (template === undefined || image === undefined) return [];
  const fixed = { image, name: `image${number}`, seed: rng.u32() };
  const drawn = { d: rng.below(64), from: rng.below(64), step: 1 + rng.below(5), wild: rng.chance(0.25) };
  return [{ kind: 'image', template, ...fixed, ...drawn }];
}

/**
 * Adds image instructions to a few kernels, between or inside statements. They have a separate
 * random stream, so that the other parts of kernels do not change.
 */
export function withImages(rng: Random, dialect: Dialect, body: readonly Statement[]): readonly Statement[] {
  if (!rng.chance(0.15)) return body;
  let longer = body;
  const count = 1 + rng.below(mostImages);
  for (let number = 0; number < count; number++) {
    const at = rng.below(longer.length + 1);
    const drawn = draw(rng, dialect, number);
    const outer = longer[at];
    if (outer?.kind === 'if' && rng.chance(0.7))
      longer = longer.with(at, { ...outer, body: [...outer.body, ...drawn] });
    else if (outer?.kind === 'loop' && rng.chance(0.7))
      longer = longer.with(at, { ...outer, body: [...drawn, ...outer.body] });
    else longer = longer.toSpliced(at, 0, ...drawn);
  }
  return longer;
}
