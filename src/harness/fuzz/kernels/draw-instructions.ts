// Draws instructions: templates, registers, constants, guards.
import type { Random } from '../../suites/random.ts';
import type { Dialect } from './dialects.ts';
import type { LaneTemplate } from './lane-template.ts';
import { laneTemplates } from './lane-templates.ts';
import { departsNatively } from './native-departures.ts';
import { type RegisterClass, registerCounts } from './registers.ts';
import type { Condition, LaneSet, LaneStatement, Source, Statement, WarpOperands } from './tree.ts';
import { isShuffle, type WarpTemplate, warpTemplates } from './warp-templates.ts';

const commonFamilies = ['add', 'sub', 'mul', 'and', 'xor', 'shl', 'shr', 'setp', 'selp', 'special', 'input'];
const constants = [
  0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 0x7f, 0x1f1f, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
] as const;

/** The templates of a dialect. */
interface Vocabulary {
  /**
   * The templates by family and row. The rows of a family have between two and thousands of forms.
   */
  readonly families: ReadonlyMap<string, readonly (readonly LaneTemplate[])[]>;
  readonly waiting: ReadonlyMap<string, readonly WarpTemplate[]>;
  readonly unsynchronized: readonly WarpTemplate[];
}

const vocabularies = new Map<Dialect, Vocabulary>();

function vocabularyOf(dialect: Dialect): Vocabulary {
  const known = vocabularies.get(dialect);
  if (known) return known;
  const possibleLanes = laneTemplates.filter((template) => template.dialects.includes(dialect));
  const possible = warpTemplates.filter(({ dialects }) => dialects.includes(dialect));
  const vocabulary = {
    families: new Map(
      [...byKey(possibleLanes, ({ family }) => family)].map(([family, list]) => [
        family,
        [...byKey(list, (template) => template.row ?? '').values()],
      ]),
    ),
    waiting: byKey(
      possible.filter(({ sync }) => sync),
      ({ row }) => row.name,
    ),
    unsynchronized: possible.filter(({ sync }) => !sync),
  };
  vocabularies.set(dialect, vocabulary);
  return vocabulary;
}

export class Instructions {
  /** Instructions without `.sync`, which execute with the currently active lanes. */
  readonly unsynchronized: readonly WarpTemplate[];
  private readonly rng: Random;
  private readonly families: Vocabulary['families'];
  private readonly waiting: ReadonlyMap<string, readonly WarpTemplate[]>;

  constructor(rng: Random, dialect: Dialect) {
    this.rng = rng;
    const { families, waiting, unsynchronized } = vocabularyOf(dialect);
    this.families = families;
    this.waiting = waiting;
    this.unsynchronized = unsynchronized;
  }

  any<T>(list: readonly T[]): T {
    const found = list[this.rng.below(list.length)];
    if (found === undefined) throw new RangeError('the list is empty');
    return found;
  }

  condition(): Condition {
    return { register: this.register('p'), negated: this.rng.chance(0.3) };
  }

  laneSet(): LaneSet {
    const { rng } = this;
    const below = 2 ** (1 + rng.below(31)) - 1;
    return { lanes: rng.pick([below, below, ~below >>> 0, 0x55555555, 0xffff, 0xf0f0f0f0, (rng.u32() | 1) >>> 0]) };
  }

  register(name: RegisterClass): number {
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

  /**
   * Draws a statement without memory accesses. Such statements are the bodies of functions. If a
   * function uses its stack, each call reserves a kilobyte, and four nested calls would not fit.
   */
  quietStatement(): LaneStatement {
    for (;;) {
      const statement = this.laneStatement();
      if (statement.template.family === 'alloca') continue;
      if (!statement.template.lines.some((line) => /\b[A-Z]{2,}\b/.test(line))) return statement;
    }
  }

  laneStatement(): LaneStatement {
    const { rng } = this;
    const family = rng.chance(0.4) ? this.any(commonFamilies) : this.any([...this.families.keys()]);
    const drawn = this.any(this.any(this.families.get(family) ?? [laneTemplates]));
    const lut = `0x${rng.below(256).toString(16)}`;
    const template = { ...drawn, lines: drawn.lines.map((line) => line.replace('LUT', lut)) };
    const sources = withRegister(
      template.sources.map((name, i) =>
        inRange(family, this.source(name, template.constants[i] === true, template.negatable[i] === true)),
      ),
    );
    const guarded = rng.chance(0.2);
    const statement: LaneStatement = {
      kind: 'lane',
      template,
      results: template.results.map((name) => this.register(name)),
      sources,
      ...(guarded ? { guard: this.condition() } : {}),
    };
    // Halve the number of statements that prevent a native run.
    return departsNatively(statement) && rng.chance(0.5) ? this.laneStatement() : statement;
  }

  drawTemplate(): WarpTemplate {
    return this.any(this.waiting.get(this.any([...this.waiting.keys(), 'shfl.sync', 'shfl.sync'])) ?? []);
  }

  /** Draws a statement with a warp instruction. `guards` restricts the guards that may be drawn. */
  warpStatement(template: WarpTemplate, guards: 'none' | 'lanes' | 'any'): Statement {
    const guarded = guards !== 'none' && this.rng.chance(0.2);
    const bySet = guards === 'lanes' || this.rng.chance(0.4);
    const guard = guarded ? { guard: bySet ? this.laneSet() : this.condition() } : {};
    return { kind: 'warp', template, operands: this.warpOperands(template), ...guard };
  }

  warpOperands(template: WarpTemplate): WarpOperands {
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

  /** Draws the clamp and segment mask of a shuffle. */
  private segment(): number {
    const { rng } = this;
    if (rng.chance(0.6)) return rng.pick([0x1f, 0x1f, 0]);
    const prefix = (32 - rng.pick([16, 8, 4, 2])) << 8;
    return rng.chance(0.7) ? prefix | rng.pick([0, 0x1f, 7]) : (rng.below(32) << 8) | rng.below(32);
  }
}

/**
 * Returns the sources with at least one register, because a compiler would fold an instruction
 * whose sources are all constants.
 */
function withRegister(sources: readonly Source[]): readonly Source[] {
  const [first, ...others] = sources;
  const isFolded = first !== undefined && sources.every(({ constant }) => constant !== undefined);
  return isFolded ? [{ register: first.register }, ...others] : sources;
}

/**
 * Limits constant positions and lengths of bit fields to 0 to 255, because ptxas rejects other
 * numbers.
 */
function inRange(family: string, source: Source): Source {
  const { constant } = source;
  const bounded = family === 'bfe' || family === 'bfi';
  return constant !== undefined && bounded ? { ...source, constant: constant & 255 } : source;
}

function byKey<T>(list: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}
