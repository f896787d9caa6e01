// Finds the row of an opcode. The `syntax` of each row is compiled once into modifier parts and
// operand groups.

import { groupBy } from '../base/group-by.ts';
import { InternalError } from '../base/invariants.ts';
import { commonRows } from './common.ts';
import type { IsaRow, Mods, OperandType, PtxType, VectorType } from './row.ts';

/** A `.modifier` of an opcode: a fixed word, or one of the values of a slot. */
export interface PartPattern {
  /** The slot's name, or the word itself. */
  readonly name: string;
  /** The accepted words. */
  readonly values: readonly string[];
  readonly slot: boolean;
  readonly optional: boolean;
}

export interface OperandSlot {
  readonly name: string;
  readonly type: OperandType;
  /** Whether the predicate may be negated (`{!}a`). */
  readonly negatable: boolean;
  readonly destination: boolean;
  /**
   * The name of the selector after the operand (`a{.asel}`), and the name of the sign before it
   * (`{-aneg}a`).
   */
  readonly selector: string | undefined;
  readonly sign: string | undefined;
}

/** The operands between two commas: one operand, or a pair such as `d|p`. */
export interface OperandGroup {
  readonly first: OperandSlot;
  readonly second: OperandSlot | undefined;
  readonly secondOptional: boolean;
  readonly optional: boolean;
}

export interface RowPattern {
  readonly row: IsaRow;
  /** The first word of the opcode, such as `shfl`. */
  readonly word: string;
  readonly parts: readonly PartPattern[];
  readonly groups: readonly OperandGroup[];
}

export interface OpcodeMatch {
  readonly pattern: RowPattern;
  readonly mods: Mods;
}

/**
 * Splits an opcode at its dots. A `::` does not separate parts: `ld.L1::no_allocate` becomes `ld`,
 * `L1::no_allocate`.
 */
export function splitOpcode(opcode: string): readonly string[] {
  return opcode.split('.');
}

function compileParts(row: IsaRow, opcode: string): { word: string; parts: PartPattern[] } {
  const found = [...opcode.matchAll(/\{\.([\w:]+)\}|\.([\w:]+)|^(\w+)/g)];
  const parts = found.slice(1).map((match): PartPattern => {
    const name = match[1] ?? match[2] ?? '';
    const values = row.where?.[name];
    return { name, values: values ?? [name], slot: values !== undefined, optional: match[1] !== undefined };
  });
  return { word: found[0]?.[0] ?? '', parts };
}

/**
 * Matches an operand in a row's syntax, such as `a`, `{!}a` or `{-aneg}a{.asel}`. Its groups are
 * the names of the sign, the operand and the selector.
 */
const operandShape = /^(?:\{-(\w+)\}|\{!\})?\W*(\w+)(?:\{\.(\w+)\})?/;

function compileGroups(row: IsaRow, operands: string): OperandGroup[] {
  const slot = (text: string, isFirst: boolean): OperandSlot => {
    const [, sign, name = '', selector] = operandShape.exec(text) ?? [];
    const type = row.types[name];
    if (type === undefined) throw new InternalError(`row ${row.name} has no type for its operand ${name}`);
    const negatable = text.includes('!');
    return { name, type, negatable, destination: isFirst && row.writes.includes(name), selector, sign };
  };
  // `{, e}` becomes a separate group, marked by `?`. `[a, c]` becomes two groups if both operands
  // have types, and otherwise one group with the name of its first operand.
  const texts = operands
    .replace(/\[(\w+), (\w+)\]/g, (_, first: string, second: string) => (row.types[second] === undefined ? `[${first}]` : `[${first}], ${second}`))
    .replace(/\{,\s*([^}]+)\}/g, ', ?$1')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const groups = texts.map((text, index): OperandGroup => {
    const [first = '', second] = text.replace('[|', '|').split('|');
    return {
      first: slot(first, index === 0),
      second: second === undefined ? undefined : slot(second, index === 0),
      secondOptional: text.includes('[|'),
      optional: text.startsWith('?'),
    };
  });
  checkWrites(row, groups[0]);
  return groups;
}

