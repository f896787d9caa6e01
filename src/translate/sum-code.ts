// Instructions that compute the sum of an address.
import type { Mods } from '../isa/index.ts';
import type { Instruction, Operand, Register, Span } from '../ptx/ast.ts';
import { rowNamed } from './ir.ts';
import type { Atom, Linear } from './linear.ts';

/// An operand times a number.
interface Term {
  readonly operand: Operand;
  readonly factor: number;
}

/// A register's name for each call.
export type FreshNames = () => string;

export class SumCode {
  readonly code: Instruction[] = [];
  private readonly freshName: FreshNames;
  private readonly span: Span;

  constructor(freshName: FreshNames, span: Span) {
    this.freshName = freshName;
    this.span = span;
  }

  /// The atoms' sum in units of bytes, modulo 2^32. What is no whole word of itself is some together with the rest.
  quotient(atoms: readonly Atom[], unit: number): Operand {
    const [words, rest] = wordsAndRest(atoms);
    const terms = words.map((atom): Term => ({ operand: this.value(atom), factor: atom.coefficient / unit }));
    if (rest.length > 0)
      terms.push({ operand: this.shiftedRight(this.sum({ atoms: rest, constant: 0 }), 2), factor: 1 });
    return this.total(terms);
  }

  sum({ atoms, constant }: Linear): Operand {
    const terms = atoms.map((atom): Term => ({ operand: this.value(atom), factor: atom.coefficient }));
    return this.plus(this.total(terms), constant);
  }

  plus(operand: Operand, value: number): Operand {
    if (value === 0) return operand;
    return this.add(value < 0 ? 'sub' : 'add', { type: 'u32' }, operand, Math.abs(value));
  }

  shiftedRight(operand: Operand, bits: number): Operand {
    return bits === 0 ? operand : this.add('shr', { type: 'u32' }, operand, bits);
  }

  limited(operand: Operand, limit: number | undefined): Operand {
    return limit === undefined ? operand : this.add('min', { type: 'u32' }, operand, limit);
  }

  /// A register that keeps a value of this code's making, or the value now of any other.
  settled(operand: Operand): Register {
    const isOwn = this.code.some(({ operands }) => operands.d === operand);
    const kept = isOwn ? operand : this.add('mov', { type: 'u32' }, operand);
    if (kept.kind !== 'register') throw new Error('a sum that is no register');
    return kept.register;
  }

  private value({ value }: Atom): Operand {
    if (value.kind !== 'bits') return value;
    return this.add('and', { type: 'b32' }, this.shiftedRight(this.sum(value.sum), value.bits), value.mask);
  }

  private total(terms: readonly Term[]): Operand {
    // The others are added to the first: one that needs no multiplication, if there is any.
    const [first, ...others] = [...terms].sort((a, b) => rank(a) - rank(b));
    if (first === undefined) return word(0);
    return others.reduce((sum, { operand, factor }) => {
      if (factor === 1) return this.add('add', { type: 'u32' }, sum, operand);
      if (factor === -1) return this.add('sub', { type: 'u32' }, sum, operand);
      return this.add('mad', { half: 'lo', type: 'u32' }, operand, factor, sum);
    }, this.multiple(first));
  }

  private multiple({ operand, factor }: Term): Operand {
    if (factor === 1) return operand;
    const bits = Math.log2(factor);
    if (Number.isInteger(bits)) return this.add('shl', { type: 'b32' }, operand, bits);
    return this.add('mul', { half: 'lo', type: 'u32' }, operand, factor);
  }

  /// Appends an instruction, and gives its result.
  private add(name: string, mods: Mods, ...sources: readonly (Operand | number)[]): Operand {
    const register: Register = { name: this.freshName(), type: 'b32', span: this.span };
    const d: Operand = { kind: 'register', register, negated: false, span: this.span };
    const [a, b, c] = sources.map((source) => (typeof source === 'number' ? word(source) : source));
    const operands = { d, ...(a && { a }), ...(b && { b }), ...(c && { c }) };
    this.code.push({ kind: 'instruction', row: rowNamed(name), mods, operands, guard: undefined, span: this.span });
    return d;
  }
}

const rank = ({ factor }: Term): number => (factor === 1 ? 0 : factor > 0 ? 1 : 2);

const word = (value: number): Operand => ({
  kind: 'immediate',
  bits: BigInt.asUintN(32, BigInt(value)),
  type: 'b32',
  span: { start: 0, end: 0 },
});

export const wordsAndRest = (atoms: readonly Atom[]): readonly [readonly Atom[], readonly Atom[]] => [
  atoms.filter(({ coefficient }) => coefficient % 4 === 0),
  atoms.filter(({ coefficient }) => coefficient % 4 !== 0),
];
