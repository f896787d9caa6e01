// Selects atomic updates and fences.
import type { Atomicity, InstructionOf } from '../ir/module.ts';
import { bitsOf, i1, isFloat, type ScalarType } from '../ir/types.ts';
import { negate } from './arithmetic.ts';
import { scopeText } from './memory.ts';
import { floatSuffix, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/** The operation and the letter of its type, by LLVM's name. */
const updates: ReadonlyMap<string, readonly [operation: string, letter: string]> = new Map([
  ['xchg', ['exch', 'b']],
  ['add', ['add', 'u']],
  ['sub', ['add', 'u']],
  ['and', ['and', 'b']],
  ['or', ['or', 'b']],
  ['xor', ['xor', 'b']],
  ['max', ['max', 's']],
  ['min', ['min', 's']],
  ['umax', ['max', 'u']],
  ['umin', ['min', 'u']],
  ['uinc_wrap', ['inc', 'u']],
  ['udec_wrap', ['dec', 'u']],
  ['fadd', ['add', 'f']],
  ['fsub', ['add', 'f']],
]);

/**
 * Returns the order and scope of an atomic update. Emits the fence of a sequentially consistent
 * update.
 */
function orderOf(writer: Writer, { ordering, scope }: Atomicity): string {
  const where = scopeText(writer, scope);
  if (ordering === 'seq_cst') writer.emit(`fence.sc.${where}`);
  const order =
    ordering === 'seq_cst' ? 'acquire' : ordering === 'monotonic' || ordering === 'unordered' ? 'relaxed' : ordering;
  return `.${order}.${where}`;
}

export function selectUpdate(
  writer: Writer,
  { code, pointer, value, atomic, type }: InstructionOf<'atomicrmw'>,
): Scalar[] {
  const target = writer.scalar(pointer);
  const scalar = writer.scalar(value);
  const found = updates.get(code);
  if (found === undefined) return writer.unsupported(`the atomic operation \`${code}\``);
  const [operation, letter] = found;
  const order = orderOf(writer, atomic);
  const { space, address } = writer.access(target);
  const source = code === 'sub' ? negatedInteger(writer, scalar) : code === 'fsub' ? negate(writer, scalar) : scalar;
  const leaf = scalar.type.kind === 'ptr' ? writer.generic(source) : source;
  const suffix = typeSuffix(writer, leaf.type, letter);
  // Atomic sums of f16 and bf16 keep subnormals. PTX requires the modifier for this.
  const noFtz = suffix === 'f16' || suffix === 'bf16' ? '.noftz' : '';
  if (type.kind === 'void') return writer.unsupported('an atomic operation without a result');
  return [
    writer.compute(`atom${order}${space}.${operation}${noFtz}.${suffix}`, leaf.type, address, writer.inRegister(leaf)),
  ];
}

function typeSuffix(writer: Writer, type: ScalarType, letter: string): string {
  if (isFloat(type) && letter === 'f') return floatSuffix(type);
  const bits = bitsOf(type);
  if (bits !== 32 && bits !== 64) return writer.unsupported(`an atomic operation on ${bits} bits`);
  return `${letter}${bits}`;
}

function negatedInteger(writer: Writer, scalar: Scalar): Scalar {
  return writer.compute(`neg.s${registerBits(scalar.type)}`, scalar.type, writer.operand(scalar));
}

export function selectCompareExchange(
  writer: Writer,
  { pointer, expected, value, atomic }: InstructionOf<'cmpxchg'>,
): Scalar[] {
  const target = writer.scalar(pointer);
  const [old, next] = [expected, value].map((part) => {
    const scalar = writer.scalar(part);
    return scalar.type.kind === 'ptr' ? writer.generic(scalar) : scalar;
  });
  if (old === undefined || next === undefined) return writer.unsupported('this exchange');
  const bits = bitsOf(old.type);
  if (bits < 16) return writer.unsupported(`a compare-and-exchange of ${bits} bits`);
  const order = orderOf(writer, atomic);
  const { space, address } = writer.access(target);
  const [before, after] = [writer.inRegister(old), writer.inRegister(next)];
  const found = writer.compute(`atom${order}${space}.cas.b${bits}`, old.type, address, before, after);
  return [found, writer.compute(`setp.eq.b${bits}`, i1, found.text, before)];
}

export function selectFence(writer: Writer, { atomic }: InstructionOf<'fence'>): void {
  if (atomic.scope === 'singlethread') return;
  const scope = scopeText(writer, atomic.scope);
  writer.emit(`fence.${atomic.ordering === 'seq_cst' ? 'sc' : 'acq_rel'}.${scope}`);
}
