// Draws kernels. What is drawn decides coverage only: the printer makes any tree valid.
import { type Random, random } from '../suites/random.ts';
import { type LaneTemplate, laneTemplates } from './lane-templates.ts';
import {
  type Condition,
  type Decision,
  type Dialect,
  type ExchangeStatement,
  type FuzzKernel,
  type Meeting,
  type RegisterClass,
  registerCounts,
  type Source,
  type Statement,
  type Trips,
  type WarpOperands,
} from './tree.ts';
import { isShuffle, type WarpTemplate, warpTemplates } from './warp-templates.ts';

/// Kernel number `index` of the stream that `seed` names.
export function generateKernel(seed: number, index: number): FuzzKernel {
  const rng = random(seed, 'fuzz', index);
  const dialect: Dialect = rng.chance(0.08) ? 'old' : rng.chance(0.06) ? 'newest' : 'common';
  const style = { exits: rng.chance(0.3), flat: rng.chance(0.4), deepest: rng.pick([1, 2, 2, 2, 3]) };
  const generator = new Generator(rng, dialect, style);
  return {
    id: `fuzz-${seed}-${index}`,
    dialect,
    block: rng.pick([
      [32, 1, 1],
      [32, 1, 1],
      [64, 1, 1],
      [96, 1, 1],
      [20, 1, 1],
      [45, 1, 1],
      [8, 8, 1],
      [16, 3, 1],
    ]),
    blocks: rng.pick([1, 1, 1, 2, 3]),
    data: rng.u32(),
    body: generator.kernelBody(),
  };
}

/// Where a list of statements stands, as far as it limits what is worth drawing there.
interface Place {
  readonly depth: number;
  /// Nothing that waits for other lanes.
  readonly quiet: boolean;
  /// All threads of the block come together.
  readonly whole: boolean;
  /// Inside a quiet loop.
  readonly loop: boolean;
}

type Draw = (place: Place) => Statement;

const barriers = [
  'bar.sync 0',
  'bar.sync 3',
  'barrier.sync 1',
  'bar.red.popc.u32 D, 0, P',
  'bar.red.and.pred Q, 0, P',
  'bar.red.or.pred Q, 2, P',
] as const;
const additions = ['add.u32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32'] as const;
const commonFamilies = ['add', 'sub', 'mul', 'and', 'xor', 'shl', 'shr', 'setp', 'selp', 'special', 'input'];
const constants = [
  0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 0x7f, 0x1f1f, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
] as const;

/// What a kernel holds. Short ones find as much as long ones, and compile sooner.
interface Style {
  /// Some threads end early.
  readonly exits: boolean;
  /// Nothing waits where lanes branch differently, so that the translator keeps the structure.
  readonly flat: boolean;
  readonly deepest: number;
}

class Generator {
  private readonly rng: Random;
  private readonly dialect: Dialect;
  private readonly style: Style;
  private readonly families: ReadonlyMap<string, readonly LaneTemplate[]>;
  private readonly waiting: ReadonlyMap<string, readonly WarpTemplate[]>;
  private readonly loose: readonly WarpTemplate[];

  constructor(rng: Random, dialect: Dialect, style: Style) {
    this.rng = rng;
    this.dialect = dialect;
    this.style = style;
    this.families = byKey(
      laneTemplates.filter(({ old }) => old || dialect !== 'old'),
      ({ family }) => family,
    );
    const possible = warpTemplates.filter(({ dialects }) => dialects.includes(dialect));
    this.waiting = byKey(
      possible.filter(({ sync }) => sync),
      ({ row }) => row.name,
    );
    this.loose = possible.filter(({ sync }) => !sync);
  }

  kernelBody(): Statement[] {
    const { rng } = this;
    // Before anything diverges: instructions that ask who is there.
    const early = rng.chance(this.dialect === 'old' ? 0.9 : 0.15);
    const head = early ? this.times(1 + rng.below(3), () => this.warpStatement(this.any(this.loose), false)) : [];
    const place: Place = { depth: 0, quiet: false, whole: true, loop: false };
    return [...head, ...this.list(place, 1 + rng.below(5))];
  }

  private times<T>(count: number, draw: () => T): T[] {
    return Array.from({ length: count }, draw);
  }

  private any<T>(list: readonly T[]): T {
    const found = list[this.rng.below(list.length)];
    if (found === undefined) throw new RangeError('nothing to choose from');
    return found;
  }

  private list(place: Place, length: number): Statement[] {
    return this.times(length, () => this.statement(place));
  }

