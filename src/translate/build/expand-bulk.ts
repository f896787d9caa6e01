// Expands each bulk copy to a loop in PTX. The thread that starts the copy executes the loop, and
// copies 16 bytes per iteration. Then the bytes arrive at the mbarrier. PTX allows a copy to
// complete this early. Asynchronous stores and updates also complete immediately.
import type { AsyncUpdateRowName, PtxType } from '../../isa/index.ts';
import type {
  AddressOperand,
  Guard,
  Instruction,
  Operand,
  PtxFunction,
  Register,
  Span,
  Statement,
} from '../../ptx/ast.ts';
import { makeInstruction, registerOperand, wordOperand } from '../../ptx/make-instruction.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';

/** The state spaces between which bulk copies transfer. */
const spaces: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'cp.async.bulk.load': ['global', 'shared'],
  'cp.async.bulk.move': ['shared', 'shared'],
  'cp.async.bulk.store': ['shared', 'global'],
  'cp.reduce.async.bulk.move': ['shared', 'shared'],
  'cp.reduce.async.bulk.store': ['shared', 'global'],
};

/** Rows that store to or update one place of shared memory. */
const updates: ReadonlySet<string> = new Set<AsyncUpdateRowName>(['st.async', 'red.async']);

/**
 * An iteration of a loop: loads a number of registers, and stores them or updates memory with them.
 */
interface Step {
  readonly bytes: bigint;
  readonly count: number;
  readonly type: PtxType;
  readonly load: string;
  readonly put: string;
}

/**
 * Returns the step of a bulk copy. A plain copy consists of units of 16 bytes; a reduction updates
 * four 16-bit elements or one wider element per step.
 */
function stepOf({ mods }: Instruction, [from, to]: readonly [from: string, to: string]): Step {
  const { op, type = 'b32' } = mods;
  if (op === undefined) return { bytes: 16n, count: 4, type: 'b32', load: `ld.${from}.v4.b32`, put: `st.${to}.v4.b32` };
  if (type.endsWith('f16')) {
    const noftz = `red.${to}.v2.${op}.noftz.${type}x2`;
    return { bytes: 8n, count: 2, type: 'b32', load: `ld.${from}.v2.b32`, put: noftz };
  }
  // In global memory, only `red` with `.noftz` keeps subnormal f32 sums.
  const noftz = type === 'f32' ? '.noftz' : '';
  const bits = type.slice(1) === '64' ? 64 : 32;
  return {
    bytes: BigInt(bits / 8),
    count: 1,
    type: `b${bits}`,
    load: `ld.${from}.b${bits}`,
    put: `red.${to}.${op}${noftz}.${type}`,
  };
}

/**
 * Returns the function with loops instead of its bulk copies. Returns a function without bulk
 * copies unchanged.
 */
export function expandBulkCopies(fn: PtxFunction): PtxFunction {
  const isBulk = (statement: Statement) =>
    statement.kind === 'instruction' && (Object.hasOwn(spaces, statement.row.name) || updates.has(statement.row.name));
  if (!fn.body.some(isBulk)) return fn;
  const body = fn.body.flatMap((statement, number) => {
    if (statement.kind !== 'instruction') return [statement];
    if (updates.has(statement.row.name)) return updateAtOnce(statement);
    const path = spaces[statement.row.name];
    return path ? new CopyLoop(statement, `$copy${number}`, path).write() : [statement];
  });
  return { ...fn, body };
}

/** Returns PTX that executes the store or update, and then the arrival of its bytes. */
function updateAtOnce({ mods, operands, guard, span }: Instruction): readonly Statement[] {
  const { a, b, bar } = operands;
  const { op, type = 'b32', vec, space } = mods;
  if (a === undefined || b === undefined || bar === undefined)
    return refuse(compileDiagnostics.notSupported('a store without a value'), span);
  const where = space === undefined ? '' : '.shared';
  const count = b.kind === 'vector' ? b.elements.length : 1;
  const tx = wordOperand((count * Number(type.slice(1))) / 8, span);
  const opcode =
    op === undefined
      ? `st${where}${vec === undefined ? '' : `.${vec}`}.${type}`
      : `red${where}.${op}.${type === 's64' ? 'u64' : type}`;
  return [
    makeInstruction(opcode, { a, b }, span, guard),
    makeInstruction(`mbarrier.complete_tx${where}.b64`, { a: bar, tx }, span, guard),
  ];
}