/** Throws an error if a row with results does not write every operand of the first group. */
function checkWrites(row: IsaRow, group: OperandGroup | undefined): void {
  const names = [group?.first, group?.second].flatMap((slot) => (slot === undefined ? [] : [slot.name]));
  const whole = row.writes.length === names.length && row.writes.every((name, index) => name === names[index]);
  if (whole || (row.writes.length === 0 && row.kind !== 'lane')) return;
  throw new InternalError(`row ${row.name} writes ${row.writes.join(', ')}, but its first operands are ${names.join(', ')}`);
}

function compileRow(row: IsaRow): RowPattern {
  const [opcode = '', ...operands] = row.syntax.split(' ');
  return { row, ...compileParts(row, opcode), groups: compileGroups(row, operands.join(' ')) };
}

interface Listing {
  readonly rows: ReadonlySet<IsaRow>;
  readonly byWord: ReadonlyMap<string, readonly IsaRow[]>;
}

const listingOf = (rows: readonly IsaRow[]): Listing => ({ rows: new Set(rows), byWord: groupBy(rows, ({ syntax }) => /^\w+/.exec(syntax)?.[0] ?? '') });

let listing = listingOf(commonRows);

/** Matches opcodes against these rows from now on. They must contain the common rows. */
export function provideRows(rows: readonly IsaRow[]): void {
  if (listing.rows.size === rows.length) return;
  listing = listingOf(rows);
  patternsByWord.clear();
}

/**
 * The compiled patterns. They are compiled on first use, because a kernel uses a few dozen of
 * several hundred rows.
 */
const patternByRow = new Map<IsaRow, RowPattern>();
const patternsByWord = new Map<string, readonly RowPattern[]>();

/** Returns the compiled syntax of a row. Throws an error for any other object. */
export function patternOf(row: IsaRow): RowPattern {
  const known = patternByRow.get(row);
  if (known !== undefined) return known;
  if (!listing.rows.has(row)) throw new InternalError(`${row.name} is not a row of the listing`);
  const pattern = compileRow(row);
  patternByRow.set(row, pattern);
  return pattern;
}

/** Returns the patterns whose opcodes start with `word` (`shfl`), or an empty list. */
export function patternsFor(word: string): readonly RowPattern[] {
  const known = patternsByWord.get(word);
  if (known !== undefined) return known;
  const rows = listing.byWord.get(word);
  if (rows === undefined) return [];
  const patterns = rows.map(patternOf);
  patternsByWord.set(word, patterns);
  return patterns;
}

/** Returns the first words of all rows. */
export function opcodeWords(): readonly string[] {
  return [...listing.byWord.keys()];
}

const isTypeWord = (modifier: string): boolean => typesByName.has(modifier) || modifier === 'tf32';

/**
 * Assigns each modifier to the first free part that accepts it. As in ptxas, modifiers may be in
 * any order. Only the order of types is significant, because it distinguishes the source from the
 * destination of a conversion.
 */
export function matchParts(pattern: RowPattern, modifiers: readonly string[]): { mods: Mods; unmatched: number[]; missing: PartPattern[] } {
  const taken = new Set<PartPattern>();
  const mods: Record<string, string> = {};
  const unmatched: number[] = [];
  let firstForType = 0;
  for (const [index, modifier] of modifiers.entries()) {
    const first = isTypeWord(modifier) ? firstForType : 0;
    const at = pattern.parts.findIndex((candidate, number) => number >= first && !taken.has(candidate) && candidate.values.includes(modifier));
    const part = pattern.parts[at];
    if (part === undefined) {
      unmatched.push(index);
      continue;
    }
    taken.add(part);
    if (isTypeWord(modifier)) firstForType = at + 1;
    if (part.slot || part.optional) mods[part.name] = modifier;
  }
  return { mods, unmatched, missing: pattern.parts.filter((part) => !part.optional && !taken.has(part)) };
}

