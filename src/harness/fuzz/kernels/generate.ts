// Draws kernels. The random draw only determines the coverage, because the printer makes any tree
// valid.
import type { MatrixMode } from '../../../base/matrix-mode.ts';
import { type Random, random } from '../../suites/random.ts';
import type { Subject } from '../subject-names.ts';
import type { Dialect } from './dialects.ts';
import { withChains } from './draw-chains.ts';
import { withClusters } from './draw-clusters.ts';
import { withImages } from './draw-images.ts';
import { type MatrixChoice, withMatrices } from './draw-matrices.ts';
import { withPatterns } from './draw-patterns.ts';
import { StatementDrawer, type Style } from './draw-statements.ts';
import { withTensors } from './draw-tensors.ts';
import { withWaits } from './draw-waits.ts';
import { commonChances, drawHopperChances, hopperMatrixRows, withHandovers } from './subjects.ts';
import type { FuzzFunction, FuzzKernel, Statement } from './tree.ts';

type Block = FuzzKernel['block'];

/** Blocks whose warps all have 32 lanes, as matrix instructions require. */
const wholeWarps: readonly [Block, ...Block[]] = [
  [32, 1, 1],
  [32, 1, 1],
  [64, 1, 1],
  [96, 1, 1],
  [8, 8, 1],
];
const blocks: readonly [Block, ...Block[]] = [
  [32, 1, 1],
  [32, 1, 1],
  [64, 1, 1],
  [96, 1, 1],
  [20, 1, 1],
  [45, 1, 1],
  [8, 8, 1],
  [16, 3, 1],
];

/**
 * The approximate maximum number of statements in a kernel. Larger kernels cost more compile time
 * than several small kernels with the same statements. Without the limit, a tenth of the kernels
 * would contain two fifths of all lines.
 */
const maxStatements = 16;
/** The maximum number of statements besides those of the subject. */
const fewStatements = 4;

/** The instructions of a stream of kernels, and the sums of its matrix products. */
export interface Stream {
  readonly matrix?: MatrixMode | undefined;
  readonly subject?: Subject | undefined;
}

/**
 * Returns kernel number `index` of the stream that `seed` names. With `hopper` as `matrix`, all
 * kernels contain matrix instructions, unless some lanes end before them, and sums of products may
 * depend on the mode.
 */
export function generateKernel(
  seed: number,
  index: number,
  { matrix = 'ieee', subject = 'all' }: Stream = {},
): FuzzKernel {
  const rng = random(seed, 'fuzz', index);
  const isHopper = subject === 'hopper';
  const chances = isHopper ? drawHopperChances(random(seed, 'subjects', index)) : commonChances;
  const drawn: Dialect = rng.chance(0.08)
    ? 'old'
    : rng.chance(0.06)
      ? 'newest'
      : rng.chance(0.05)
        ? 'hopper'
        : 'common';
  const dialect = isHopper ? 'hopper' : drawn;
  // Threads that end early exclude most of Hopper's instructions.
  const style: Style = {
    exits: rng.chance(0.3) && !isHopper,
    flat: rng.chance(0.4),
    deepest: rng.pick([1, 2, 2, 2, 3]),
    calls: rng.chance(0.15),
    prints: rng.chance(0.12),
    traps: rng.chance(0.01) && !isHopper,
  };
  const drawer = new StatementDrawer(rng, dialect, style, isHopper ? fewStatements : maxStatements);
  const rows = isHopper ? hopperMatrixRows : undefined;
  const kernel: FuzzKernel = {
    id: `fuzz-${seed}-${index}`,
    dialect,
    block: rng.pick(matrix === 'hopper' || isHopper ? wholeWarps : blocks),
    blocks: rng.pick([1, 1, 1, 2, 3]),
    data: rng.u32(),
    body: withMore(seed, index, dialect, { mode: matrix, chance: chances.matrix, rows }, drawer.kernelBody()),
    functions: withFrames(random(seed, 'frames', index), style.calls ? drawer.functions() : []),
    // Draw the names last, so that a number identifies the same kernel with any names.
    names: rng.chance(0.5) ? rng.u32() : 'plain',
  };
  const withBoxes = withTensors(random(seed, 'tensors', index), kernel, chances);
  const withPhases = withHandovers(random(seed, 'handovers', index), withBoxes, chances);
  return withClusters(random(seed, 'clusters', index), withPhases, chances.cluster);
}

/** Adds variables in local memory to half of the functions. */
const withFrames = (rng: Random, functions: readonly FuzzFunction[]): readonly FuzzFunction[] =>
  functions.map((each) => ({ ...each, frame: rng.pick(['none', 'none', 'constant', 'dynamic'] as const) }));

/**
 * Adds statements from separate random streams. So a new form does not change the kernels that do
 * not contain it.
 */
function withMore(
  seed: number,
  index: number,
  dialect: Dialect,
  matrices: MatrixChoice,
  body: readonly Statement[],
): readonly Statement[] {
  const stream = (name: string): Random => random(seed, name, index);
  const withProducts = withMatrices(stream('matrices'), dialect, body, matrices);
  const withTemplates = withImages(stream('images'), dialect, withProducts);
  const withPlaces = withPatterns(stream('patterns'), dialect, withChains(stream('chains'), dialect, withTemplates));
  return withWaits(stream('waits'), withPlaces);
}
