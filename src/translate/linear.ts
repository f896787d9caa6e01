// Sums of registers: coefficients times atoms, plus a constant, modulo 2^32.
import type { Register, RegisterOperand, SpecialOperand } from '../ptx/ast.ts';

/// Coefficients and constant are signed 32-bit numbers.
export interface Linear {
  readonly atoms: readonly Atom[];
  readonly constant: number;
}

/// A register or special register as it is at one point of a block, or some bits of a sum of such.
export interface Atom {
  /// The same for the same value.
  readonly key: string;
  readonly value: RegisterOperand | SpecialOperand | SomeBits;
  readonly coefficient: number;
  /// Of a register that is a sum shifted right: what it was.
  readonly shifted?: { readonly sum: Linear; readonly bits: number };
}

/// `sum >> bits & mask`.
export interface SomeBits {
  readonly kind: 'bits';
  readonly sum: Linear;
  readonly bits: number;
  readonly mask: number;
}

export const constant = (value: number): Linear => ({ atoms: [], constant: value | 0 });
export const isConstant = ({ atoms }: Linear) => atoms.length === 0;

export function special(value: SpecialOperand): Linear {
  return { atoms: [{ key: value.name, value, coefficient: 1 }], constant: 0 };
}

export function sum(a: Linear, b: Linear): Linear {
  const atoms = new Map(a.atoms.map((atom) => [atom.key, atom]));
  for (const atom of b.atoms) {
    const same = atoms.get(atom.key);
    atoms.set(atom.key, same ? { ...atom, coefficient: (same.coefficient + atom.coefficient) | 0 } : atom);
  }
  return {
    atoms: [...atoms.values()].filter(({ coefficient }) => coefficient !== 0),
    constant: (a.constant + b.constant) | 0,
  };
}

export function scale(form: Linear, factor: number): Linear {
  return {
    atoms: form.atoms.flatMap((atom) => {
      const coefficient = Math.imul(atom.coefficient, factor);
      return coefficient === 0 ? [] : [{ ...atom, coefficient }];
    }),
    constant: Math.imul(form.constant, factor),
  };
}

export function product(a: Linear, b: Linear): Linear | undefined {
  if (isConstant(b)) return scale(a, b.constant);
  return isConstant(a) ? scale(b, a.constant) : undefined;
}

/// A sum without its constant, as a key.
export const variablePart = (atoms: readonly Atom[]): string =>
  atoms
    .map(({ key, coefficient }) => `${coefficient}*${key}`)
    .sort()
    .join(' ');

export const registersOf = (atoms: readonly Atom[]): readonly Register[] =>
  atoms.flatMap(({ value }) => {
    if (value.kind === 'bits') return registersOf(value.sum.atoms);
    return value.kind === 'register' ? [value.register] : [];
  });

/// Whether the bits of `mask` are 0 in every value of the form, so that to set them is to add them.
export function hasZeros({ atoms, constant: low }: Linear, mask: number): boolean {
  if (mask < 0) return false;
  const unit = 2 ** (32 - Math.clz32(mask));
  return atoms.every(({ coefficient }) => coefficient % unit === 0) && (low & mask) === 0;
}

/// `form & mask` as a multiple of 4, where that is to be had: nvcc scales before it masks, so `4 * x & 1020` is 4 times `x & 255`, and
/// `x >> 6 & 1020` is 4 times `x >> 8 & 255`.
export function maskWords(form: Linear, mask: number): Linear | undefined {
  const { atoms, constant: low } = form;
  if (low % 4 === 0 && atoms.every(({ coefficient }) => coefficient % 4 === 0)) {
    const words = { atoms: atoms.map((atom) => ({ ...atom, coefficient: atom.coefficient / 4 })), constant: low / 4 };
    return words4(words, 0, mask >>> 2);
  }
  const [{ shifted, coefficient } = {}, ...others] = atoms;
  const isShifted = others.length === 0 && coefficient === 1 && low === 0 && (mask & 3) === 0;
  return isShifted && shifted && shifted.bits < 30 ? words4(shifted.sum, shifted.bits + 2, mask >>> 2) : undefined;
}

function words4(form: Linear, bits: number, mask: number): Linear {
  const key = `(${variablePart(form.atoms)} + ${form.constant} >> ${bits} & ${mask})`;
  return { atoms: [{ key, value: { kind: 'bits', sum: form, bits, mask }, coefficient: 4 }], constant: 0 };
}