/** Finds the row for the parts of an opcode, with the values of its slots. */
export function matchOpcode(parts: readonly string[]): OpcodeMatch | undefined {
  const text = parts.join('.');
  const known = matches.get(text);
  if (known !== undefined) return known;
  const [word = '', ...modifiers] = parts;
  for (const pattern of patternsFor(word)) {
    const { mods, unmatched, missing } = matchParts(pattern, modifiers);
    if (unmatched.length > 0 || missing.length > 0) continue;
    const match = { pattern, mods };
    if (matches.size < maxMatches) matches.set(text, match);
    return match;
  }
  return undefined;
}

/** A cache of matches, because a kernel uses few opcodes, each many times. */
const matches = new Map<string, OpcodeMatch>();
const maxMatches = 10_000;

/**
 * Returns the groups of `count` operands; optional groups are filled from the left. Returns
 * undefined if no combination has that number of operands.
 */
export function groupsFor(pattern: RowPattern, count: number): readonly OperandGroup[] | undefined {
  if (count === pattern.groups.length) return pattern.groups;
  const required = pattern.groups.filter((group) => !group.optional).length;
  let spare = count - required;
  if (spare < 0 || count > pattern.groups.length) return undefined;
  return pattern.groups.filter((group) => !group.optional || spare-- > 0);
}

const doubled: Readonly<Record<string, PtxType>> = { u16: 'u32', s16: 's32', b16: 'b32', u32: 'u64', s32: 's64', b32: 'b64' };
const typeNames: readonly PtxType[] = ['pred', 'b8', 'b16', 'b32', 'b64', 'b128', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64', 'f16', 'f16x2', 'bf16', 'bf16x2', 'f32', 'f64'];
const typesByName = new Map(typeNames.map((type) => [type as string, type]));

/** Returns the type with this name, which is written without the dot. */
export function typeNamed(name: string): PtxType | undefined {
  return typesByName.get(name);
}

/**
 * Returns the value type of an operand for some modifiers: the type in the slot for `.type`, and a
 * type of twice that width for `.type*2`. Returns undefined for operands without a value, such as
 * labels and addresses.
 */
export function resolveType(type: OperandType, mods: Mods): PtxType | undefined {
  let source = typeSources.get(type);
  if (source === undefined) {
    source = typeSourceOf(type);
    typeSources.set(type, source);
  }
  if (source.slot === undefined) return source.type;
  const value = mods[source.slot] ?? '';
  return source.isDoubled ? doubled[value] : typeNamed(value);
}

const isHalf = (type: PtxType): boolean => type === 'f16' || type === 'bf16' || type === 'f16x2' || type === 'bf16x2';

/**
 * Returns the type of a constant in place of a source of type `type`, or `register` if the source
 * must be a register. PTX does not have 16-bit floating-point constants, and ptxas rejects
 * predicate constants if the result is bf16.
 */
export function constantType(row: IsaRow, type: PtxType, mods: Mods): PtxType | 'register' {
  if (row.constants === 'none' || (type === 'pred' && mods.dtype === 'bf16')) return 'register';
  if (!isHalf(type)) return type;
  return row.constants === 'bits' && type === 'bf16' ? 'b16' : 'register';
}

/** Returns the type and number of the registers of a `vector` operand. */
export function vectorType(row: IsaRow, name: string, mods: Mods): VectorType {
  const found = row.vectors?.(mods)?.[name];
  if (found === undefined) throw new InternalError(`${row.name} has no vector ${name} with these modifiers`);
  return found;
}

/** The source of an operand's type: a slot, or a fixed type. */
interface TypeSource {
  readonly slot: string | undefined;
  readonly isDoubled: boolean;
  readonly type: PtxType | undefined;
}

/** A cache of the sources of types, because all rows use only a few. */
const typeSources = new Map<OperandType, TypeSource>();

function typeSourceOf(type: OperandType): TypeSource {
  if (!type.startsWith('.')) return { slot: undefined, isDoubled: false, type: typeNamed(type) };
  const [slot = '', factor] = type.slice(1).split('*');
  return { slot, isDoubled: factor !== undefined, type: undefined };
}
