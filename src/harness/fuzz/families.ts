// Families of instructions, by which the fuzzer counts kernels.
import { countOf } from '../../base/dim3.ts';
import type { Launch } from '../../base/launch.ts';

const texts: Readonly<Record<string, RegExp>> = {
  wgmma: /\bwgmma\.mma_async\./,
  'sparse products': /\b(?:wgmma\.mma_async|mma)\.sp\b/,
  'tensor maps': /\bcp\.(?:reduce\.)?async\.bulk\.(?:prefetch\.)?tensor\./,
  'copies of pixels': /\.im2col(?:_no_offs)?\./,
  'changed tensor maps': /\btensormap\.replace\./,
  'controls of dependent grids': /\bgriddepcontrol\./,
  'bulk copies': /\bcp\.(?:reduce\.)?async\.bulk\.(?!(?:prefetch\.)?tensor|commit|wait)/,
  'clusters of several blocks': /\.reqnctapercluster (?!1, 1, 1)/,
  'memory of other blocks': /\bmapa\./,
  mbarriers: /\bmbarrier\./,
  'asynchronous stores': /\b(?:st|red)\.async\./,
  stmatrix: /\bstmatrix\./,
};

/** The size of shared memory that any kernel may have without a request of the host. */
const ordinaryShared = 48 * 1024;

/** Returns the families of the instructions of a launch. */
export function familiesOf({ ptx, cluster, sharedBytes }: Launch): readonly string[] {
  const found = new Set(Object.keys(texts).filter((name) => texts[name]?.test(ptx)));
  if (cluster !== undefined && countOf(cluster) > 1) found.add('clusters of several blocks');
  for (const name of ['tensor maps', 'wgmma'])
    if (found.has('clusters of several blocks') && found.has(name)) found.add(`${name} in clusters of several blocks`);
  if (sharedBytes > ordinaryShared) found.add('large shared memory');
  return [...found];
}
