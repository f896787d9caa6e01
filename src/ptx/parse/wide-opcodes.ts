// Splits accesses and moves that are wider than any row into instructions of rows: 256 bits become
// two accesses, a `.b128` two halves, and a vector move one move per element.
import type { IsaRow } from '../../isa/index.ts';

/**
 * How an instruction is split:
 * - `halves`: an access whose vector and address are split into halves.
 * - `whole`: an access of a `.b128`, which becomes a vector of two elements.
 * - `elements`: a move of a vector, which becomes one move per element.
 * - `pair`: a move of a `.b128`, which becomes one move per half.
 */
export type Wide = 'halves' | 'whole' | 'elements' | 'pair';

export interface WideOpcode {
  readonly wide: Wide;
  /** The parts of the opcode of each piece. */
  readonly parts: readonly string[];
  /** The earliest version and target with the wide form. */
  readonly demand: Pick<IsaRow, 'ptx' | 'target'> | undefined;
}

const accessWords = new Set(['ld', 'st', 'ldu']);
const words32 = new Set(['b32', 'u32', 's32', 'f32']);
const words64 = new Set(['b64', 'u64', 's64', 'f64']);
/** The state spaces without 256-bit accesses. Only global memory has such accesses. */
const narrowSpaces = new Set([
  'shared',
  'shared::cta',
  'shared::cluster',
  'local',
  'const',
  'param',
  'param::entry',
  'param::func',
]);
/** Cache hints of 256-bit accesses, which do not affect results. */
const secondCache = ['L2::evict_first', 'L2::evict_last', 'L2::evict_normal'] as const;
/** By the first word of the opcode: modifiers that no row accepts, in forms that are split. */
export const wideModifiers: Readonly<Record<string, readonly string[]>> = {
  ld: ['v8', ...secondCache],
  st: ['v8', ...secondCache],
  mov: ['v2', 'v4'],
};
const withoutHints = Object.fromEntries(secondCache.map((hint) => [hint, []]));
const longVectors = { ptx: '8.8', target: 'sm_100' };
const quadWords = { ptx: '8.3', target: 'sm_70' };
/**
 * The modifiers of accesses with single-copy atomicity. Such an access of 128 bits cannot be split.
 */
const singleSteps = new Set(['relaxed', 'acquire', 'release', 'mmio']);

const replaced = (parts: readonly string[], by: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  parts.flatMap((part) => (Object.hasOwn(by, part) ? (by[part] ?? []) : [part]));

/**
 * Returns how to split an opcode, or undefined if there is a row for it or PTX does not have it.
 */
export function wideOpcode(parts: readonly string[]): WideOpcode | undefined {
  const [word = ''] = parts;
  const has = (set: ReadonlySet<string>) => parts.some((part) => set.has(part));
  const vector = parts.find((part) => part === 'v2' || part === 'v4' || part === 'v8');
  if (accessWords.has(word)) {
    if (vector === undefined && parts.includes('b128') && !has(singleSteps))
      return { wide: 'whole', parts: replaced(parts, { b128: ['v2', 'b64'] }), demand: quadWords };
    const isLong = (vector === 'v8' && has(words32)) || (vector === 'v4' && has(words64));
    if (!isLong || has(narrowSpaces)) return undefined;
    return { wide: 'halves', parts: replaced(parts, { v8: ['v4'], v4: ['v2'], ...withoutHints }), demand: longVectors };
  }
  if (word !== 'mov') return undefined;
  if (vector === undefined)
    return parts.includes('b128')
      ? { wide: 'pair', parts: replaced(parts, { b128: ['b64'] }), demand: quadWords }
      : undefined;
  return { wide: 'elements', parts: replaced(parts, { v2: [], v4: [] }), demand: undefined };
}
