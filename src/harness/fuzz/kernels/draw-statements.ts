// Draws the statements of kernels and of their functions.
import type { Random } from '../../suites/random.ts';
import { barriersOf } from './barrier-texts.ts';
import { contentions } from './contentions.ts';
import type { Dialect } from './dialects.ts';
import { Instructions } from './draw-instructions.ts';
import { handoversOf } from './handovers.ts';
import type { Decision, ExchangeStatement, FuzzFunction, Meeting, Statement, Trips } from './tree.ts';

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
export interface Style {
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

/** Draws the statements of a kernel and of its functions. */
export class StatementDrawer {
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