class CopyLoop {
  private readonly copy: Instruction;
  private readonly name: string;
  private readonly path: readonly [from: string, to: string];
  private readonly span: Span;

  /** `name` is the prefix of the expansion's registers and labels. */
  constructor(copy: Instruction, name: string, path: readonly [from: string, to: string]) {
    this.copy = copy;
    this.name = name;
    this.path = path;
    this.span = copy.span;
  }

  write(): readonly Statement[] {
    const { span, copy, path } = this;
    const { n } = copy.operands;
    if (n === undefined) return refuse(compileDiagnostics.notSupported('a copy without a size'), span);
    const [source, target] = [this.pointer('a'), this.pointer('to')];
    const left = this.register('left', 'u32');
    const done = this.register('done', 'pred');
    const step = stepOf(copy, path);
    const words = Array.from({ length: step.count }, (_, word) =>
      this.operand(this.register(`word${word}`, step.type)),
    );
    const [word] = words;
    if (word === undefined) return refuse(compileDiagnostics.notSupported('a copy without registers'), span);
    const value: Operand = step.count === 1 ? word : { kind: 'vector', elements: words, span };
    const [head, end] = [`${this.name}_head`, `${this.name}_end`];
    const skip = copy.guard && { ...copy.guard, negated: !copy.guard.negated };
    const move = (pointer: Pointer) =>
      this.instruction(`add.u${pointer.bits}`, {
        d: this.operand(pointer.register),
        a: this.operand(pointer.register),
        b: this.constant(step.bytes, `u${pointer.bits}`),
      });
    const { bar } = copy.operands;
    return [
      ...(skip ? [this.branch(end, skip)] : []),
      source.set,
      target.set,
      this.instruction('mov.u32', { d: this.operand(left), a: n }),
      { kind: 'label', name: head, span },
      this.instruction('setp.lt.u32', {
        p: this.operand(done),
        a: this.operand(left),
        b: this.constant(step.bytes, 'u32'),
      }),
      this.branch(`${this.name}_done`, { register: done, negated: false, span }),
      this.instruction(step.load, { d: value, a: source.address }),
      this.instruction(step.put, { a: target.address, b: value }),
      move(source),
      move(target),
      this.instruction('sub.u32', {
        d: this.operand(left),
        a: this.operand(left),
        b: this.constant(step.bytes, 'u32'),
      }),
      this.branch(head, undefined),
      { kind: 'label', name: `${this.name}_done`, span },
      ...(bar ? [this.instruction('mbarrier.complete_tx.shared::cta.b64', { a: bar, tx: n })] : []),
      { kind: 'label', name: end, span },
    ];
  }

  private instruction(opcode: string, operands: Readonly<Record<string, Operand>>): Instruction {
    return makeInstruction(opcode, operands, this.span);
  }

  private branch(target: string, guard: Guard | undefined): Instruction {
    return { ...this.instruction('bra', { target: { kind: 'label', target, span: this.span } }), guard };
  }

  private register(name: string, type: PtxType): Register {
    return { name: `${this.name}_${name}`, type, span: this.span };
  }

  private operand(register: Register) {
    return registerOperand(register, this.span);
  }

  private constant(bits: bigint, type: PtxType): Operand {
    return { kind: 'immediate', bits, type, span: this.span };
  }

  /**
   * Returns a register with the initial value of an address operand. The loop increments the
   * register.
   */
  private pointer(name: 'a' | 'to'): Pointer {
    const { span } = this;
    const address = this.copy.operands[name];
    if (address?.kind !== 'address' || address.base === null)
      return refuse(compileDiagnostics.notSupported('a copy without an address'), span);
    const { base, offset } = address;
    const isVariable = 'space' in base;
    const bits = !isVariable && (base.type.endsWith('32') || base.type === 'b32') ? 32 : 64;
    const register = this.register(name, `b${bits}`);
    const value: Operand = isVariable
      ? { kind: 'symbol', variable: base, offset: 0, span }
      : registerOperand(base, span);
    return {
      bits,
      register,
      set: this.instruction(`mov.b${bits}`, { d: this.operand(register), a: value }),
      address: { kind: 'address', base: register, offset, span },
    };
  }
}

interface Pointer {
  readonly bits: 32 | 64;
  readonly register: Register;
  readonly set: Instruction;
  readonly address: AddressOperand;
}
