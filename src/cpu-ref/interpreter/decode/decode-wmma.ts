// Decodes `wmma.load` and `wmma.store`.
import { vectorType } from '../../../isa/match.ts';
import { wmmaLayout, wmmaMatrix, wmmaStride } from '../../../isa/wmma-fragments.ts';
import type { Instruction, VectorOperand } from '../../../ptx/ast.ts';
import { type MatrixExec, type WmmaAccess, wmmaLoadExec, wmmaStoreExec } from '../operations/wmma-memory.ts';
import type { Work } from '../state/state.ts';
import { access } from './decode-access.ts';
import { type DecodeContext, readOperand, waitKey, wholeWarp, writeTo } from './decode-control.ts';

function matrixOf(instruction: Instruction, verb: 'load' | 'store', context: DecodeContext): WmmaAccess {
  const { shape, type = '', layout, matrix: name } = instruction.mods;
  const matrix = wmmaMatrix(name);
  const own = wmmaLayout(matrix, shape, type);
  return {
    access: access(instruction, Math.ceil(own.bits / 8), verb, context),
    layout: own,
    order: layout === 'row' ? 'row' : 'col',
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

/**
 * Returns the decoded form of an instruction at which all lanes of the warp wait for each other.
 */
function together(instruction: Instruction, exec: MatrixExec, context: DecodeContext): Work {
  const does = { kind: 'access', exec } as const;
  const membermask = wholeWarp(context);
  return { kind: 'warp', warp: { does, key: waitKey(instruction), sources: [], destinations: [], membermask } };
}

export function wmmaLoad(instruction: Instruction, context: DecodeContext): Work {
  const { type } = vectorType(instruction.row, 'd', instruction.mods);
  const matrix = matrixOf(instruction, 'load', context);
  const destinations = registersOf(instruction, 'd').map((element) => writeTo(element, type, context));
  return together(instruction, wmmaLoadExec(matrix, destinations), context);
}

export function wmmaStore(instruction: Instruction, context: DecodeContext): Work {
  const { type } = vectorType(instruction.row, 'b', instruction.mods);
  const matrix = matrixOf(instruction, 'store', context);
  const sources = registersOf(instruction, 'b').map((element) => context.builder.source(element, type));
  context.reads.push(...sources);
  return together(instruction, wmmaStoreExec(matrix, sources), context);
}
