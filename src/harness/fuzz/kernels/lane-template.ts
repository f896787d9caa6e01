// A PTX fragment that does not access other lanes. It has placeholders for registers.
import { type Dialect, dialectsOfLines } from './dialects.ts';
import { type RegisterClass, registerClasses } from './registers.ts';

/**
 * A template. `lines` contain the results D0 and D1, the sources S0, S1, …, the temporaries T0, …,
 * and the addresses in `places`.
 */
export interface LaneTemplate {
  readonly lines: readonly string[];
  readonly results: readonly RegisterClass[];
  readonly sources: readonly RegisterClass[];
  readonly temporaries: readonly RegisterClass[];
  /** For each source, whether it may be a constant. `negatable`: whether it may be negated. */
  readonly constants: readonly boolean[];
  readonly negatable: readonly boolean[];
  /**
   * The family's name. Each family is drawn equally often, regardless of its number of templates.
   */
  readonly family: string;
  /** The row of the template, if it has one. Within a family, each row is drawn equally often. */
  readonly row?: string;
  /** The dialects that support the template's instructions. */
  readonly dialects: readonly Dialect[];
}

/** The addresses that templates name, and the memory of the kernel that they refer to. */
export const places = {
  /** The thread's word of shared memory, which other threads read. */
  OWN: 'own',
  /** The thread's 32 bytes of a buffer. */
  MEM: 'mem',
  /** The thread's 80 bytes of the input. */
  IN: 'in',
  /** The first byte of the whole input. */
  BASE: 'base',
  /**
   * The address of 16 bytes of shared memory, of local memory, of constants, and of a parameter. It
   * is the variable's name, except in shared memory.
   */
  CELL: 'cell',
  STACK: 'stack',
  TABLE: 'table',
  BLOB: 'blob',
  /** The thread's 128 bytes of another buffer. */
  SCRATCH: 'scratch',
  /**
   * 32 bytes of shared memory, which contain the addresses IN and MEM, and the distances IN - MEM
   * and IN - BASE.
   */
  LINKS: 'links',
  /**
   * A struct that is passed by value. It contains an address in the input, the number 8 with 64
   * bits, and the number 12 with 32 bits.
   */
  VIEW: 'view',
  /** A 64-bit parameter with the value 4. */
  OFF: 'off',
} as const;
export type PlaceName = (typeof places)[keyof typeof places];

/** The register class for each type. */
export const classes: Readonly<Record<string, RegisterClass>> = {
  pred: 'p', b8: 'r', u8: 'r', s8: 'r', b16: 'h', u16: 'h', s16: 'h', b32: 'r', u32: 'r', s32: 'r', b64: 'd', u64: 'd', s64: 'd', f32: 'f', f64: 'd', f16: 'h', bf16: 'h', f16x2: 'r', bf16x2: 'r', b128: 'x',
}; // biome-ignore format: a table

/**
 * Makes a template from `lines`, with register classes as letters:
 * `written('a', 'mov.b64 D0, {S0, S1}', 'd', 'rr')`. The dialects of the template follow from the
 * rows of its instructions.
 */
export function written(
  family: string,
  lines: string,
  results: string,
  sources: string,
  temporaries = '',
): LaneTemplate {
  const letters = (text: string) =>
    [...text].flatMap((letter) => registerClasses.find((name) => name === letter) ?? []);
  const sourceClasses = letters(sources);
  const split = lines.split('; ');
  return {
    lines: split,
    results: letters(results),
    sources: sourceClasses,
    temporaries: letters(temporaries),
    constants: sourceClasses.map(() => false),
    negatable: sourceClasses.map(() => false),
    family,
    dialects: dialectsOfLines(split),
  };
}
