// Operations on a barrier in memory, in every form: orders and scopes, and the ways to write its address.
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

/** All that the modifiers of a row may be, in the order of the row. */
export function formsOf(name: string): readonly Mods[] {
  const known =
    choices.get(name) ?? modChoices(rowNamed(name)).filter((mods) => objectionTo(rowNamed(name), mods) === undefined);
  choices.set(name, known);
  return known;
}

/** Of a list, the one that a number stands for. */
export function nth<T>(list: readonly T[], number: number): T {
  const found = list[number % list.length];
  if (found === undefined) throw new RangeError('nothing to choose from');
  return found;
}

/** The numbers that choose forms come one after the other out of one. */
export class Forms {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** 0 of everything for the seed 0. */
  next(): number {
    const number = this.state;
    this.state = number === 0 ? 0 : (Math.imul(number ^ (number >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) >>> 0;
    return number >>> 3;
  }
}

/** A generic address, or one of the cluster's window. */
export function addressIn(writer: Writer, space: string | undefined, name: string): string {
  if (space === 'shared::cluster') {
    const mapped = writer.temporary('r');
    const own = writer.temporary('r');
    writer.line(`mov.u32 ${own}, ${name}`);
    writer.line(`mapa.shared::cluster.u32 ${mapped}, ${own}, 0`);
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
  /** The state before is needed, which other blocks' barriers do not give. */
  readonly keepsState?: boolean;
  /** Of which modifiers a form must be. */
  readonly having?: (mods: Mods) => boolean;
}

/** What is relaxed orders nothing: a fence does. */
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
