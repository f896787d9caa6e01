// Packs a trace for the transfer to the page: rows become numbers, and each instruction is sent
// once.
import { isaRows } from '../../src/isa/index.ts';
import type { ShownInstruction, Trace, TraceStep } from '../program/trace.ts';

type PackedInstruction = Omit<ShownInstruction, 'row'> & { readonly row: number };
type PackedStep = Omit<TraceStep, 'instruction'> & { readonly instruction: number };

export interface PackedTrace extends Omit<Trace, 'steps' | 'findings'> {
  readonly instructions: readonly PackedInstruction[];
  readonly steps: readonly PackedStep[];
}

/** The part of a trace that the page shows. Findings are sent as messages. */
export type ShownTrace = Omit<Trace, 'findings'>;

const rows: readonly ShownInstruction['row'][] = isaRows;

export function packTrace({ steps, cut, error }: Trace): PackedTrace {
  const numbers = new Map<ShownInstruction, number>();
  const instructions: PackedInstruction[] = [];
  const packed = steps.map((step): PackedStep => {
    const { instruction } = step;
    const number = numbers.get(instruction) ?? instructions.length;
    if (number === instructions.length) {
      numbers.set(instruction, number);
      instructions.push({ ...instruction, row: rows.indexOf(instruction.row) });
    }
    return { ...step, instruction: number };
  });
  return { instructions, steps: packed, cut, error };
}

export function unpackTrace({ instructions, steps, cut, error }: PackedTrace): ShownTrace {
  const shown = instructions.map((instruction): ShownInstruction => {
    const row = rows[instruction.row];
    if (!row) throw new Error(`row ${instruction.row} does not exist`);
    return { ...instruction, row };
  });
  const unpacked = steps.flatMap((step): TraceStep[] => {
    const instruction = shown[step.instruction];
    return instruction ? [{ ...step, instruction }] : [];
  });
  return { steps: unpacked, cut, error };
}
