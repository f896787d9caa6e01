// Writes the call of a library function that replaces an instruction.
import { InternalError } from '../../base/invariants.ts';
import type { PtxType } from '../../isa/index.ts';
import type { CallOperand, ImmediateOperand, Instruction, Operand, RegisterOperand, Statement } from '../../ptx/ast.ts';
import { makeInstruction, registerOperand, wordOperand } from '../../ptx/make-instruction.ts';
import { widthOf } from '../../ptx/types.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { Library } from '../image/function-library.ts';
import type { LibraryFunction } from '../image/library-function.ts';

export type Argument = ImmediateOperand | RegisterOperand;

export class CallWriter {
  readonly instruction: Instruction;
  readonly #library: Library;
  readonly #prefix: string;
  readonly #statements: Statement[];
  #count = 0;

  /** `prefix` is the prefix of the names of the new registers. */
  constructor(instruction: Instruction, library: Library, prefix: string, statements: Statement[] = []) {
    this.#statements = statements;
    this.instruction = instruction;
    this.#library = library;
    this.#prefix = prefix;
  }

  /** Returns a writer to the same list, whose guard is bit `number` of a mask. */
  where(mask: RegisterOperand, number: number): CallWriter {
    const { span } = this.instruction;
    const [bit, isSet] = [this.register('u32'), this.register('pred')];
    this.#statements.push(makeInstruction('and.b32', { d: bit, a: mask, b: wordOperand(2 ** number, span) }, span));
    this.#statements.push(makeInstruction('setp.ne.u32', { p: isSet, a: bit, b: wordOperand(0, span) }, span));
    const guard = { register: isSet.register, negated: false, span };
    return new CallWriter({ ...this.instruction, guard }, this.#library, `${this.#prefix}_${number}`, this.#statements);
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

  /** Returns the 16-bit elements of a vector operand as words; none if the instruction lacks it. */
  words(name: string): readonly RegisterOperand[] {
    const operand = this.instruction.operands[name];
    if (operand === undefined) return [];
    if (operand.kind !== 'vector') throw new InternalError(`${name} is not a vector`);
    return operand.elements.map((element) => {
      const d = this.register('u32');
      this.add('cvt.u32.u16', { d, a: this.value(element, 'u16') });
      return d;
    });
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

  /** Returns a register for the number of a fault: 0 in threads that do not execute the instruction. */
  fault(): RegisterOperand {
    const d = this.register('u32');
    const { guard, span } = this.instruction;
    if (guard !== undefined) this.#statements.push(makeInstruction('mov.u32', { d, a: wordOperand(0, span) }, span));
    return d;
  }

  /** Returns a mask of 16 bits as a word: 0 in threads that do not execute the instruction. */
  mask(name: string): RegisterOperand {
    const d = this.fault();
    this.add('cvt.u32.u16', { d, a: this.value(this.operand(name), 'u16') });
    return d;
  }

  /** Sets a fault if a word is at least `limit`. */
  setWhereAtLeast(fault: RegisterOperand, value: RegisterOperand, limit: number, number: number): void {
    const { span } = this.instruction;
    const isOver = this.register('pred');
    this.add('setp.ge.u32', { p: isOver, a: value, b: wordOperand(limit, span) });
    this.add('selp.u32', { d: fault, a: wordOperand(number, span), b: wordOperand(0, span), c: isOver });
  }

  /** Returns the same place in the shared memory of block `rank` of the cluster. */
  inBlock(address: Argument, rank: number): RegisterOperand {
    const d = this.register('b32');
    this.add('mapa.shared::cluster.u32', { d, a: address, b: wordOperand(rank, this.instruction.span) });
    return d;
  }

  addressAt({ register, span }: RegisterOperand): Operand {
    return { kind: 'address', base: register, offset: 0, span };
  }

  /** Reports a fault other than 0. The thread continues, so that other threads do not wait for it. */
  reportFault(fault: RegisterOperand): void {
    const { span } = this.instruction;
    const isFault = this.register('pred');
    this.#statements.push(makeInstruction('setp.ne.u32', { p: isFault, a: fault, b: wordOperand(0, span) }, span));
    const callee: CallOperand = {
      kind: 'call',
      callee: 'tensor fault',
      service: 'tensor fault',
      results: [],
      args: [fault],
      span,
    };
    const guard = { register: isFault.register, negated: false, span };
    this.#statements.push(makeInstruction('call', { callee }, span, guard));
  }

  /** Adds the call of a library function. */
  call(fn: LibraryFunction, args: readonly Argument[], results: readonly RegisterOperand[] = []): void {
    const { span } = this.instruction;
    const callee: CallOperand = { kind: 'call', callee: this.#library.nameOf(fn, span), results, args, span };
    this.add('call', { callee });
  }
}
