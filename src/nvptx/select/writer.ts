// The PTX of a function under construction: its registers, its lines and the scalars of its values.
import { at, get, InternalError } from '../../base/invariants.ts';
import { countOf } from '../../base/maps.ts';
import type { Span } from '../../ptx/ast.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { ConstantExpression, Value } from '../ir/module.ts';
import { bitsOf, i32, i64, intType, leavesOf, pointerTo, type ScalarType, spaces } from '../ir/types.ts';
import type { ModuleNames } from './names.ts';
import { constantOffset } from './offsets.ts';
import {
  classOf,
  constantOf,
  floatSuffix,
  inRegister,
  isNarrow,
  type RegisterClass,
  registerBits,
  type Scalar,
  spaceNames,
} from './scalar.ts';

const prefixes: Readonly<Record<RegisterClass, string>> = {
  pred: '%p',
  b16: '%rs',
  b32: '%r',
  b64: '%rd',
  f32: '%f',
  f64: '%fd',
};

export class Writer {
  readonly names: ModuleNames;
  /** Whether f32 arithmetic flushes subnormals. */
  readonly flushes: boolean;
  readonly lines: string[] = [];
  private readonly counts = new Map<RegisterClass, number>();
  private readonly values = new Map<string, readonly Scalar[]>();
  /**
   * For a 64-bit register that extends a 32-bit register: the 32-bit register, and whether the sign
   * is extended.
   */
  private readonly origins = new Map<string, { readonly text: string; readonly sign: 's' | 'u' }>();
  private labels = 0;
  /** The place of the instruction that is being selected. */
  span: Span = { start: 0, end: 0 };

  constructor(names: ModuleNames, flushes: boolean) {
    this.names = names;
    this.flushes = flushes;
  }

  /**
   * Returns PTX's name of a float type in arithmetic. The name includes `ftz` if subnormals are
   * flushed.
   */
  floatName(type: ScalarType): string {
    return this.flushes && type.kind === 'float' ? 'ftz.f32' : floatSuffix(type);
  }

  emit(line: string): void {
    this.lines.push(`\t${line};`);
  }

  label(name: string): void {
    this.lines.push(`${name}:`);
  }

  newLabel(): string {
    return `$L_${this.names.nextLabel()}_${this.labels++}`;
  }

  register(kind: RegisterClass): string {
    const count = countOf(this.counts, kind);
    this.counts.set(kind, count + 1);
    return `${prefixes[kind]}${count}`;
  }

  /** Returns the declarations of all registers used. */
  declarations(): string[] {
    return [...this.counts].map(([kind, count]) => `\t.reg .${kind} \t${prefixes[kind]}<${count}>;`);
  }

  /** Emits `opcode` with a new register of `type` as its destination, and returns the register. */
  compute(opcode: string, type: ScalarType, ...operands: readonly string[]): Scalar {
    const text = this.register(classOf(type));
    this.emit(`${opcode} \t${[text, ...operands].join(', ')}`);
    return inRegister(type, text);
  }

  bind(name: string, scalars: readonly Scalar[]): void {
    this.values.set(name, scalars);
  }

  unsupported(what: string, hint?: string): never {
    throw new SyntaxFailure(llvmDiagnostics.unsupported(this.span, what, hint));
  }

  /** Returns the scalars of a value. Constants are immediates if their type has immediates. */
  scalars(value: Value): readonly Scalar[] {
    switch (value.kind) {
      case 'local': {
        const known = this.values.get(value.name);
        if (known === undefined) throw new SyntaxFailure(llvmDiagnostics.undefinedName(value.span, `%${value.name}`));
        return known;
      }
      case 'int':
        return [constantOf(value.type, value.value)];
      case 'float':
        return [constantOf(value.type, value.bits)];
      case 'null':
        return [constantOf(value.type, 0n)];
      case 'zero':
      case 'undefined':
        return leavesOf(value.type).map(({ type }) => constantOf(type, 0n));
      case 'aggregate':
        return value.elements.flatMap((element) => this.scalars(element));
      case 'global':
        return [this.names.address(value.name, value.span)];
      case 'expression':
        return [this.expression(value)];
      case 'asm':
        throw new InternalError('assembly is not a value');
    }
  }

