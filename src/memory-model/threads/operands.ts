// The operands of a thread's instructions: values of registers, and places in memory.
import { at } from '../../base/invariants.ts';
import { bitWidth } from '../../cpu-ref/interpreter/memory/layout.ts';
import { typeNamed } from '../../isa/match.ts';
import type { Instruction, Operand, Statement } from '../../ptx/ast.ts';
import { litmusDiagnostics } from '../diagnostics.ts';
import type { Access } from '../event.ts';
import { type LitmusTest, placeOf, spaceOf, type TestThread, type TestVariable } from '../litmus/litmus-test.ts';
import { type Raise, raiseIn } from '../litmus/raise.ts';
import type { Value } from './lane-step.ts';

/** The value of a register that the thread has not written. */
export const noValue: Value = { bits: 0n, dependencies: 0 };

/** The place of an access, and the reads that its address depends on. */
export type Location = Pick<Access, 'address' | 'bytes' | 'dependencies' | 'view' | 'space'>;

export class ThreadOperands {
  readonly test: LitmusTest;
  readonly thread: TestThread;
  readonly raise: Raise;

  constructor(test: LitmusTest, thread: number) {
    this.test = test;
    this.raise = raiseIn(test.source);
    this.thread = at(test.threads, thread, 'thread');
  }

  refuse({ span }: { readonly span: Statement['span'] }, what: string): never {
    return this.raise(litmusDiagnostics.unsupported(this.test.place(span), what));
  }

  /** Returns the value of an operand; undefined for operands that litmus tests do not support. */
  value(registers: ReadonlyMap<string, Value>, operand: Operand): Value | undefined {
    switch (operand.kind) {
      case 'register': {
        const value = registers.get(operand.register.name) ?? noValue;
        return operand.negated ? { ...value, bits: 1n - value.bits } : value;
      }
      case 'immediate':
        return { bits: operand.bits, dependencies: 0 };
      case 'symbol':
        return { bits: BigInt(this.#variable(operand.variable.name).address + operand.offset), dependencies: 0 };
      default:
        return undefined;
    }
  }

  /** Returns the value of an operand that must be supported. */
  known(registers: ReadonlyMap<string, Value>, instruction: Instruction, name: string): Value {
    const operand = instruction.operands[name];
    const value = operand && this.value(registers, operand);
    return value ?? this.refuse(operand ?? instruction, 'this operand');
  }

  /** Returns the location of the first element of a load, store or atomic. */
  element(registers: ReadonlyMap<string, Value>, instruction: Instruction): Location {
    const { mods } = instruction;
    const type = typeNamed(mods.type ?? '');
    if (type === undefined) return this.refuse(instruction, 'this form of address');
    const bytes = bitWidth(type) / 8;
    const count = mods.vec === undefined ? 1 : Number(mods.vec.slice(1));
    return { ...this.location(registers, instruction, 'a', count * bytes), bytes };
  }

  /** Returns the location of `bytes` bytes at an address operand. */
  location(registers: ReadonlyMap<string, Value>, instruction: Instruction, name: string, bytes: number): Location {
    const operand = instruction.operands[name];
    if (operand?.kind !== 'address' || operand.base === null) return this.refuse(instruction, 'this form of address');
    const base =
      'space' in operand.base
        ? { bits: BigInt(this.#variable(operand.base.name).address), dependencies: 0 }
        : (registers.get(operand.base.name) ?? noValue);
    const start = Number(base.bits) + operand.offset;
    const found = this.test.variables.find(
      ({ address, variable }) => address <= start && start + bytes <= address + variable.bytes,
    );
    if (found === undefined) return this.raise(litmusDiagnostics.badAddress(this.test.place(instruction.span)));
    return { ...placeOf(start), bytes, space: spaceOf(found.variable), dependencies: base.dependencies };
  }

  /** Returns the variable of a name that the thread sees. */
  #variable(name: string): TestVariable {
    const { block } = this.thread.placement;
    const found = this.test.variables.find(
      (candidate) => candidate.variable.name === name && (candidate.block === undefined || candidate.block === block),
    );
    if (found === undefined) throw new RangeError(`variable ${name} has no address`);
    return found;
  }
}