  /// The body of something at `place`: shorter, the deeper.
  private inner(place: Place, change: Partial<Place> = {}): Statement[] {
    return this.list({ ...place, depth: place.depth + 1, ...change }, 1 + this.rng.below(Math.max(1, 3 - place.depth)));
  }

  private statement(place: Place): Statement {
    const { exits, flat, deepest } = this.style;
    const nested = place.depth < deepest;
    const meets = nested && !place.quiet;
    const choices: readonly (readonly [weight: number, draw: Draw])[] = [
      [place.quiet ? 10 : 6, () => this.laneStatement()],
      [place.quiet ? 0 : 9, () => this.warpStatement(this.drawTemplate(), !flat)],
      [nested ? 4 : 0, (at) => this.ifStatement(at)],
      [nested ? 2 : 0, (at) => this.loopStatement(at)],
      [meets && !flat ? 2 : 0, (at) => this.armsStatement(at)],
      [meets ? 1 : 0, (at) => this.groupsStatement(at)],
      [nested ? 0.7 : 0, (at) => this.switchStatement(at)],
      [nested ? 0.6 : 0, (at) => this.tangleStatement(at)],
      [place.quiet ? 0 : 1, (at) => this.exchangeStatement(at)],
      [exits ? 0.7 : 0, () => ({ kind: 'exit', on: this.condition(), branch: this.rng.chance(0.5) })],
      [place.loop ? 2 : 0, () => ({ kind: 'leave', on: this.condition() })],
    ];
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let at = (this.rng.u32() / 2 ** 32) * total;
    for (const [weight, draw] of choices) {
      at -= weight;
      if (at < 0) return draw(place);
    }
    return this.laneStatement();
  }

  private condition(): Condition {
    return { register: this.register('p'), negated: this.rng.chance(0.3) };
  }

  private register(name: RegisterClass): number {
    return this.rng.below(registerCounts[name]);
  }

  private source(name: RegisterClass, constant: boolean, negatable: boolean): Source {
    const register = this.register(name);
    if (constant && name !== 'p' && this.rng.chance(0.25)) return { register, constant: this.constant(name) };
    return negatable && this.rng.chance(0.3) ? { register, negated: true } : { register };
  }

  private constant(name: RegisterClass): number {
    if (name === 'f')
      return this.rng.chance(0.5)
        ? this.rng.pick([0, 0x80000000, 0x3f800000, 0x7f800000, 0x40490fdb, 1, 0x4b800000])
        : this.rng.u32();
    const value = this.rng.chance(0.8) ? this.rng.pick(constants) : this.rng.u32();
    return name === 'h' ? value & 0xffff : value;
  }

  private laneStatement(): Statement {
    const { rng } = this;
    const family = rng.chance(0.4) ? this.any(commonFamilies) : this.any([...this.families.keys()]);
    const drawn = this.any(this.families.get(family) ?? laneTemplates);
    const lut = `0x${rng.below(256).toString(16)}`;
    const template = { ...drawn, lines: drawn.lines.map((line) => line.replace('LUT', lut)) };
    const sources = template.sources.map((name, i) =>
      inRange(family, this.source(name, template.constants[i] === true, template.negatable[i] === true)),
    );
    const guarded = rng.chance(0.2) && !unguarded.has(family);
    return {
      kind: 'lane',
      template,
      results: template.results.map((name) => this.register(name)),
      sources: extremes.has(family) ? distinct(sources) : sources,
      ...(guarded ? { guard: this.condition() } : {}),
    };
  }

  private drawTemplate(): WarpTemplate {
    return this.any(this.waiting.get(this.any([...this.waiting.keys(), 'shfl.sync', 'shfl.sync'])) ?? []);
  }

  private warpStatement(template: WarpTemplate, guarded: boolean): Statement {
    const guard = guarded && this.rng.chance(0.15) ? { guard: this.condition() } : {};
    return { kind: 'warp', template, operands: this.warpOperands(template), ...guard };
  }

