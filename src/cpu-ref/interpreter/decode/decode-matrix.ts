// Decodes loads and stores of matrices (`ldmatrix`, `stmatrix`).
import type { Instruction } from '../../../ptx/ast.ts';
import { matrixLoad, matrixStore } from '../operations/matrix-op.ts';
import type { Work } from '../state/state.ts';
import { access, operandOf } from './decode-access.ts';
import { type DecodeContext, waitKey, wholeWarp, writeTo } from './decode-control.ts';

const rowBytes = 16;

/** Decodes `ldmatrix` or `stmatrix`. */
export function accessMatrix(instruction: Instruction, context: DecodeContext): Work {
  const { row, mods } = instruction;
  const isLoad = row.name === 'ldmatrix';
  const fragment = operandOf(instruction, isLoad ? 'd' : 'b');
  if (fragment.kind !== 'vector') throw new TypeError(`${row.name} without registers`);
  const where = access(instruction, rowBytes, isLoad ? 'load' : 'store', context);
  const transposed = mods.trans !== undefined;
  const sources = isLoad ? [] : fragment.elements.map((part) => context.builder.source(part, 'b32'));
  context.reads.push(...sources);
  const exec = isLoad
    ? matrixLoad(
        where,
        transposed,
        fragment.elements.map((part) => writeTo(part, 'b32', context)),
      )
    : matrixStore(where, transposed, sources);
  const does = { kind: 'access', exec } as const;
  return {
    kind: 'warp',
    warp: { does, key: waitKey(instruction), sources: [], destinations: [], membermask: wholeWarp(context) },
  };
}
