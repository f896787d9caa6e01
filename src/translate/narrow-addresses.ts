// 64-bit address arithmetic to 32 bits. Memory lies below 4 GiB, so an address chain needs only its low half; a 64-bit register of which
// only the low half is ever looked at becomes a 32-bit one, and the instructions on it their 32-bit forms.
import type { AddressOperand, Instruction, Operand, Register } from '../ptx/ast.ts';
import { type Block, definedRegisters, rowNamed, terminatorRegisters, usedRegisters } from './ir.ts';

/// Rows whose low result half depends on the low halves of their sources alone.
const transparent = new Set(['add', 'sub', 'and', 'or', 'xor', 'not', 'neg', 'mov', 'selp', 'cvta', 'cvta.to']);

const is64 = (register: Register) => /^[bus]64$/.test(register.type);
const wide = (type: string | undefined) => type !== undefined && /^[bus]64$/.test(type);

export function narrowAddresses(blocks: readonly Block[]): Block[] {
  const full = registersNeededWhole(blocks);
  const narrow = (register: Register) => is64(register) && !full.has(register.name);
  let copies = 0;
  return blocks.map(({ code, end }) => ({
    end,
    code: code.flatMap((instruction): Instruction[] => {
      const before: Instruction[] = [];
      const lowOf = (operand: Operand): Operand => {
        if (operand.kind === 'immediate') return { ...operand, type: 'b32', bits: operand.bits & 0xffffffffn };
        // `mov.b64 d, {low, high}`
        if (operand.kind === 'vector') return operand.elements[0] ?? operand;
        if (operand.kind !== 'register' || !is64(operand.register)) return operand;
        if (narrow(operand.register)) return { ...operand, register: halved(operand.register) };
        copies += 1;
        const register: Register = { name: `%lo${copies}`, type: 'b32', span: operand.span };
        const d: Operand = { kind: 'register', register, negated: false, span: operand.span };
        const mods = { dtype: 'u32', atype: 'u64' };
        before.push({
          kind: 'instruction',
          row: rowNamed('cvt'),
          mods,
          operands: { d, a: operand },
          guard: instruction.guard,
          span: instruction.span,
        });
        return d;
      };
      const narrowed = narrowInstruction(instruction, narrow, lowOf);
      return [...before, narrowed];
    }),
  }));
}

const halved = (register: Register): Register => ({ ...register, type: 'b32' });

/// The low destination of an instruction that produces one 64-bit value, if its low half depends on low halves only.
function lowDestination({ row, mods, operands }: Instruction): Register | undefined {
  const { d } = operands;
  if (d?.kind !== 'register' || !is64(d.register)) return undefined;
  const type = mods.type;
  const source = operands.a;
  if (source?.kind === 'special' || (source?.kind === 'vector' && source.elements.length !== 2)) return undefined;
  if (transparent.has(row.name) && wide(type)) return row.name === 'add' && mods.sat ? undefined : d.register;
  if ((row.name === 'mul' || row.name === 'mad') && mods.half === 'lo') return d.register;
  if (row.name === 'mul.wide' || row.name === 'mad.wide') return type?.endsWith('32') ? d.register : undefined;
  if (row.name === 'shl') return operands.b?.kind === 'immediate' && operands.b.bits < 32n ? d.register : undefined;
  if (row.name === 'cvt') return mods.atype !== 'f32' && mods.sat === undefined ? d.register : undefined;
  if (row.name.startsWith('ld') && mods.vec === undefined) return d.register;
  return undefined;
}

