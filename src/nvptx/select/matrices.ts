// Selects NVVM's intrinsics of matrices: `wmma`, `mma` and `ldmatrix`.
import { at, missing } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { i32, intType, leavesOf, type ScalarType, type Type } from '../ir/types.ts';
import { rebuild } from './bits.ts';
import { classOf, inRegister, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

type Call = InstructionOf<'call'>;

/** Selects the intrinsic `name`, without `llvm.nvvm.`. Returns undefined for other intrinsics. */
export function selectMatrix(writer: Writer, name: string, call: Call): Scalar[] | undefined {
  const load = /^wmma\.(m\d+n\d+k\d+)\.load\.([abc])\.(row|col)(\.stride)?\.(\w+?)\.p\d+$/.exec(name);
  if (load !== null) {
    const [, shape = '', part = '', layout = '', stride, type = ''] = load;
    const opcode = `wmma.load.${part}.sync.aligned.${layout}.${shape}`;
    return loadMatrix(writer, opcode, type, call, stride !== undefined);
  }
  const store = /^wmma\.(m\d+n\d+k\d+)\.store\.d\.(row|col)(\.stride)?\.(\w+?)\.p\d+$/.exec(name);
  if (store !== null) {
    const [, shape = '', layout = '', stride, type = ''] = store;
    storeMatrix(writer, `wmma.store.d.sync.aligned.${layout}.${shape}`, type, call, stride !== undefined);
    return [];
  }
  const tiles = /^ldmatrix\.sync\.aligned\.(m\d+n\d+)\.(x\d)(\.trans)?\.(b\d+)\.p\d+$/.exec(name);
  if (tiles !== null) {
    const [, shape = '', count = '', transposed = '', type = ''] = tiles;
    return loadMatrix(writer, `ldmatrix.sync.aligned.${shape}.${count}${transposed}`, type, call, false);
  }
  const product =
    /^(wmma|mma)((?:\.(?:xor|and)\.popc)?)\.m(\d+)n(\d+)k(\d+)(?:\.mma)?((?:\.(?:xor|and)\.popc)?)\.(.+)$/.exec(name);
  if (product === null) return undefined;
  const [, kind = '', early = '', m = '', n = '', k = '', late = '', rest = ''] = product;
  const sizes = { m: Number(m), n: Number(n), k: Number(k) };
  return multiply(writer, { kind, operation: early || late, sizes, rest: rest.split('.') }, call);
}

function loadMatrix(writer: Writer, opcode: string, type: string, { args, type: result }: Call, isStrided: boolean) {
  const { space, address } = writer.access(writer.scalar(argument(args, 0)));
  const registers = resultRegisters(writer, result);
  const stride = isStrided ? `, ${writer.operand(writer.scalar(argument(args, 1)))}` : '';
  writer.emit(`${opcode}${space}.${type} \t${listOf(registers)}, ${address}${stride}`);
  return resultScalars(writer, result, registers);
}

function storeMatrix(writer: Writer, opcode: string, type: string, { args }: Call, isStrided: boolean): void {
  const { space, address } = writer.access(writer.scalar(argument(args, 0)));
  const values = args.slice(1, isStrided ? -1 : undefined).map(({ value }) => packed(writer, writer.scalars(value)));
  const stride = isStrided ? `, ${writer.operand(writer.scalar(argument(args, args.length - 1)))}` : '';
  writer.emit(`${opcode}${space}.${type} \t${address}, {${values.join(', ')}}${stride}`);
}

interface Product {
  readonly kind: string;
  /** The operation: `.xor.popc`, `.and.popc` or ''. */
  readonly operation: string;
  readonly sizes: { readonly m: number; readonly n: number; readonly k: number };
  /** The layouts, types and modifiers. */
  readonly rest: readonly string[];
}

const elementBits: Readonly<Record<string, number>> = {
  f64: 64,
  tf32: 32,
  f16: 16,
  bf16: 16,
  s8: 8,
  u8: 8,
  s4: 4,
  u4: 4,
  b1: 1,
};

/**
 * Selects a product. For f16, the intrinsic's name contains the types of D and C; otherwise it
 * contains the type of A, and that of B if it differs. PTX specifies all four types, except in
 * `wmma` of f16.
 */
function multiply(
  writer: Writer,
  { kind, operation, sizes, rest }: Product,
  { args, type }: Call,
): Scalar[] | undefined {
  const { m, n, k } = sizes;
  const [rows = '', columns = '', ...others] = rest;
  const types = others.filter((word) => word in elementBits || word === 'f32');
  const modifiers = others.filter((word) => !types.includes(word)).map((word) => `.${word}`);
  const [first = '', second = first] = types;
  const isHalf = types.every((word) => word === 'f16' || word === 'f32');
  const [left, right] = isHalf ? ['f16', 'f16'] : [first, second];
  const sum = { f64: 'f64', tf32: 'f32', bf16: 'f32' }[left] ?? 's32';
  const named =
    isHalf && kind === 'wmma' ? [first, second] : isHalf ? [first, left, right, second] : [sum, left, right, sum];
  const registersOf = (elements: number, word: string): number => {
    const bits = elementBits[word] ?? missing('the width of an element');
    return Math.max(1, (elements * bits) / 32 / (bits === 64 ? 64 : 32));
  };
  // In `wmma`, each lane has each element of f16 twice. The smallest shape of `mma` computes four
  // products.
  const isDoubled = isHalf && kind === 'wmma';
  const isQuad = isHalf && m === 8 && k === 4;
  const counts = isDoubled ? [8, 8] : isQuad ? [2, 2] : [registersOf(m * k, left), registersOf(k * n, right)];
  const values = args.map(({ value }) => packed(writer, writer.scalars(value)));
  const [a = 0, b = 0] = counts;
  const parts = [values.slice(0, a), values.slice(a, a + b), values.slice(a + b)];
  const registers = resultRegisters(writer, type);
  const shape = `m${m}n${n}k${k}`;
  const opcode =
    kind === 'wmma'
      ? `wmma.mma${operation}.sync.aligned.${rows}.${columns}.${shape}.${named.join('.')}${modifiers.join('')}`
      : `mma.sync.aligned.${shape}.${rows}.${columns}${modifiers.join('')}.${named.join('.')}${operation}`;
  const operands = [listOf(registers), ...parts.map((part) => `{${part.join(', ')}}`)];
  writer.emit(`${opcode} \t${operands.join(', ')}`);
  return resultScalars(writer, type, registers);
}

/**
 * Returns the parts of a result, each of which is in one register. A pair of halves is one word.
 */
function partsOf(type: Type): readonly Type[] {
  return type.kind === 'struct' ? type.fields : [type];
}

function resultRegisters(writer: Writer, type: Type): Scalar[] {
  return partsOf(type).map((part) => {
    const held: ScalarType = part.kind === 'vector' ? i32 : at(leavesOf(part), 0, 'the scalar').type;
    return inRegister(held, writer.register(classOf(held)));
  });
}

function resultScalars(writer: Writer, type: Type, registers: readonly Scalar[]): Scalar[] {
  return partsOf(type).flatMap((part, index) => {
    const types = leavesOf(part).map((leaf) => leaf.type);
    return rebuild(writer, [at(registers, index, 'the register')], types);
  });
}

const listOf = (registers: readonly Scalar[]): string => `{${registers.map(({ text }) => text).join(', ')}}`;

/** Returns the register that contains one operand. A pair of halves is one word. */
function packed(writer: Writer, scalars: readonly Scalar[]): string {
  const [first] = scalars;
  if (first !== undefined && scalars.length === 1) return writer.inRegister(first);
  return writer.inRegister(at(rebuild(writer, scalars, [intType(32)]), 0, 'the word'));
}

const argument = (args: Call['args'], index: number) => at(args, index, 'the argument').value;
