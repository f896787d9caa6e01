// Infers the types of memory elements from their uses. Most compilers load bits without a type, and
// only later instructions have a type.
import type { ScalarKind } from '../../base/launch.ts';
import { getOrInsert } from '../../base/maps.ts';
import { isScalarKind, scalarFormats } from '../../base/scalars.ts';
import { resolveType } from '../../isa/match.ts';
import type { Instruction, Operand, Register } from '../../ptx/ast.ts';

/** For each kind of element, the number of uses as this kind. */
export type Votes = Map<ScalarKind, number>;

/**
 * The maximum number of moves that are followed, from a load to the uses of its value or from a
 * store to the value's definition.
 */
const maxMoves = 4;

/** Rows that only move bits, and so do not indicate a type. */
const moves: ReadonlySet<string> = new Set(['mov', 'selp', 'st', 'ld', 'shfl', 'shfl.sync', 'prmt']);

export class ElementTypes {
  readonly #readers = new Map<Register, { readonly instruction: Instruction; readonly name: string }[]>();
  readonly #writers = new Map<Register, { readonly instruction: Instruction; readonly name: string }[]>();

  constructor(instructions: readonly Instruction[]) {
    for (const instruction of instructions) {
      const { row, operands } = instruction;
      for (const [name, operand] of Object.entries(operands)) {
        const table = row.writes.includes(name) ? this.#writers : this.#readers;
        for (const register of registersOf(operand)) {
          getOrInsert(table, register, () => []).push({ instruction, name });
        }
      }
    }
  }

  /**
   * Adds votes for the types of the elements that an access moves to or from the registers of an
   * operand.
   */
  vote(votes: Votes, type: string, operand: Operand | undefined): void {
    const own = kindOf(type);
    const registers = operand === undefined ? [] : registersOf(operand);
    const bits = Number(/\d+/.exec(type)?.[0] ?? 0);
    // The kernel's author chose a type other than plain bits, so it counts more.
    if (own !== undefined) count(votes, own, 4);
    else for (const register of registers) this.#follow(votes, register, bits, maxMoves);
  }

  #follow(votes: Votes, register: Register, bits: number, depth: number): void {
    const declared = kindOf(register.type);
    if (declared !== undefined && scalarFormats[declared].float && scalarFormats[declared].bytes * 8 === bits) {
      count(votes, declared, 1);
    }
    for (const table of [this.#readers, this.#writers]) {
      for (const { instruction, name } of table.get(register) ?? []) {
        const { row, mods, operands } = instruction;
        if (moves.has(row.name)) {
          const next =
            row.name === 'mov' || row.name === 'selp' ? (table === this.#readers ? operands.d : operands.a) : undefined;
          const [other, ...more] = next === undefined ? [] : registersOf(next);
          if (depth > 0 && other !== undefined && more.length === 0) this.#follow(votes, other, bits, depth - 1);
          continue;
        }
        const slot = row.types[name];
        const type = slot === undefined ? undefined : slot === 'vector' ? mods[`${name}type`] : resolveType(slot, mods);
        const kind = type === undefined ? undefined : kindOf(type);
        if (kind === undefined || type === undefined) continue;
        const width = Number(/\d+/.exec(type)?.[0] ?? 0) * (type.endsWith('x2') ? 2 : 1);
        // Matrix operands contain several elements per register.
        if (width === bits || slot === 'vector') count(votes, kind, 1);
      }
    }
  }
}

export function count(votes: Votes, kind: ScalarKind, by: number): void {
  votes.set(kind, (votes.get(kind) ?? 0) + by);
}

/**
 * Returns the declared kind if the accesses of `bytes` allow it. Otherwise returns the kind with
 * the most votes. Without votes, returns the most frequent kind of elements of that size in other
 * buffers, or unsigned integers.
 */
export function elected(votes: Votes, bytes: number, others: Votes, declared: ScalarKind | undefined): ScalarKind {
  const best = (of: Votes): ScalarKind | undefined => [...of].sort((a, b) => b[1] - a[1])[0]?.[0];
  if (declared !== undefined && scalarFormats[declared].bytes <= bytes) {
    const used = best(votes);
    // A kernel may declare bytes or words, but access floats.
    const isReinterpreted = used !== undefined && scalarFormats[used].float && !scalarFormats[declared].float;
    if (!isReinterpreted) return declared;
  }
  const alike: Votes = new Map([...others].filter(([kind]) => scalarFormats[kind].bytes === bytes));
  return best(votes) ?? best(alike) ?? (bytes === 1 ? 'u8' : bytes === 2 ? 'u16' : bytes === 8 ? 'u64' : 'u32');
}

/** Returns the kind of a PTX type; undefined for plain bits. */
function kindOf(type: string): ScalarKind | undefined {
  const name = type.replace(/x2$/, '');
  return isScalarKind(name) ? name : undefined;
}

function registersOf(operand: Operand): Register[] {
  if (operand.kind === 'register') return [operand.register];
  if (operand.kind !== 'vector') return [];
  return operand.elements.flatMap((element) => (element.kind === 'register' ? [element.register] : []));
}