  private warpOperands(template: WarpTemplate): WarpOperands {
    const { rng } = this;
    const { classes } = template;
    const isPair = /\|p(?!\])/.test(template.row.syntax);
    const p = classes.p !== undefined && (isPair || rng.chance(0.5)) ? { p: this.register('p') } : {};
    const negatable = template.row.syntax.includes('{!}a');
    return {
      d: this.register(classes.d ?? 'r'),
      ...p,
      a: this.source(classes.a ?? 'r', false, negatable),
      b:
        isShuffle(template) && rng.chance(0.6)
          ? this.fixed(rng.pick([1, 2, 4, 8, 16, 0, 3, 31]))
          : { register: this.register('r') },
      c: isShuffle(template) && rng.chance(0.8) ? this.fixed(this.segment()) : { register: this.register('r') },
      maskRegister: rng.chance(0.3),
    };
  }

  private fixed(constant: number): Source {
    return { register: 0, constant };
  }

  /// Clamp and segment mask of a shuffle.
  private segment(): number {
    const { rng } = this;
    if (rng.chance(0.6)) return rng.pick([0x1f, 0x1f, 0]);
    const prefix = (32 - rng.pick([16, 8, 4, 2])) << 8;
    return rng.chance(0.7) ? prefix | rng.pick([0, 0x1f, 7]) : (rng.below(32) << 8) | rng.below(32);
  }

  private ifStatement(place: Place): Statement {
    const { rng } = this;
    const decision = this.decision(place);
    const splits = decision.kind === 'lane' || decision.kind === 'lanes';
    const at = {
      whole: place.whole && decision.kind === 'block',
      quiet: place.quiet || (splits && this.style.flat),
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
    if (kind === 'vote' && !quiet) return { kind, mode: rng.pick(['all', 'any', 'uni']), on: this.condition() };
    if (kind === 'lanes') return { kind, below: 1 + rng.below(31) };
    return { kind: 'lane', on: this.condition() };
  }

  private trips(quiet: boolean): Trips {
    const kind = this.rng.pick(['constant', 'lane', 'lane', 'redux'] as const);
    if (kind === 'constant' || (kind === 'redux' && (quiet || this.dialect === 'old'))) {
      return { kind: 'constant', count: 1 + this.rng.below(3) };
    }
    return { kind, register: this.register('r') };
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
      ...(leaves ? { leave: this.condition() } : {}),
      rest: leaves ? this.inner(place, at) : [],
    };
  }

  private armsStatement(place: Place): Statement {
    const { rng } = this;
    const inside: Partial<Place> = { whole: false };
    const before = () => (rng.chance(0.4) ? this.inner(place, inside) : []);
    const meetings = this.times(1 + rng.below(2), (): Meeting => {
      const template = this.drawTemplate();
      const operands = this.warpOperands(template);
      const otherOperands = this.warpOperands(template);
      return { template, before: before(), operands, otherBefore: before(), otherOperands };
    });
    return { kind: 'arms', on: this.condition(), meetings, rounds: rng.chance(0.2) ? 2 : 1 };
  }

  private groupsStatement(place: Place): Statement {
    const bits = this.rng.pick([1, 2, 3]);
    return { kind: 'groups', register: this.register('r'), bits, body: this.inner(place, { whole: false }) };
  }

  private switchStatement(place: Place): Statement {
    const at = { whole: false, quiet: place.quiet || this.style.flat };
    const cases = this.times(this.rng.pick([2, 2, 4]), () => this.inner(place, at));
    return { kind: 'switch', register: this.register('r'), cases };
  }

  private tangleStatement(place: Place): Statement {
    const at = { whole: false, loop: false, quiet: place.quiet || this.style.flat };
    return {
      kind: 'tangle',
      into: this.condition(),
      count: 1 + this.rng.below(3),
      first: this.inner(place, at),
      second: this.inner(place, at),
    };
  }

  private exchangeStatement(place: Place): ExchangeStatement {
    const { rng } = this;
    return {
      kind: 'exchange',
      among: place.whole ? rng.pick(['block', 'block', 'atomic', 'lanes']) : 'lanes',
      barrier: rng.pick(barriers),
      operation: rng.pick(additions),
      d: this.register('r'),
      a: { register: this.register('r') },
      from: { register: this.register('r') },
    };
  }
}

/// NVIDIA's compiler (13.0) writes results of these in lanes that the guard leaves out, too.
const unguarded: ReadonlySet<string> = new Set(['set', 'set.bool', 'set.f32', 'set.bool.f32', 'testp.f32']);

/// ptxas takes min(x, x) for x, though a NaN should become the canonical one.
const extremes: ReadonlySet<string> = new Set(['min.f32', 'max.f32']);

function distinct(sources: readonly Source[]): readonly Source[] {
  const [first, second, ...rest] = sources;
  if (!first || !second || second.constant !== undefined || first.register !== second.register) return sources;
  return [first, { ...second, register: second.register + 1 }, ...rest];
}

/// Amounts, positions and lengths above 255: ptxas refuses some and shifts 16 bits wrongly by others.
function inRange(family: string, source: Source): Source {
  const { constant } = source;
  const bounded = ['bfe', 'bfi', 'shl', 'shr'].includes(family);
  return constant !== undefined && bounded ? { ...source, constant: constant & 255 } : source;
}

function byKey<T>(list: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}
