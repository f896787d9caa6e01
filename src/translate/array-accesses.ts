// Where a kernel's accesses of shared and local memory go: those of constant addresses, and clusters of those around one sum.
import type { AddressOperand, ArrayPlace, Instruction, Register } from '../ptx/ast.ts';
import type { Cluster, ClusteredAccess } from './array-bases.ts';
import { type MemoryArray, windowOf } from './layout.ts';
import { type Linear, sum, variablePart } from './linear.ts';
import type { LinearForms } from './linear-forms.ts';
import { accessWords, bytesOf, isSubword, spaceOf } from './memory-access.ts';

/// A cluster in one block.
export interface BlockCluster extends Cluster {
  readonly block: number;
  /// Tells what lies between two calls of `close`.
  readonly segment: number;
  readonly accesses: readonly (ClusteredAccess & { readonly index: number })[];
}

/// Places of accesses, by block and by index in it.
export type Places = ReadonlyMap<number, Map<number, ArrayPlace>>;

interface OpenCluster extends BlockCluster {
  readonly accesses: (ClusteredAccess & { readonly index: number })[];
}

/// Follows a kernel as `LinearForms` does.
export class ArrayAccesses {
  /// In the order of their first accesses.
  readonly clusters: OpenCluster[] = [];
  /// Of accesses that need no base.
  readonly places = new Map<number, Map<number, ArrayPlace>>();
  private readonly forms: LinearForms;
  private readonly open = new Map<string, OpenCluster>();
  private block = 0;
  private segment = 0;

  constructor(forms: LinearForms) {
    this.forms = forms;
  }

  enter(block: number): void {
    this.block = block;
    this.places.set(block, new Map());
    this.close();
    this.forms.enter();
  }

  /// Later accesses are in clusters of their own.
  close(): void {
    this.open.clear();
    this.segment += 1;
  }

  add(instruction: Instruction, index: number, address: AddressOperand, array: MemoryArray): void {
    const window = spaceOf(instruction) === undefined ? windowOf(array.space) : 0;
    const constant = (address.offset - array.start - window) | 0;
    const { base } = address;
    const form = sum(this.forms.base(base), { atoms: [], constant });
    const place = (own: Register | undefined, unit: 1 | 4, offset: number) =>
      this.places.get(this.block)?.set(index, { array: array.key, base: own, unit, offset });
    const unit = isSubword(instruction) ? 1 : 4;
    if (form.atoms.length === 0 || base === null || 'space' in base) place(undefined, unit, form.constant);
    else if (unit === 1) place(base, unit, constant);
    else this.join(instruction, index, array, base, form, constant);
  }

  /// Adds an access of an address that is `form`, or the register plus `constant`, to the cluster that has it.
  private join(
    instruction: Instruction,
    index: number,
    array: MemoryArray,
    register: Register,
    form: Linear,
    constant: number,
  ): void {
    const access = { index, bytes: bytesOf(instruction), words: accessWords(instruction) };
    const known = this.open.get(this.keyOf(instruction, array, form));
    if (known) {
      known.accesses.push({ ...access, constant: form.constant });
      return;
    }
    // Registers may have changed since the sum was made of them.
    const own = this.forms.isCurrent(form.atoms) ? form : sum(this.forms.atom(register), { atoms: [], constant });
    const key = this.keyOf(instruction, array, own);
    const cluster = this.open.get(key) ?? {
      block: this.block,
      segment: this.segment,
      array,
      atoms: own.atoms,
      register,
      held: own.constant - constant,
      accesses: [],
    };
    if (cluster.accesses.length === 0) this.clusters.push(cluster);
    cluster.accesses.push({ ...access, constant: own.constant });
    this.open.set(key, cluster);
  }

  private keyOf({ guard }: Instruction, array: MemoryArray, { atoms, constant }: Linear): string {
    const condition = guard ? `${guard.negated ? '!' : ''}${this.forms.keyOf(guard.register)}` : '';
    return [array.key, condition, constant & 3, variablePart(atoms)].join(' ');
  }
}
