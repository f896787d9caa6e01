// Scalars during selection. An SSA value of LLVM is a list of scalars, one for each leaf of its
// type.
import { bitsOf, pointerTo, type ScalarType, spaces } from '../ir/types.ts';

/**
 * A scalar in a register, or a constant. The register is at least as wide as the type. `upper`
 * describes the contents of the bits above the type's width.
 */
export interface Scalar {
  /**
   * The type. The space of a pointer is that in which `text` is an address. It may be narrower than
   * the space of the type in the IR.
   */
  readonly type: ScalarType;
  /** The name of a register or variable, or an immediate. */
  readonly text: string;
  readonly upper: 'any' | 'zero' | 'sign';
  /** The value of an integer constant, unsigned. */
  readonly constant: bigint | undefined;
  /** For a pointer, the number of bytes to add to `text`. */
  readonly offset: number;
  /** Whether `text` names a variable or parameter instead of a register. */
  readonly isSymbol: boolean;
}

/** The classes of PTX registers. Halves are in `b16`, pointers in `b64`. */
export type RegisterClass = 'pred' | 'b16' | 'b32' | 'b64' | 'f32' | 'f64';

/**
 * Returns the class of the register for a scalar. Integers of other widths use the next wider
 * class.
 */
export function classOf(type: ScalarType): RegisterClass {
  switch (type.kind) {
    case 'ptr':
      return 'b64';
    case 'half':
    case 'bfloat':
      return 'b16';
    case 'float':
      return 'f32';
    case 'double':
      return 'f64';
    default:
      if (type.bits === 1) return 'pred';
      if (type.bits === 16) return 'b16';
      return type.bits <= 32 ? 'b32' : 'b64';
  }
}

export function registerBits(type: ScalarType): number {
  const kind = classOf(type);
  return kind === 'pred' ? 1 : Number(kind.slice(1));
}

/** Returns PTX's name of a float type; empty for other types. */
export function floatSuffix(type: ScalarType): string {
  return { half: 'f16', bfloat: 'bf16', float: 'f32', double: 'f64', int: '', ptr: '' }[type.kind];
}

/** Whether the register has bits above the type. */
export const isNarrow = (type: ScalarType): boolean => bitsOf(type) < registerBits(type);

export function inRegister(type: ScalarType, text: string, upper: Scalar['upper'] = 'any'): Scalar {
  return { type, text, upper, constant: undefined, offset: 0, isSymbol: false };
}

/**
 * Returns a constant. Its text is an immediate, except for halves and predicates, which have no
 * immediates.
 */
export function constantOf(type: ScalarType, bits: bigint): Scalar {
  const value = BigInt.asUintN(bitsOf(type), bits);
  return { type, text: immediate(type, value), upper: 'zero', constant: value, offset: 0, isSymbol: false };
}

function immediate(type: ScalarType, value: bigint): string {
  if (type.kind === 'float') return `0f${hex(value, 8)}`;
  if (type.kind === 'double') return `0d${hex(value, 16)}`;
  if (type.kind === 'int' && !isNarrow(type)) return String(BigInt.asIntN(type.bits, value));
  return String(value);
}

const hex = (value: bigint, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

export function symbol(space: number, name: string): Scalar {
  return {
    type: pointerTo(space),
    text: name,
    upper: 'any',
    constant: undefined,
    offset: 0,
    isSymbol: true,
  };
}

/** PTX's names of the state spaces, by LLVM's numbers; empty for generic addresses. */
export const spaceNames: ReadonlyMap<number, string> = new Map([
  [spaces.generic, ''],
  [spaces.global, '.global'],
  [spaces.shared, '.shared'],
  [spaces.constant, '.const'],
  [spaces.local, '.local'],
  [spaces.cluster, '.shared::cluster'],
  [spaces.param, '.param'],
]);
