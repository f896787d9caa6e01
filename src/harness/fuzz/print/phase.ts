// Prints operations on mbarriers in every form: orders and scopes, and the ways to write the
// address.
import { asyncUpdateRows, copyRows, type IsaRow, type Mods, mbarrierRows } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { anyInstructionText, modChoices } from '../../suites/rows/instruction-text.ts';
import type { Writer } from './writer.ts';

const rows: readonly IsaRow[] = [...mbarrierRows, ...copyRows, ...asyncUpdateRows];
const choices = new Map<string, readonly Mods[]>();

export function rowNamed(name: string): IsaRow {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new RangeError(`no row ${name}`);
  return row;
}

/** Returns all choices of a row's modifiers, in the row's order. */
export function formsOf(name: string): readonly Mods[] {
  const known =
    choices.get(name) ?? modChoices(rowNamed(name)).filter((mods) => objectionTo(rowNamed(name), mods) === undefined);
  choices.set(name, known);
  return known;
}

/** Returns the item of a list that a number selects, modulo its length. */
export function nth<T>(list: readonly T[], number: number): T {
  const found = list[number % list.length];
  if (found === undefined) throw new RangeError('the list is empty');
  return found;
}

/** Derives the numbers that select forms from one seed. */
export class Forms {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** Returns the next number. For the seed 0, all numbers are 0. */
  next(): number {
    const number = this.state;
    this.state = number === 0 ? 0 : (Math.imul(number ^ (number >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) >>> 0;
    return number >>> 3;
  }
}

/** Returns a generic address, or an address in the cluster's window. */
export function addressIn(writer: Writer, space: string | undefined, name: string): string {
  if (space === 'shared::cluster') {
    const mapped = writer.temporary('r');
    const own = writer.temporary('r');
    const rank = writer.temporary('r');
    writer.line(`mov.u32 ${own}, ${name}`);
    writer.line(`mov.u32 ${rank}, %cluster_ctarank`);
    writer.line(`mapa.shared::cluster.u32 ${mapped}, ${own}, ${rank}`);
    return mapped;
  }
  if (space !== undefined) return name;
  const generic = writer.temporary('d');
  if (name.startsWith('%')) writer.line(`cvt.u64.u32 ${generic}, ${name}`);
  else writer.line(`mov.u64 ${generic}, ${name}`);
  writer.line(`cvta.shared.u64 ${generic}, ${generic}`);
  return generic;
}

interface PhaseOperation {
  readonly row: string;
  readonly forms: Forms;
  readonly operands?: Readonly<Record<string, string>>;
  readonly guard?: string;
  /** Whether the form must return the previous state. A remote barrier does not return it. */
  readonly keepsState?: boolean;
  /** A condition that the form's modifiers must satisfy. */
  readonly having?: (mods: Mods) => boolean;
}

/**
 * Prints an operation on an mbarrier. A relaxed operation does not order accesses, so a fence is
 * added.
 */
export function printPhase(writer: Writer, operation: PhaseOperation): void {
  const { row: name, forms, operands = {}, guard = '', keepsState = false, having = () => true } = operation;
  const row = rowNamed(name);
  const possible = formsOf(name).filter((mods) => having(mods) && !(keepsState && mods.space === 'shared::cluster'));
  const mods = nth(possible, forms.next());
  const phase = writer.provide('phase');
  const a = `[${addressIn(writer, mods.space, phase)}]`;
  const isRelaxed =
    mods.sem === 'relaxed' && mods.scope !== undefined && row.where?.sem !== undefined && row.where.sem.length > 1;
  const fence = `fence.acq_rel.${mods.scope}`;
  const isWait = row.types.d === 'pred';
  const d = operands.d !== undefined && mods.space === 'shared::cluster' ? '_' : operands.d;
  if (isRelaxed && !isWait) writer.line(fence);
  writer.line(`${guard}${anyInstructionText(row, mods, { ...operands, ...(d === undefined ? {} : { d }), a })}`);
  if (isRelaxed && isWait) writer.line(fence);
}
