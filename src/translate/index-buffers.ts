// Addresses of buffers as a pointer, an index and a constant: `in[i]` is `mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2` in PTX, and the
// index itself in WGSL. The sum is PTX's, in 64 bits; a place inside a buffer below 4 GiB has an index below 2^30, so that the index as a
// 32-bit register says all of it, wrapping included.
import type { AddressOperand, Instruction, Operand, Register } from '../ptx/ast.ts';
import { findLasting } from './find-lasting.ts';
import { type Block, definedRegisters, mapOperands } from './ir.ts';
import { spaceOf } from './memory-access.ts';

/// A 64-bit value: a kernel's pointer, if one is part of it, a register times a scale, and bytes.
interface Sum {
  readonly pointer?: Register;
  readonly index?: { readonly register: Register; readonly scale: number };
  readonly offset: number;
}

/// Constants that no sum of a few makes too large for WGSL's 32 bits.
const mostOffset = 2 ** 28;
const mostScale = 2 ** 16;

export function indexBuffers(blocks: readonly Block[]): Block[] {
  const lasting = findLasting(blocks);
  /// Of registers that last, made of registers that last.
  const everywhere = new Map<string, Sum>();
  return blocks.map(({ code, end }) => {
    const sums = new BlockSums(lasting, everywhere);
    const indexed = code.map((instruction) => {
      const result = reachesArrays(instruction)
        ? instruction
        : mapOperands(instruction, (operand) => (operand.kind === 'address' ? indexedAddress(operand, sums) : operand));
      sums.follow(instruction);
      return result;
    });
    return { code: indexed, end };
  });
}

/// Whether the address is one of a space whose indexes another pass finds.
const reachesArrays = (instruction: Instruction): boolean => /^(shared|local)$/.test(spaceOf(instruction) ?? '');

/// The address with an index of whole words, where it has one.
function indexedAddress(address: AddressOperand, sums: BlockSums): AddressOperand {
  const { base } = address;
  if (base === null || 'space' in base) return address;
  const sum = sums.of(base);
  const offset = address.offset + (sum?.offset ?? 0);
  if (!sum?.pointer || !sum.index || sum.index.scale % 4 !== 0 || offset % 4 !== 0) return address;
  return { ...address, base: sum.pointer, index: sum.index, offset };
}

/// What registers hold at one point of a block.
class BlockSums {
  private readonly lasting: ReadonlySet<string>;
  private readonly everywhere: Map<string, Sum>;
  private readonly here = new Map<string, Sum>();
  /// Registers written in this block whose values are part of sums, with those.
  private readonly parts = new Map<string, string[]>();

  constructor(lasting: ReadonlySet<string>, everywhere: Map<string, Sum>) {
    this.lasting = lasting;
    this.everywhere = everywhere;
  }

  of({ name }: Register): Sum | undefined {
    return this.here.get(name) ?? this.everywhere.get(name);
  }

  follow(instruction: Instruction): void {
    const { d } = instruction.operands;
    const sum = d?.kind === 'register' && !instruction.guard ? this.result(instruction, d.register) : undefined;
    for (const { name } of definedRegisters(instruction)) {
      this.here.delete(name);
      for (const dependent of this.parts.get(name) ?? []) this.here.delete(dependent);
      this.parts.delete(name);
    }
    if (sum === undefined || d?.kind !== 'register') return;
    const { name } = d.register;
    const part = sum.index?.register.name;
    if (part === name) return;
    if (this.lasting.has(name) && (part === undefined || this.lasting.has(part))) {
      this.everywhere.set(name, sum);
      return;
    }
    this.here.set(name, sum);
    if (part !== undefined) this.parts.set(part, [...(this.parts.get(part) ?? []), name]);
  }

  private operand(operand: Operand | undefined): Sum | undefined {
    if (operand?.kind === 'register') return this.of(operand.register);
    return operand?.kind === 'immediate' ? { offset: Number(BigInt.asIntN(64, operand.bits)) } : undefined;
  }

  private result({ row, mods, operands }: Instruction, d: Register): Sum | undefined {
    const { a, b, c } = operands;
    const wide = /^[bsu]64$/.test(mods.type ?? '');
    switch (row.name) {
      case 'ld':
        return a?.kind === 'address' && this.isPointer(a, d) ? { pointer: d, offset: 0 } : undefined;
      case 'mov':
      case 'cvta':
      case 'cvta.to': {
        const sum = wide && !/^(shared|local)/.test(mods.space ?? '') ? this.operand(a) : undefined;
        // A copy of a pointer is one that its readers know.
        return sum?.pointer && !sum.index && sum.offset === 0 && this.lasting.has(d.name)
          ? { pointer: d, offset: 0 }
          : sum;
      }
      case 'add':
        return wide ? plus(this.operand(a), this.operand(b)) : undefined;
      case 'sub':
        return wide && b?.kind === 'immediate' ? plus(this.operand(a), negative(this.operand(b))) : undefined;
      case 'shl':
        return wide ? times(a, b?.kind === 'immediate' && b.bits < 32n ? 2 ** Number(b.bits) : undefined) : undefined;
      case 'mul':
        return wide && mods.half === 'lo' ? times(a, numberOf(b)) : undefined;
      case 'mad':
        return wide && mods.half === 'lo' ? plus(times(a, numberOf(b)), this.operand(c)) : undefined;
      case 'mul.wide':
        return /32$/.test(mods.type ?? '') ? times(a, numberOf(b)) : undefined;
      case 'mad.wide':
        return /32$/.test(mods.type ?? '') ? plus(times(a, numberOf(b)), this.operand(c)) : undefined;
      default:
        return undefined;
    }
  }

  /// Whether the load brings a kernel parameter that may be a pointer, once and for all.
  private isPointer({ base, offset }: AddressOperand, d: Register): boolean {
    return base !== null && 'space' in base && base.space === 'param' && offset === 0 && this.lasting.has(d.name);
  }
}

const numberOf = (operand: Operand | undefined): number | undefined =>
  operand?.kind === 'immediate' ? Number(operand.bits) : undefined;

function times(operand: Operand | undefined, scale: number | undefined): Sum | undefined {
  if (operand?.kind !== 'register' || scale === undefined || scale > mostScale) return undefined;
  return { index: { register: operand.register, scale }, offset: 0 };
}

const negative = (sum: Sum | undefined): Sum | undefined => sum && { offset: -sum.offset };

function plus(a: Sum | undefined, b: Sum | undefined): Sum | undefined {
  if (!a || !b || (a.pointer && b.pointer) || (a.index && b.index)) return undefined;
  const offset = a.offset + b.offset;
  if (Math.abs(offset) > mostOffset) return undefined;
  const pointer = a.pointer ?? b.pointer;
  const index = a.index ?? b.index;
  return { ...(pointer && { pointer }), ...(index && { index }), offset };
}
