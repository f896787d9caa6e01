// Bulk copies as loops of the thread that begins them, in PTX: 16 bytes at a time, and then the bytes have come for the mbarrier. That is as early as PTX allows.
import type { PtxType } from '../../isa/index.ts';
import { matchOpcode } from '../../isa/match.ts';
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
import { compileDiagnostics, refuse } from '../diagnostics.ts';

const spaces: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'cp.async.bulk.load': ['global', 'shared'],
  'cp.async.bulk.move': ['shared', 'shared'],
  'cp.async.bulk.store': ['shared', 'global'],
};

/// Bytes that a step copies; a bulk copy is of whole ones.
const stepBytes = 16n;

/// The function with loops in place of its bulk copies; itself if it has none.
export function expandBulkCopies(fn: PtxFunction): PtxFunction {
  const isBulk = (statement: Statement) =>
    statement.kind === 'instruction' && Object.hasOwn(spaces, statement.row.name);
  if (!fn.body.some(isBulk)) return fn;
  const body = fn.body.flatMap((statement, number) => {
    const path = statement.kind === 'instruction' ? spaces[statement.row.name] : undefined;
    return statement.kind === 'instruction' && path
      ? new CopyLoop(statement, `$copy${number}`, path).write()
      : [statement];
  });
  return { ...fn, body };
}

class CopyLoop {
  private readonly copy: Instruction;
  private readonly name: string;
  private readonly path: readonly [from: string, to: string];
  private readonly span: Span;

  /// `name` begins the names of its registers and labels.
  constructor(copy: Instruction, name: string, path: readonly [from: string, to: string]) {
    this.copy = copy;
    this.name = name;
    this.path = path;
    this.span = copy.span;
  }

  write(): readonly Statement[] {
    const { span, copy, path } = this;
    const { n } = copy.operands;
    if (n === undefined) return refuse(compileDiagnostics.notSupported('a copy of no size'), span);
    const [source, target] = [this.pointer('a'), this.pointer('to')];
    const left = this.register('left', 'u32');
    const done = this.register('done', 'pred');
    const words = [0, 1, 2, 3].map((word) => this.operand(this.register(`word${word}`, 'b32')));
    const vector = { kind: 'vector', elements: words, span } as const;
    const [head, end] = [`${this.name}_head`, `${this.name}_end`];
    const skip = copy.guard && { ...copy.guard, negated: !copy.guard.negated };
    const move = (pointer: Pointer) =>
      this.instruction(`add.u${pointer.bits}`, {
        d: this.operand(pointer.register),
        a: this.operand(pointer.register),
        b: this.constant(stepBytes, `u${pointer.bits}`),
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
        b: this.constant(stepBytes, 'u32'),
      }),
      this.branch(`${this.name}_done`, { register: done, negated: false, span }),
      this.instruction(`ld.${path[0]}.v4.b32`, { d: vector, a: source.address }),
      this.instruction(`st.${path[1]}.v4.b32`, { a: target.address, b: vector }),
      move(source),
      move(target),
      this.instruction('sub.u32', { d: this.operand(left), a: this.operand(left), b: this.constant(stepBytes, 'u32') }),
      this.branch(head, undefined),
      { kind: 'label', name: `${this.name}_done`, span },
      ...(bar ? [this.instruction('mbarrier.complete_tx.shared::cta.b64', { a: bar, tx: n })] : []),
      { kind: 'label', name: end, span },
    ];
  }

  private instruction(opcode: string, operands: Readonly<Record<string, Operand>>): Instruction {
    const match = matchOpcode(opcode.split('.'));
    if (match === undefined) throw new Error(`no row for ${opcode}`);
    return {
      kind: 'instruction',
      row: match.pattern.row,
      mods: match.mods,
      operands,
      guard: undefined,
      span: this.span,
    };
  }

  private branch(target: string, guard: Guard | undefined): Instruction {
    return { ...this.instruction('bra', { target: { kind: 'label', target, span: this.span } }), guard };
  }

  private register(name: string, type: PtxType): Register {
    return { name: `${this.name}_${name}`, type, span: this.span };
  }

  private operand(register: Register) {
    return { kind: 'register', register, negated: false, span: this.span } as const;
  }

  private constant(bits: bigint, type: PtxType): Operand {
    return { kind: 'immediate', bits, type, span: this.span };
  }

  /// A register that begins as an address operand's, and moves.
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
      : { kind: 'register', register: base, negated: false, span };
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
