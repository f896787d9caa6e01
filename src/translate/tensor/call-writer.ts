// Writes the call of a library function that replaces an instruction.
import { InternalError } from '../../base/invariants.ts';
import type { PtxType } from '../../isa/index.ts';
import type { CallOperand, ImmediateOperand, Instruction, Operand, RegisterOperand, Statement } from '../../ptx/ast.ts';
import { makeInstruction, registerOperand } from '../../ptx/make-instruction.ts';
import { widthOf } from '../../ptx/types.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { Library } from '../image/function-library.ts';
import type { LibraryFunction } from '../image/library-function.ts';

type Argument = ImmediateOperand | RegisterOperand;

export class CallWriter {
  readonly instruction: Instruction;
  readonly #library: Library;
  readonly #prefix: string;
  readonly #statements: Statement[] = [];
  #count = 0;

  /** `prefix` is the prefix of the names of the new registers. */
  constructor(instruction: Instruction, library: Library, prefix: string) {
    this.instruction = instruction;
    this.#library = library;
    this.#prefix = prefix;
  }

  get statements(): readonly Statement[] {
    return this.#statements;
  }

  /** Adds an instruction with the guard of the replaced instruction. */
  add(opcode: string, operands: Readonly<Record<string, Operand>>): void {
    const { guard, span } = this.instruction;
    this.#statements.push(makeInstruction(opcode, operands, span, guard));
  }

  register(type: PtxType): RegisterOperand {
    const { span } = this.instruction;
    return registerOperand({ name: `${this.#prefix}_${this.#count++}`, type, span }, span);
  }

  operand(name: string): Operand {
    const operand = this.instruction.operands[name];
    if (operand === undefined) throw new InternalError(`${this.instruction.row.name} lacks its operand ${name}`);
    return operand;
  }

  /** Returns the elements of a vector operand. */
  elements(name: string): readonly Argument[] {
    const operand = this.operand(name);
    if (operand.kind !== 'vector') throw new InternalError(`${name} is not a vector`);
    return operand.elements.map((element) => this.value(element, 'b32'));
  }

  /** Returns an operand as an argument. */
  value(operand: Operand, type: PtxType): Argument {
    if (operand.kind === 'register' || operand.kind === 'immediate') return operand;
    const d = this.register(type);
    this.add(`mov.${type}`, { d, a: operand });
    return d;
  }

  /** Returns an address operand as an argument: a generic or global address, or one in shared memory. */
  address(name: string, space: 'generic' | 'shared'): Argument {
    const { span } = this.instruction;
    const operand = this.operand(name);
    if (operand.kind !== 'address' || operand.base === null)
      return refuse(compileDiagnostics.notSupported('a copy without an address'), span);
    const { base, offset } = operand;
    const type = space === 'shared' ? 'b32' : 'b64';
    const bits = widthOf(type);
    if ('space' in base) {
      const symbol: Operand = { kind: 'symbol', variable: base, offset, span };
      const place = this.value(symbol, type);
      if (space === 'shared' || place.kind !== 'register') return place;
      const d = this.register('b64');
      this.add(`cvta.${base.space}.u64`, { d, a: place });
      return d;
    }
    let start = registerOperand(base, span);
    if (widthOf(base.type) !== bits) {
      const d = this.register(type);
      this.add(bits === 32 ? 'cvt.u32.u64' : 'cvt.u64.u32', { d, a: start });
      start = d;
    }
    if (offset === 0) return start;
    const d = this.register(type);
    const b: Operand = {
      kind: 'immediate',
      bits: BigInt.asUintN(bits, BigInt(offset)),
      type: space === 'shared' ? 'u32' : 'u64',
      span,
    };
    this.add(`add.u${bits}`, { d, a: start, b });
    return d;
  }

  /** Adds the call of a library function. */
  call(fn: LibraryFunction, args: readonly Argument[], results: readonly RegisterOperand[] = []): void {
    const { span } = this.instruction;
    const callee: CallOperand = { kind: 'call', callee: this.#library.nameOf(fn, span), results, args, span };
    this.add('call', { callee });
  }
}
