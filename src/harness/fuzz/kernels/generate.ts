// Draws kernels. The random draw only determines the coverage, because the printer makes any tree
// valid.
import type { MatrixMode } from '../../../base/matrix-mode.ts';
import { type Random, random } from '../../suites/random.ts';
import type { Subject } from '../subject-names.ts';
import { barriersOf } from './barrier-texts.ts';
import { contentions } from './contentions.ts';
import type { Dialect } from './dialects.ts';
import { withChains } from './draw-chains.ts';
import { withClusters } from './draw-clusters.ts';
import { withImages } from './draw-images.ts';
import { Instructions } from './draw-instructions.ts';
import { type MatrixChoice, withMatrices } from './draw-matrices.ts';
import { withPatterns } from './draw-patterns.ts';
import { withTensors } from './draw-tensors.ts';
import { withWaits } from './draw-waits.ts';
import { handoversOf } from './handovers.ts';
import { commonChances, drawHopperChances, hopperMatrixRows, withHandovers } from './subjects.ts';
import type { Decision, ExchangeStatement, FuzzFunction, FuzzKernel, Meeting, Statement, Trips } from './tree.ts';

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
  const style = {
    exits: rng.chance(0.3) && !isHopper,
    flat: rng.chance(0.4),
    deepest: rng.pick([1, 2, 2, 2, 3]),
    calls: rng.chance(0.15),
    prints: rng.chance(0.12),
    traps: rng.chance(0.01) && !isHopper,
  };
  const generator = new Generator(rng, dialect, style, isHopper ? fewStatements : maxStatements);
  const rows = isHopper ? hopperMatrixRows : undefined;
  const kernel: FuzzKernel = {
    id: `fuzz-${seed}-${index}`,
    dialect,
    block: rng.pick(matrix === 'hopper' || isHopper ? wholeWarps : blocks),
    blocks: rng.pick([1, 1, 1, 2, 3]),
    data: rng.u32(),
    body: withMore(seed, index, dialect, { mode: matrix, chance: chances.matrix, rows }, generator.kernelBody()),
    functions: withFrames(random(seed, 'frames', index), style.calls ? generator.functions() : []),
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

/**
 * The properties of the place of a list of statements, which determine the statements that may be
 * drawn.
 */
interface Place {
  readonly depth: number;
  /** Whether statements must not wait for other lanes. */
  readonly quiet: boolean;
  /** Whether all threads of the block reach the place together. */
  readonly whole: boolean;
  /** Whether the place is inside a quiet loop. */
  readonly loop: boolean;
}

type Draw = (place: Place) => Statement;

const additions = ['add.u32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32'] as const;

/**
 * The features of a kernel. Short kernels find as many faults as long kernels, and compile faster.
 */
interface Style {
  /** Whether some threads end early. */
  readonly exits: boolean;
  /**
   * Whether no statement inside a divergent branch waits, so that the translator keeps the
   * structured control flow.
   */
  readonly flat: boolean;
  readonly deepest: number;
  readonly calls: boolean;
  readonly prints: boolean;
  /**
   * Whether a thread may trap. Such kernels do not wait on memory, because a shader cannot end
   * threads that wait for a trapped thread.
   */
  readonly traps: boolean;
}

/**
 * The approximate maximum number of statements in a kernel. Larger kernels cost more compile time
 * than several small kernels with the same statements. Without the limit, a tenth of the kernels
 * would contain two fifths of all lines.
 */
const maxStatements = 16;
/** The maximum number of statements besides those of the subject. */
const fewStatements = 4;

class Generator {
  private left: number;
  private readonly rng: Random;
  private readonly dialect: Dialect;
  private readonly style: Style;
  private readonly draw: Instructions;

  constructor(rng: Random, dialect: Dialect, style: Style, left: number) {
    this.left = left;
    this.rng = rng;
    this.dialect = dialect;
    this.style = style;
    this.draw = new Instructions(rng, dialect);
  }

  kernelBody(): Statement[] {
    const { rng } = this;
    // Before any divergence, draw instructions whose result is the active mask.
    const early = rng.chance(this.dialect === 'old' ? 0.9 : 0.15);
    const head = early
      ? this.times(1 + rng.below(3), () => this.draw.warpStatement(this.draw.any(this.draw.unsynchronized), 'none'))
      : [];
    const place: Place = { depth: 0, quiet: false, whole: true, loop: false };
    return [...head, ...this.list(place, 1 + rng.below(5))];
  }

  functions(): FuzzFunction[] {
    return this.times(1 + this.rng.below(2), () => ({
      body: this.times(1 + this.rng.below(4), () => this.draw.quietStatement()),
      recursive: this.rng.chance(0.4),
      frame: 'none',
    }));
  }

  private times<T>(count: number, draw: () => T): T[] {
    return Array.from({ length: count }, draw);
  }

  /** Draws at least one statement. */
  private list(place: Place, length: number): Statement[] {
    const statements = [this.statement(place)];
    while (statements.length < length && this.left > 0) statements.push(this.statement(place));
    return statements;
  }

  /** Draws the list of statements inside another statement. Deeper lists are shorter. */
  private inner(place: Place, change: Partial<Place> = {}): Statement[] {
    return this.list({ ...place, depth: place.depth + 1, ...change }, 1 + this.rng.below(Math.max(1, 3 - place.depth)));
  }

  private statement(place: Place): Statement {
    const { exits, flat, deepest, calls, prints, traps } = this.style;
    this.left--;
    const nested = place.depth < deepest && this.left > 0;
    const meets = nested && !place.quiet;
    const choices: readonly (readonly [weight: number, draw: Draw])[] = [
      [place.quiet ? 10 : 6, () => this.draw.laneStatement()],
      [place.quiet ? 0 : 9, () => this.draw.warpStatement(this.draw.drawTemplate(), flat ? 'lanes' : 'any')],
      [nested ? 4 : 0, (at) => this.ifStatement(at)],
      [nested ? 2 : 0, (at) => this.loopStatement(at)],
      [meets && !flat ? 2 : 0, (at) => this.armsStatement(at)],
      [meets ? 1 : 0, (at) => this.groupsStatement(at)],
      [nested ? 0.7 : 0, (at) => this.switchStatement(at)],
      [nested ? 0.6 : 0, (at) => this.tangleStatement(at)],
      [place.quiet ? 0 : 1, (at) => this.exchangeStatement(at)],
      [place.whole && !place.quiet ? 0.8 : 0, () => this.contendStatement()],
      [place.whole && !place.quiet && !exits && !traps ? 0.5 : 0, (at) => this.handoverStatement(at)],
      [calls ? 3 : 0, () => this.callStatement()],
      [prints ? 2 : 0, () => this.printStatement()],
      [exits ? 0.7 : 0, () => ({ kind: 'exit', on: this.draw.condition(), branch: this.rng.chance(0.5) })],
      [0.15, () => ({ kind: 'trap' })],
      [traps ? 1 : 0, () => ({ kind: 'trap', on: this.draw.condition() })],
      [place.loop ? 2 : 0, () => ({ kind: 'leave', on: this.draw.condition() })],
    ];
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let at = (this.rng.u32() / 2 ** 32) * total;
    for (const [weight, draw] of choices) {
      at -= weight;
      if (at < 0) return draw(place);
    }
    return this.draw.laneStatement();
  }

  private ifStatement(place: Place): Statement {
    const { rng } = this;
    const decision = this.decision(place);
    const at = {
      whole: place.whole && decision.kind === 'block',
      quiet: place.quiet || (decision.kind === 'lane' && this.style.flat),
    };
    return {
      kind: 'if',
      decision,
      body: this.inner(place, at),
      otherwise: rng.chance(0.6) ? this.inner(place, at) : [],
    };
  }

  private decision({ quiet }: Place): Decision {
    const { rng } = this;
    const kind = rng.pick(['lane', 'lane', 'lane', 'block', 'warp', 'vote', 'lanes']);
    if (kind === 'block' || kind === 'warp') return { kind, bit: rng.below(2) };
    if (kind === 'vote' && !quiet) return { kind, mode: rng.pick(['all', 'any', 'uni']), on: this.draw.condition() };
    if (kind === 'lanes') return { kind, ...this.draw.laneSet() };
    return { kind: 'lane', on: this.draw.condition() };
  }

  private trips(quiet: boolean): Trips {
    const kind = this.rng.pick(['constant', 'lane', 'lane', 'redux'] as const);
    if (kind === 'constant' || (kind === 'redux' && (quiet || this.dialect === 'old'))) {
      return { kind: 'constant', count: 1 + this.rng.below(3) };
    }
    return { kind, register: this.draw.register('r') };
  }

  private loopStatement(place: Place): Statement {
    const { rng } = this;
    const leaves = rng.chance(0.3);
    const free = this.trips(place.quiet);
    const quiet = place.quiet || rng.chance(0.25) || (this.style.flat && (leaves || free.kind === 'lane'));
    const trips = quiet && free.kind === 'redux' ? this.trips(true) : free;
    const whole = place.whole && trips.kind === 'constant' && !leaves && !quiet;
    const at = { quiet, whole, loop: quiet };
    return {
      kind: 'loop',
      trips,
      testLast: rng.chance(0.4),
      quiet,
      body: this.inner(place, at),
      ...(leaves ? { leave: this.draw.condition() } : {}),
      rest: leaves ? this.inner(place, at) : [],
    };
  }

  private armsStatement(place: Place): Statement {
    const { rng } = this;
    const inside: Partial<Place> = { whole: false };
    const before = () => (rng.chance(0.4) ? this.inner(place, inside) : []);
    const meetings = this.times(1 + rng.below(2), (): Meeting => {
      const template = this.draw.drawTemplate();
      const operands = this.draw.warpOperands(template);
      const otherOperands = this.draw.warpOperands(template);
      return { template, before: before(), operands, otherBefore: before(), otherOperands };
    });
    return { kind: 'arms', on: this.draw.condition(), meetings, rounds: rng.chance(0.2) ? 2 : 1 };
  }

  private groupsStatement(place: Place): Statement {
    const bits = this.rng.pick([1, 2, 3]);
    return { kind: 'groups', register: this.draw.register('r'), bits, body: this.inner(place, { whole: false }) };
  }

  private switchStatement(place: Place): Statement {
    const uniform = this.rng.chance(0.2);
    const at = uniform ? {} : { whole: false, quiet: place.quiet || this.style.flat };
    const cases = this.times(this.rng.pick([2, 2, 4]), () => this.inner(place, at));
    return { kind: 'switch', uniform, register: this.draw.register('r'), cases };
  }

  private tangleStatement(place: Place): Statement {
    const at = { whole: false, loop: false, quiet: place.quiet || this.style.flat };
    return {
      kind: 'tangle',
      into: this.draw.condition(),
      count: 1 + this.rng.below(3),
      first: this.inner(place, at),
      second: this.inner(place, at),
    };
  }

  private callStatement(): Statement {
    const register = () => this.draw.register('r');
    return {
      kind: 'call',
      how: this.rng.pick(['name', 'name', 'table', 'table', 'nothing']),
      index: this.rng.below(2),
      d: register(),
      a: register(),
      b: register(),
    };
  }

  private printStatement(): Statement {
    return { kind: 'print', format: this.rng.u32(), sources: this.times(3, () => this.draw.register('r')) };
  }

  private contendStatement(): Statement {
    const contention = this.draw.any(contentions.filter((each) => each.dialects.includes(this.dialect)));
    return {
      kind: 'contend',
      contention,
      space: this.draw.any(contention.spaces),
      barrier: this.barrier(),
      d: this.draw.register('d'),
      a: this.draw.register('r'),
      from: this.draw.register('r'),
    };
  }

  private handoverStatement(place: Place): Statement {
    const possible = handoversOf(this.dialect);
    if (possible.length === 0) return this.exchangeStatement(place);
    const register = () => this.draw.register('r');
    return {
      kind: 'handover',
      how: this.draw.any(possible),
      d: this.draw.register('d'),
      a: register(),
      from: register(),
      form: this.rng.u32(),
    };
  }

  private barrier(): string {
    return this.draw.any(this.draw.any(barriersOf(this.dialect).barriers));
  }

  private exchangeStatement(place: Place): ExchangeStatement {
    const { rng } = this;
    const among = place.whole ? rng.pick(['block', 'block', 'atomic', 'lanes', 'arrivals'] as const) : 'lanes';
    return {
      kind: 'exchange',
      among,
      barrier: this.barrier(),
      arrival: this.draw.any(barriersOf(this.dialect).arrivals),
      operation: rng.pick(additions),
      d: this.draw.register('r'),
      a: { register: this.draw.register('r') },
      from: { register: this.draw.register('r') },
    };
  }
}