  /** Returns the value of a constant expression. */
  private expression(value: ConstantExpression): Scalar {
    const first = this.scalar(at(value.operands, 0, 'the operand'));
    switch (value.op) {
      case 'addrspacecast':
        // The address remains in its own space, which is narrower, until an operation needs a
        // generic address.
        return value.type.kind === 'ptr' && value.type.space !== spaces.generic
          ? this.inSpace(first, value.type.space)
          : first;
      case 'getelementptr': {
        const offset = value.element && constantOffset(value.element, value.operands.slice(1));
        if (offset === undefined) break;
        return { ...first, offset: first.offset + offset };
      }
      case 'inttoptr':
        return { ...first, type: pointerTo(spaces.generic) };
      case 'ptrtoint': {
        if (value.type.kind !== 'int') break;
        const { type } = at(value.operands, 0, 'the operand');
        const address = inRegister(i64, this.inRegister(this.inSpace(first, type.kind === 'ptr' ? type.space : 0)));
        return this.resized(address, value.type.bits, 'zero');
      }
      case 'add':
      case 'sub': {
        const { type } = value;
        if (type.kind !== 'int' || (type.bits !== 32 && type.bits !== 64)) break;
        const second = this.scalar(at(value.operands, 1, 'the second operand'));
        return this.compute(`${value.op}.s${type.bits}`, type, this.operand(first), this.operand(second));
      }
    }
    return this.unsupported(`the constant expression \`${value.op}\``);
  }

  /** Returns the scalar of a value that has only one. */
  scalar(value: Value): Scalar {
    const scalars = this.scalars(value);
    if (scalars.length !== 1) return this.unsupported('an aggregate here');
    return at(scalars, 0, 'the scalar');
  }

  /** Returns an operand: a register, or an immediate if the type has immediates. */
  operand(scalar: Scalar): string {
    const { type, constant, text } = scalar;
    if (type.kind === 'ptr') return this.plainPointer(scalar);
    if (constant !== undefined && (registerBits(type) === 16 || registerBits(type) === 1))
      return this.inRegister(scalar);
    return text;
  }

  /** Returns the name of a register that contains the scalar. */
  inRegister(scalar: Scalar): string {
    const { type, constant, text } = scalar;
    if (type.kind === 'ptr') {
      const plain = this.plainPointer(scalar);
      return constant === undefined || scalar.offset !== 0 ? plain : this.compute('mov.u64', type, plain).text;
    }
    if (constant === undefined) return text;
    if (registerBits(type) === 1) {
      const number = this.compute('mov.b32', i32, String(constant)).text;
      return this.compute('setp.ne.b32', type, number, '0').text;
    }
    return this.compute(
      `mov.${classOf(type)}`,
      type,
      type.kind === 'half' || type.kind === 'bfloat' ? String(constant) : text,
    ).text;
  }

  /** Returns an address as one operand, after adding its offset. */
  private plainPointer(pointer: Scalar): string {
    const { type, text, offset, isSymbol, constant } = pointer;
    if (constant !== undefined && !isSymbol) return String(constant + BigInt(offset));
    const base = isSymbol ? this.compute('mov.u64', type, text).text : text;
    return offset === 0 ? base : this.compute('add.s64', type, base, String(offset)).text;
  }