function registersNeededWhole(blocks: readonly Block[]): ReadonlySet<string> {
  const full = new Set<string>();
  const need = (register: Register) =>
    is64(register) && !full.has(register.name) && full.add(register.name) !== undefined;
  // Needs go from results to sources, so backwards one round serves a whole chain.
  const backwards = [...blocks].reverse().map(({ code, end }) => ({ code: [...code].reverse(), end }));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { code, end } of backwards) {
      for (const register of terminatorRegisters(end)) changed = need(register) || changed;
      for (const instruction of code) {
        const low = lowDestination(instruction);
        const passesLow = low !== undefined && !full.has(low.name);
        // What is written by a form that has no 32-bit counterpart stays whole.
        if (low === undefined)
          for (const register of definedRegisters(instruction)) changed = need(register) || changed;
        if (passesLow && !instruction.row.name.startsWith('ld')) continue;
        for (const register of usedWhole(instruction)) changed = need(register) || changed;
      }
    }
  }
  return full;
}

/// Registers of which an instruction reads more than the low half.
function usedWhole(instruction: Instruction): readonly Register[] {
  const { row, operands, mods } = instruction;
  const bases = Object.values(operands).flatMap((operand) =>
    operand.kind === 'address' ? addressRegisters(operand) : [],
  );
  const truncates = row.name === 'cvt' && !wide(mods.dtype) && mods.dtype !== 'f32' && mods.sat === undefined;
  if (truncates) return [];
  return usedRegisters(instruction).filter((register) => !bases.includes(register));
}

const addressRegisters = ({ base, index }: AddressOperand): Register[] => [
  ...(base === null || 'space' in base ? [] : [base]),
  ...(index ? [index.register] : []),
];

function narrowInstruction(
  instruction: Instruction,
  narrow: (register: Register) => boolean,
  lowOf: (operand: Operand) => Operand,
): Instruction {
  const { row, mods, operands } = instruction;
  const mapped = Object.fromEntries(
    Object.entries(operands).map(([name, operand]): [string, Operand] => {
      return [name, operand.kind === 'address' ? narrowAddress(operand, lowOf) : operand];
    }),
  );
  const low = lowDestination(instruction);
  if (
    row.name === 'cvt' &&
    !wide(mods.dtype) &&
    wide(mods.atype) &&
    mapped.a?.kind === 'register' &&
    narrow(mapped.a.register)
  ) {
    const a = { ...mapped.a, register: halved(mapped.a.register) };
    return {
      ...instruction,
      mods: { ...mods, atype: mods.atype?.startsWith('s') ? 's32' : 'u32' },
      operands: { ...mapped, a },
    };
  }
  if (low === undefined || !narrow(low)) return { ...instruction, operands: mapped };
  const d: Operand = { kind: 'register', register: halved(low), negated: false, span: instruction.span };
  if (row.name.startsWith('ld')) return { ...instruction, mods: { ...mods, type: 'u32' }, operands: { ...mapped, d } };
  const sources = Object.fromEntries(
    Object.entries(mapped).map(([name, operand]): [string, Operand] => [name, name === 'd' ? d : lowOf(operand)]),
  );
  if (row.name === 'cvt')
    return { ...instruction, mods: { ...mods, dtype: 'u32', atype: lowType(mods.atype) }, operands: sources };
  if (row.name === 'mul.wide')
    return { ...instruction, row: rowNamed('mul'), mods: { half: 'lo', type: 'u32' }, operands: sources };
  if (row.name === 'mad.wide')
    return { ...instruction, row: rowNamed('mad'), mods: { half: 'lo', type: 'u32' }, operands: sources };
  return { ...instruction, mods: { ...mods, type: lowType(mods.type) }, operands: sources };
}

function narrowAddress(address: AddressOperand, lowOf: (operand: Operand) => Operand): AddressOperand {
  const lowRegister = (register: Register): Register => {
    const low = lowOf({ kind: 'register', register, negated: false, span: address.span });
    return low.kind === 'register' ? low.register : register;
  };
  const { base, index } = address;
  return {
    ...address,
    base: base === null || 'space' in base ? base : lowRegister(base),
    ...(index && { index: { ...index, register: lowRegister(index.register) } }),
  };
}

/// `s64` to `s32`; narrower types stay.
const lowType = (type: string | undefined): string => (type ?? 'b32').replace('64', '32');
