// What the accesses of a cluster have in common: a sum of registers in words, or whole vectors, of their array.
import type { Operand, Register } from '../ptx/ast.ts';
import type { MemoryArray } from './layout.ts';
import { type Atom, variablePart } from './linear.ts';
import type { LinearForms } from './linear-forms.ts';
import type { Granule } from './memory-access.ts';
import { type SumCode, wordsAndRest } from './sum-code.ts';
import { anyWord, type Range, type Ranges } from './value-ranges.ts';

/// Accesses of one array, all or none of them executed one after the other, whose addresses differ by constants.
export interface Cluster {
  readonly array: MemoryArray;
  /// What they have in common, in bytes.
  readonly atoms: readonly Atom[];
  readonly accesses: readonly ClusteredAccess[];
  /// At the first access this register holds the atoms' sum plus `held`.
  readonly register: Register;
  readonly held: number;
}

export interface ClusteredAccess {
  /// Bytes from the array's start, beside the atoms.
  readonly constant: number;
  readonly bytes: number;
  readonly words: Granule;
}

/// The atoms' sum is the base times `unit`, plus `offset`: bytes.
export interface Base {
  readonly unit: 4 | 8 | 16;
  readonly offset: number;
  /// The same for bases that are the same value.
  readonly key: string;
  /// A register that is the base already.
  readonly register: Register | undefined;
  /// Computes it at the first access.
  readonly write: (out: SumCode) => Operand;
}

/// `ranges`: what registers can hold; `dawn`: what Dawn knows of that.
export interface Knowledge {
  readonly ranges: Ranges;
  readonly dawn: Ranges;
  readonly forms: LinearForms;
}

export function baseOf(cluster: Cluster, knowledge: Knowledge): Base {
  return isExactInWords(cluster, knowledge.ranges) ? fromWords(cluster, knowledge) : fromBytes(cluster);
}

function fromWords(cluster: Cluster, { dawn, forms }: Knowledge): Base {
  const { atoms, array } = cluster;
  const vector = vectorOf(array);
  const unit = atoms.every(({ coefficient }) => coefficient % vector === 0) ? vector : 4;
  const { first, last, count } = extentOf(cluster, unit);
  const known = dawnRange(atoms, unit, dawn);
  const isProven = known !== undefined && known.min + first >= 0 && known.max + last < count;
  const limit = isProven ? undefined : limitOf(cluster, unit);
  // Beside a base that is clamped, or that Dawn must not see wrap around, every constant is 0 or more.
  const shift = limit !== undefined || (isProven && first < 0) ? first : 0;
  const [only] = atoms;
  const isPlain = atoms.length === 1 && only?.coefficient === unit && shift === 0 && limit === undefined;
  const plain = isPlain && only.value.kind === 'register' ? only.value.register : undefined;
  return {
    unit,
    offset: -shift * unit,
    key: `(${variablePart(atoms)}) / ${unit} + ${shift} to ${limit}`,
    register: plain && forms.isLasting(plain) ? plain : undefined,
    write: (out) => out.limited(out.plus(out.quotient(atoms, unit), shift), limit),
  };
}

/// From the address itself: the first word's, divided.
function fromBytes(cluster: Cluster): Base {
  const { accesses, array, atoms, register, held } = cluster;
  const low = Math.min(...accesses.map(({ constant }) => constant));
  const vector = vectorOf(array);
  const isWhole = accesses.every(({ constant, words }) => words >= array.granule && (constant - low) % vector === 0);
  const unit = isWhole ? vector : 4;
  const limit = limitOf(cluster, unit);
  const address: Operand = { kind: 'register', register, negated: false, span: register.span };
  return {
    unit,
    offset: -low,
    key: `(${variablePart(atoms)} + ${low}) / ${unit} to ${limit}`,
    register: undefined,
    write: (out) => out.limited(out.shiftedRight(out.plus(address, low - held), Math.log2(unit)), limit),
  };
}

const vectorOf = ({ granule }: MemoryArray) => (granule * 4) as Base['unit'];

/// Elements of `unit` bytes that the accesses reach around their sum, and how many the array has.
function extentOf({ accesses, array }: Cluster, unit: number): { first: number; last: number; count: number } {
  return {
    first: Math.min(...accesses.map(({ constant }) => Math.floor(constant / unit))),
    last: Math.max(...accesses.map(({ constant, bytes }) => Math.floor((constant + bytes - 1) / unit))),
    count: Math.max(Math.ceil(array.bytes / unit), 1),
  };
}

/// Where the first element lies at most if the last one is inside the array; undefined where they cannot all be.
function limitOf(cluster: Cluster, unit: number): number | undefined {
  const { first, last, count } = extentOf(cluster, unit);
  return count > last - first ? count - 1 - (last - first) : undefined;
}

function sumRange(atoms: readonly Atom[], of: (atom: Atom) => Range): Range {
  return atoms.reduce(
    ({ min, max }, atom) => {
      const range = of(atom);
      const ends = [range.min * atom.coefficient, range.max * atom.coefficient];
      return { min: min + Math.min(...ends), max: max + Math.max(...ends) };
    },
    { min: 0, max: 0 },
  );
}

/// No array has as many words.
const mostWords = 2 ** 25;

/// Whether the sum of words is the index. Four times the sum is the address modulo 2^32, so the sum is the index modulo 2^30; and it is the index
/// itself where both lie in one interval of less than 2^30.
function isExactInWords({ atoms, accesses }: Cluster, ranges: Ranges): boolean {
  const of = ({ value }: Atom): Range => (value.kind === 'bits' ? { min: 0, max: value.mask } : ranges(value));
  const [words, rest] = wordsAndRest(atoms);
  const part = sumRange(rest, of);
  if (part.min < 0 || part.max >= 2 ** 32 || accesses.some(({ constant }) => constant % 4 !== 0)) return false;
  const whole = sumRange(words, of);
  return accesses.every(
    ({ constant }) => whole.min + constant > 4 * (mostWords - 2 ** 30) && whole.max + part.max + constant < 4 * 2 ** 30,
  );
}

/// The range of the sum in units as Dawn sees it; undefined where it knows none.
function dawnRange(atoms: readonly Atom[], unit: number, dawn: Ranges): Range | undefined {
  const of = ({ value }: Atom): Range => (value.kind === 'bits' ? anyWord : dawn(value));
  if (atoms.some((atom) => atom.coefficient < 0 || of(atom) === anyWord)) return undefined;
  const [words, rest] = wordsAndRest(atoms);
  const [whole, part] = [sumRange(words, of), sumRange(rest, of)];
  return { min: whole.min / unit + Math.floor(part.min / 4), max: whole.max / unit + Math.floor(part.max / 4) };
}
