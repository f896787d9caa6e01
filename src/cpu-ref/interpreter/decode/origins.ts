// Points-to analysis for shared and local memory. An access whose address points to a variable must
// stay inside that variable, because the memory after the variable depends on the compiler and the
// linker.
import type { Instruction, Operand, PtxFunction, Register, Variable } from '../../../ptx/ast.ts';

/**
 * The origin of a register's values, over all instructions that write the register:
 * - a variable: the address of the variable plus numbers
 * - `number`: not the address of a variable; loaded values also count as numbers
 * - `several`: different origins, or arithmetic on the addresses of two variables
 */
type Origin = Variable | 'number' | 'several';

/** Instructions that add numbers to an address or preserve some bits of an address. */
const sums: ReadonlySet<string> = new Set(['mov', 'cvt', 'cvta', 'cvta.to', 'add', 'and', 'or', 'xor', 'lop3']);
/** Instructions whose result is one of the operands. */
const choices: ReadonlySet<string> = new Set(['selp', 'slct', 'min', 'max']);
const products: ReadonlySet<string> = new Set(['mad', 'mad.wide', 'mad24']);

/** Returns the registers whose values all point to one variable, each with that variable. */
export function originsOf(fn: PtxFunction): ReadonlyMap<Register, Variable> {
  const origins = new Map<Register, Origin>();
  const instructions = fn.body.filter((statement): statement is Instruction => statement.kind === 'instruction');
  // The loop terminates, because a register only changes from unknown to one origin, and then to
  // `several`.
  for (let changed = true; changed; ) {
    changed = false;
    for (const instruction of instructions) {
      const origin = resultOf(instruction, origins);
      if (origin === undefined) continue;
      for (const register of writtenBy(instruction)) {
        const before = origins.get(register);
        const after = before === undefined || before === origin ? origin : 'several';
        if (before === after) continue;
        origins.set(register, after);
        changed = true;
      }
    }
  }
  return new Map(
    [...origins].flatMap(([register, origin]) => (typeof origin === 'string' ? [] : [[register, origin]])),
  );
}

function writtenBy({ row, operands }: Instruction): Register[] {
  const { callee } = operands;
  const results = callee?.kind === 'call' ? callee.results.filter((result) => !('space' in result)) : [];
  const written = [...row.writes.flatMap((name) => operands[name] ?? []), ...results];
  return written.flatMap((operand) => ('space' in operand ? [] : registersOf(operand)));
}

function registersOf(operand: Operand): Register[] {
  if (operand.kind === 'register') return [operand.register];
  return operand.kind === 'vector' ? operand.elements.flatMap(registersOf) : [];
}

/**
 * Returns the origin of an instruction's result; undefined while the origin of an operand is
 * unknown.
 */
function resultOf({ row, operands }: Instruction, origins: ReadonlyMap<Register, Origin>): Origin | undefined {
  if (row.kind !== 'lane' && row.name !== 'cvta' && row.name !== 'cvta.to') return 'number';
  const read = Object.entries(operands).flatMap(([name, operand]) =>
    row.writes.includes(name) ? [] : [{ name, origin: originOf(operand, origins) }],
  );
  if (read.some(({ origin }) => origin === undefined)) return undefined;
  const [first, ...others] = [...new Set(read.map(({ origin }) => origin))].filter((origin) => origin !== 'number');
  if (first === undefined) return 'number';
  if (others.length > 0) return 'several';
  const holders = read.filter(({ origin }) => origin === first);
  if (sums.has(row.name)) return holders.length === 1 ? first : 'several';
  if (choices.has(row.name))
    return read.every(({ name, origin }) => origin === first || name === 'c') ? first : 'several';
  if (products.has(row.name)) return holders.every(({ name }) => name === 'c') ? first : 'several';
  if (row.name === 'sub') {
    // The difference of two addresses in one variable is a number.
    if (holders.length === 2) return first === 'several' ? 'several' : 'number';
    return holders[0]?.name === 'a' ? first : 'several';
  }
  return row.name.startsWith('setp') ? 'number' : 'several';
}

function originOf(operand: Operand, origins: ReadonlyMap<Register, Origin>): Origin | undefined {
  switch (operand.kind) {
    case 'register':
      return operand.register.type === 'pred' ? 'number' : origins.get(operand.register);
    case 'symbol':
      return isOrigin(operand.variable) ? operand.variable : 'number';
    case 'vector': {
      const parts = operand.elements.map((element) => originOf(element, origins));
      if (parts.includes(undefined)) return undefined;
      const [only = 'number', ...others] = [...new Set(parts)].filter((part) => part !== 'number');
      return others.length > 0 ? 'several' : only;
    }
    default:
      return 'number';
  }
}

export const isOrigin = ({ space }: Variable): boolean => space === 'shared' || space === 'local';
