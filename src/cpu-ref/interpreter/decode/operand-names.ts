// The operand names of a row, and their types in one instruction.
import { destinations, type IsaRow, type Mods, type OperandType, type PtxType } from '../../../isa/index.ts';
import { patternOf, vectorType } from '../../../isa/match.ts';

export interface OperandNames {
  readonly destinations: readonly string[];
  readonly sources: readonly string[];
}

const cache = new Map<IsaRow, OperandNames>();

/**
 * Returns the operands that instructions of the row write and read, in the order of its syntax:
 * `shfl.sync.mode.b32 d[|p], a, b, c, membermask`.
 */
export function operandNames(row: IsaRow): OperandNames {
  const known = cache.get(row);
  if (known !== undefined) return known;
  const slots = patternOf(row).groups.flatMap(({ first, second }) =>
    second === undefined ? [first] : [first, second],
  );
  const sources = slots.filter(({ destination }) => !destination).map(({ name }) => name);
  const result: OperandNames = { destinations: destinations(row), sources };
  cache.set(row, result);
  return result;
}

const ptxTypes: ReadonlySet<string> = new Set<PtxType>([
  'pred', 'b8', 'b16', 'b32', 'b64', 'b128', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64', 'f16', 'f16x2', 'bf16', 'bf16x2', 'f32', 'f64',
]); // biome-ignore format: one line

function isPtxType(text: string): text is PtxType {
  return ptxTypes.has(text);
}

/**
 * Returns the type of an operand in one instruction, after `*2` and the type names in the row have
 * been replaced. For a vector, this is the type of its registers. For an `immediate`, this is a
 * 32-bit word.
 */
export function operandType(row: IsaRow, mods: Mods, name: string): PtxType {
  const type: OperandType | undefined = row.types[name];
  if (type === undefined) throw new RangeError(`${row.name} has no operand '${name}'`);
  if (type === 'immediate') return 'b32';
  if (type === 'vector') return vectorType(row, name, mods).type;
  if (!type.startsWith('.')) {
    if (isPtxType(type)) return type;
    throw new RangeError(`operand '${name}' of ${row.name} has no value`);
  }
  const [slot = '', factor] = type.slice(1).split('*');
  const held = mods[slot] ?? '';
  const resolved = factor === undefined ? held : held.replace(/\d+/, (bits) => String(2 * Number(bits)));
  if (!isPtxType(resolved)) throw new RangeError(`${row.name} has no type for operand '${name}'`);
  return resolved;
}
