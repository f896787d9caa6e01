// Collects PTX lines, registers and labels, and the kernel's requirements for these lines.
import type { Image } from '../../../base/image.ts';
import type { BoxCopy } from '../../suites/tensor/draw-box.ts';
import type { FloatMixture } from '../kernels/chain-values.ts';
import type { PlaceName } from '../kernels/lane-template.ts';
import { type RegisterClass, registerCounts } from '../kernels/registers.ts';
import type { Condition, Source } from '../kernels/tree.ts';

/** A copy of a box, with the reduction, the seed of its tensor, and its map. */
export interface PrintedBox {
  readonly copy: BoxCopy;
  readonly op: string | undefined;
  readonly seed: number;
  /** The bytes of the map before the launch, if the kernel changes it. */
  readonly initialMap: Uint8Array | undefined;
}

const letters: Readonly<Record<RegisterClass, string>> = {
  r: 't',
  d: 'td',
  h: 'th',
  f: 'tf',
  p: 'q',
  x: 'tx',
  b: 'tb',
};

export const ptxTypes: Readonly<Record<RegisterClass, string>> = {
  r: 'b32',
  d: 'b64',
  h: 'b16',
  f: 'f32',
  p: 'pred',
  x: 'b128',
  b: 'b8',
};

/** Values that the prologue provides if the body needs them. */
export type Provided = 'lane' | 'true' | 'full' | 'prints' | 'phase' | 'sums' | 'tiles' | PlaceName;

const texts: Readonly<Record<Provided, string>> = {
  lane: '%lane', true: '%always', full: '%full', own: '%own', in: '%in', mem: '%mem', base: '%base', cell: '%cell', stack: 'stack', table: 'table', blob: 'blob', prints: 'args', phase: 'phase', sums: '%sums', tiles: '%tiles', scratch: '%scratch', links: '%links', view: 'view', off: 'off',
}; // biome-ignore format: a table

export class Writer {
  /** The data registers that the body uses, by class. */
  readonly named: Readonly<Record<RegisterClass, Set<number>>> = byClass(() => new Set<number>());
  /** The printer's temporary registers, by class. */
  readonly temporaries: Record<RegisterClass, number> = byClass(() => 0);
  readonly provided = new Set<Provided>();
  /** The textures and surfaces by parameter, each with a seed for its texels. */
  readonly images = new Map<string, { readonly image: Image; readonly seed: number }>();
  /** The buffers of floats by the name of their parameter. */
  readonly floats = new Map<string, { readonly values: FloatMixture; readonly seed: number }>();
  /** The copies of boxes, in the order of their parameters. */
  readonly boxes: PrintedBox[] = [];
  private labels = 0;
  private lines: string[] = [];
  private indent = '\t';

  line(text: string): void {
    this.lines.push(`${this.indent}${text};`);
  }

  /** Writes a line without indentation and without `;`. */
  raw(text: string): void {
    this.lines.push(text);
  }

  add(lines: readonly string[]): void {
    this.lines.push(...lines);
  }

  /** Returns the lines that `body` writes, indented by one more step. */
  capture(body: () => void): string[] {
    const { lines, indent } = this;
    this.lines = [];
    this.indent = `${indent}\t`;
    body();
    const written = this.lines;
    this.lines = lines;
    this.indent = indent;
    return written;
  }

  take(): readonly string[] {
    return this.lines;
  }

  label(): string {
    return `L${this.labels++}`;
  }

  place(label: string): void {
    this.raw(`${label}:`);
  }

  temporary(name: RegisterClass): string {
    return `%${letters[name]}${this.temporaries[name]++}`;
  }

  register(name: RegisterClass, index: number): string {
    const number = index % registerCounts[name];
    this.named[name].add(number);
    return `%${name}${number}`;
  }

  /** Returns different registers for the results of one instruction. */
  results(classes: readonly RegisterClass[], indices: readonly number[]): string[] {
    const taken: string[] = [];
    classes.forEach((name, i) => {
      let index = indices[i] ?? 0;
      while (taken.includes(`%${name}${index % registerCounts[name]}`)) index++;
      taken.push(this.register(name, index));
    });
    return taken;
  }

  source(name: RegisterClass, { register, constant, negated }: Source): string {
    if (constant === undefined) return `${negated ? '!' : ''}${this.register(name, register)}`;
    const hex = (constant >>> 0).toString(16);
    return name === 'f' ? `0f${hex.padStart(8, '0')}` : `0x${hex}`;
  }

  condition({ register, negated }: Condition): string {
    return `${negated ? '!' : ''}${this.register('p', register)}`;
  }

  provide(what: Provided): string {
    this.provided.add(what);
    if (what === 'links') for (const linked of ['in', 'mem'] as const) this.provided.add(linked);
    return texts[what];
  }
}

/** Returns `!%p0` for `%p0`, and the reverse. */
export function inverse(condition: string): string {
  return condition.startsWith('!') ? condition.slice(1) : `!${condition}`;
}

function byClass<T>(make: (name: RegisterClass) => T): Record<RegisterClass, T> {
  return { r: make('r'), d: make('d'), h: make('h'), f: make('f'), p: make('p'), x: make('x'), b: make('b') };
}

export { letters as temporaryLetters };