  /** Returns the pointer as an address in `space`. */
  inSpace(pointer: Scalar, space: number): Scalar {
    const { type } = pointer;
    if (type.kind !== 'ptr') throw new InternalError('not a pointer');
    if (type.space === space) return pointer;
    const wanted = pointerTo(space);
    if (pointer.constant !== undefined && pointer.offset === 0 && (space === spaces.global || space === spaces.generic))
      return constantOf(wanted, pointer.constant);
    if (type.space !== spaces.generic && space !== spaces.generic)
      return this.inSpace(this.inSpace(pointer, spaces.generic), space);
    const [opcode, named] = space === spaces.generic ? ['cvta', type.space] : ['cvta.to', space];
    return this.compute(`${opcode}${get(spaceNames, named, 'the state space')}.u64`, wanted, this.inRegister(pointer));
  }

  /** Returns a generic address. */
  generic(pointer: Scalar): Scalar {
    return this.inSpace(pointer, spaces.generic);
  }

  /** Returns the state space and address operand of an access through `pointer`. */
  access(pointer: Scalar, more = 0): { readonly space: string; readonly address: string } {
    const { type, text, isSymbol, constant } = pointer;
    if (type.kind !== 'ptr') throw new InternalError('not a pointer');
    const space = get(spaceNames, type.space, 'the state space');
    const base = constant === undefined || isSymbol ? text : this.inRegister({ ...pointer, offset: 0 });
    const offset = pointer.offset + more;
    return { space, address: offset === 0 ? `[${base}]` : `[${base}+${offset}]` };
  }

  /** Fills the bits above the width of a scalar with zeros or its sign. */
  extended(scalar: Scalar, upper: 'zero' | 'sign'): Scalar {
    const { type, constant } = scalar;
    if (type.kind !== 'int' || !isNarrow(type) || type.bits === 1) return scalar;
    const width = registerBits(type);
    if (constant !== undefined) {
      const value = upper === 'sign' ? BigInt.asIntN(type.bits, constant) : constant;
      return { ...scalar, text: String(value), upper };
    }
    if (scalar.upper === upper) return scalar;
    const filled =
      upper === 'zero'
        ? this.compute(`and.b${width}`, type, scalar.text, String((1n << BigInt(type.bits)) - 1n))
        : this.compute(`bfe.s${width}`, type, scalar.text, '0', String(type.bits));
    return { ...filled, upper };
  }

  /** Extends or truncates an integer to a register of `bits` bits. */
  resized(scalar: Scalar, bits: number, upper: 'zero' | 'sign'): Scalar {
    const type = intType(bits);
    if (scalar.constant !== undefined) {
      const own = bitsOf(scalar.type);
      return constantOf(type, upper === 'sign' ? BigInt.asIntN(own, scalar.constant) : scalar.constant);
    }
    const from = registerBits(scalar.type);
    const to = registerBits(type);
    if (from === 1 && to > 1) {
      const one = upper === 'sign' ? '-1' : '1';
      return { ...this.compute(`selp.b${to}`, type, one, '0', scalar.text), upper };
    }
    if (to === 1 && from > 1) {
      const bit = this.compute(`and.b${from}`, scalar.type, scalar.text, '1');
      return this.compute(`setp.ne.b${from}`, type, bit.text, '0');
    }
    const grows = bits > bitsOf(scalar.type);
    const source = grows ? this.extended(scalar, upper) : scalar;
    if (from === to) return { ...source, type, upper: grows && isNarrow(type) ? upper : 'any' };
    const sign = upper === 'sign' ? 's' : 'u';
    const result = this.compute(`cvt.${sign}${to}.${sign}${from}`, type, source.text);
    if (from === 32 && to === 64 && grows) this.origins.set(result.text, { text: source.text, sign });
    return { ...result, upper: grows && isNarrow(type) ? upper : 'any' };
  }

  /**
   * Returns the 32-bit register that a 64-bit register extends, or undefined if it extends none.
   */
  widenedFrom(register: string): { readonly text: string; readonly sign: 's' | 'u' } | undefined {
    return this.origins.get(register);
  }

  /** Returns a byte offset or index as a 64-bit operand. */
  index(scalar: Scalar): Scalar {
    return this.resized(scalar, i64.bits, 'sign');
  }
}
