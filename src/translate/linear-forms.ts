// Registers as sums: the bytes of an address are coefficients times other registers, plus a constant, modulo 2^32. So accesses around one base
// are seen to be, and whole words to be words.
import type { AddressOperand, Instruction, Operand, Register, RegisterOperand } from '../ptx/ast.ts';
import { findLasting } from './find-lasting.ts';
import { type Block, definedRegisters } from './ir.ts';
import { type Layout, windowOf } from './layout.ts';
import {
  type Atom,
  constant,
  hasZeros,
  isConstant,
  type Linear,
  maskWords,
  product,
  registersOf,
  scale,
  special,
  sum,
} from './linear.ts';

/// Values that a thread keeps.
const lastingSpecials = /^%(n?ctaid|tid|laneid|warpid)\b/;

/// Follows a kernel's blocks, in their order, from instruction to instruction: `enter` a block, then `define` each of its instructions.
export class LinearForms {
  private readonly layout: Layout;
  private readonly lasting: ReadonlySet<string>;
  /// Of lasting registers, made of lasting atoms alone: true wherever the register is read.
  private readonly everywhere = new Map<string, Linear>();
  /// Of registers written in this block.
  private readonly here = new Map<string, Linear>();
  private readonly writes = new Map<string, number>();

  constructor(blocks: readonly Block[], layout: Layout) {
    this.layout = layout;
    this.lasting = findLasting(blocks);
  }

  enter(): void {
    this.here.clear();
    this.writes.clear();
  }

  /// The value of an address's base at this point.
  base(base: AddressOperand['base']): Linear {
    if (base === null) return constant(0);
    return 'space' in base ? constant(this.layout.offsetOf(base)) : this.register(base);
  }

  private register(register: Register): Linear {
    return this.here.get(register.name) ?? this.everywhere.get(register.name) ?? this.atom(register);
  }

  /// The register itself, whatever it is the sum of.
  atom(register: Register): Linear {
    const value: RegisterOperand = { kind: 'register', register, negated: false, span: register.span };
    return { atoms: [{ key: this.keyOf(register), value, coefficient: 1 }], constant: 0 };
  }

  /// Tells the register's value at this point from its others.
  keyOf({ name }: Register): string {
    return this.lasting.has(name) ? name : `${name}@${this.writes.get(name) ?? 0}`;
  }

  /// Whether the register has one value wherever it is read, as often as it may get another one.
  isLasting({ name }: Register): boolean {
    return this.lasting.has(name);
  }

  /// Whether all registers of the sum are such.
  areLasting(atoms: readonly Atom[]): boolean {
    return registersOf(atoms).every((register) => this.isLasting(register));
  }

  /// Whether the sum's registers still hold the values that they had in it.
  isCurrent(atoms: readonly Atom[]): boolean {
    return atoms.every(({ key, value }) => {
      if (value.kind === 'bits') return this.isCurrent(value.sum.atoms);
      return value.kind !== 'register' || this.keyOf(value.register) === key;
    });
  }

  define(instruction: Instruction): void {
    const { d } = instruction.operands;
    const isKnown = d?.kind === 'register' && isWord(d.register.type) && !instruction.guard;
    const result = isKnown ? this.result(instruction) : undefined;
    const shifted = isKnown && result === undefined ? this.shifted(instruction) : undefined;
    for (const { name } of definedRegisters(instruction)) {
      this.here.delete(name);
      this.writes.set(name, (this.writes.get(name) ?? 0) + 1);
    }
    if (d?.kind !== 'register') return;
    if (result) this.keep(d.register, result, result.atoms);
    const [atom] = this.atom(d.register).atoms;
    if (shifted && atom) this.keep(d.register, { atoms: [{ ...atom, shifted }], constant: 0 }, shifted.sum.atoms);
  }

  private keep(register: Register, form: Linear, madeOf: readonly Atom[]): void {
    this.here.set(register.name, form);
    if (this.isLasting(register) && this.areLasting(madeOf)) this.everywhere.set(register.name, form);
  }

  private shifted({ row, mods, operands }: Instruction): Atom['shifted'] {
    const [a, b] = [this.operand(operands.a), this.operand(operands.b)];
    if (row.name !== 'shr' || !/^[ub]32$/.test(mods.type ?? '') || a === undefined || b === undefined) return undefined;
    return isConstant(b) && b.constant >= 0 && b.constant < 32 ? { sum: a, bits: b.constant } : undefined;
  }

  private operand(operand: Operand | undefined): Linear | undefined {
    switch (operand?.kind) {
      case 'register':
        return isWord(operand.register.type) ? this.register(operand.register) : undefined;
      case 'immediate':
        return constant(Number(BigInt.asIntN(32, operand.bits)));
      case 'symbol':
        return constant(this.layout.offsetOf(operand.variable) + operand.offset);
      case 'special':
        return lastingSpecials.test(operand.name) ? special(operand) : undefined;
      default:
        return undefined;
    }
  }

  private result({ row, mods, operands }: Instruction): Linear | undefined {
    const [a, b, c] = [this.operand(operands.a), this.operand(operands.b), this.operand(operands.c)];
    if (a === undefined || mods.sat !== undefined) return undefined;
    if (row.name === 'cvt') return isWord(mods.dtype) && isWord(mods.atype) ? a : undefined;
    if (!isWord(mods.type)) return undefined;
    switch (row.name) {
      case 'mov':
        return a;
      case 'cvta':
        return sum(a, constant(windowOf(mods.space)));
      case 'cvta.to':
        return sum(a, constant(-windowOf(mods.space)));
      case 'neg':
        return scale(a, -1);
    }
    if (b === undefined) return undefined;
    switch (row.name) {
      case 'add':
        return sum(a, b);
      case 'sub':
        return sum(a, scale(b, -1));
      case 'or':
        return isConstant(b) && hasZeros(a, b.constant) ? sum(a, b) : undefined;
      case 'and':
        return isConstant(b) && !isConstant(a) ? maskWords(a, b.constant) : undefined;
      case 'shl':
        return isConstant(b) && b.constant >= 0 && b.constant < 32 ? scale(a, 1 << b.constant) : undefined;
      case 'mul':
        return mods.half === 'lo' ? product(a, b) : undefined;
      case 'mad': {
        const scaled = mods.half === 'lo' ? product(a, b) : undefined;
        return scaled && c && sum(scaled, c);
      }
      default:
        return undefined;
    }
  }
}

const isWord = (type: string | undefined) => /^[usb]32$/.test(type ?? '');
