// Decodes wmma.load and wmma.store.
import { vectorType } from '../../isa/match.ts';
import { type WmmaMatrix, wmmaElementBits, wmmaLayout, wmmaStride } from '../../isa/wmma-fragments.ts';
import type { Instruction, VectorOperand } from '../../ptx/ast.ts';
import { access } from './decode-access.ts';
import { type DecodeContext, readOperand, writeTo } from './decode-control.ts';
import type { Exec } from './state.ts';
import { type WmmaAccess, wmmaLoadExec, wmmaStoreExec } from './wmma-memory.ts';

const matrices: Readonly<Record<string, WmmaMatrix>> = { a: 'a', b: 'b', c: 'c', d: 'd' };

function matrixOf(instruction: Instruction, verb: 'load' | 'store', context: DecodeContext): WmmaAccess {
  const { shape, type = '', layout, matrix: name = 'd' } = instruction.mods;
  const matrix = matrices[name];
  if (matrix === undefined) throw new RangeError(`no matrix '${name}'`);
  const bits = wmmaElementBits(type);
  return {
    access: access(instruction, Math.ceil(bits / 8), verb, context),
    layout: wmmaLayout(matrix, shape, type),
    order: layout === 'row' ? 'row' : 'col',
    bits,
    stride:
      instruction.operands.stride === undefined
        ? wmmaStride(matrix, shape, layout)
        : readOperand(instruction, 'stride', context),
  };
}

function registersOf({ row, operands }: Instruction, name: string): VectorOperand['elements'] {
  const operand = operands[name];
  if (operand?.kind !== 'vector') throw new TypeError(`${row.name} lacks the registers of '${name}'`);
  return operand.elements;
}

export function wmmaLoad(instruction: Instruction, context: DecodeContext): Exec {
  const { type } = vectorType(instruction.row, 'd', instruction.mods);
  const matrix = matrixOf(instruction, 'load', context);
  return wmmaLoadExec(
    matrix,
    registersOf(instruction, 'd').map((element) => writeTo(element, type, context)),
  );
}

export function wmmaStore(instruction: Instruction, context: DecodeContext): Exec {
  const { type } = vectorType(instruction.row, 'b', instruction.mods);
  const matrix = matrixOf(instruction, 'store', context);
  const sources = registersOf(instruction, 'b').map((element) => context.builder.source(element, type));
  context.reads.push(...sources);
  return wmmaStoreExec(matrix, sources);
}
