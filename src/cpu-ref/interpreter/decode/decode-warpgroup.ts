// Decodes the instructions of warpgroups (`wgmma`).
import { matrixForm } from '../../../isa/fragments.ts';
import type { MmaRowName, WgmmaProductName, WgmmaRowName } from '../../../isa/index.ts';
import { vectorType } from '../../../isa/match.ts';
import { columnsOf, partMods } from '../../../isa/wgmma.ts';
import type { Instruction, Operand } from '../../../ptx/ast.ts';
import { collectiveFunctions } from '../../warp/index.ts';
import type { Source } from '../memory/layout.ts';
import { beginProduct, commitProducts, fenceRegisters, type ProductWork } from '../operations/warpgroup-op.ts';
import type { WarpWork, Work } from '../state/state.ts';
import { operandOf } from './decode-access.ts';
import { type DecodeContext, readOperand, waitKey, wholeWarp, writeTo } from './decode-control.ts';

type MatrixExec = Extract<WarpWork['does'], { kind: 'access' }>['exec'];

const isConstant = (operand: Operand | undefined, value: bigint): boolean =>
  operand?.kind === 'immediate' && operand.bits === value;
const minusOne = 0xffff_ffffn;

function registersOf({ row, operands }: Instruction, name: string): readonly Operand[] {
  const operand = operands[name];
  if (operand?.kind !== 'vector') throw new TypeError(`${row.name} lacks the registers of '${name}'`);
  return operand.elements;
}

function factorA(instruction: Instruction, context: DecodeContext): readonly Source[] | Source {
  const { a } = instruction.operands;
  if (a?.kind === 'vector')
    return readAll(
      registersOf(instruction, 'a').map((operand) => context.builder.source(operand, 'b32')),
      context,
    );
  const source = context.builder.source(operandOf(instruction, 'a'), 'b64');
  context.reads.push(source);
  return source;
}

function readAll(sources: readonly Source[], context: DecodeContext): readonly Source[] {
  context.reads.push(...sources);
  return sources;
}

type Decoder = (instruction: Instruction, context: DecodeContext) => MatrixExec;

const product =
  (part: MmaRowName): Decoder =>
  (instruction, context) => {
    const { row, mods, operands, span } = instruction;
    const own = partMods(mods);
    const { type } = vectorType(row, 'd', mods);
    const isKMajor = (operand: Operand | undefined) => !isConstant(operand, 1n);
    const work: ProductWork = {
      span,
      part: { row: part, mods: own, fn: collectiveFunctions[context.matrix][part], form: matrixForm(own) },
      parts: columnsOf(mods) / 8,
      name: `${row.name} ${mods.shape} ${mods.dtype}`,
      a: factorA(instruction, context),
      b: readOperand(instruction, 'b', context),
      scaled: readOperand(instruction, 'scaled', context),
      sparsity:
        operands.e === undefined
          ? undefined
          : { e: readOperand(instruction, 'e', context), f: readOperand(instruction, 'f', context) },
      isNegated: isConstant(operands.signa, minusOne) !== isConstant(operands.signb, minusOne),
      isKMajor: { a: isKMajor(operands.transa), b: isKMajor(operands.transb) },
      // The addends are not read if `scale-d` is false, so they may be unwritten.
      sums: registersOf(instruction, 'c').map((operand) => context.builder.source(operand, type)),
      results: registersOf(instruction, 'd').flatMap((operand) => writeTo(operand, type, context) ?? []),
    };
    return beginProduct(work);
  };

const keptGroups = (instruction: Instruction): number => {
  const operand = operandOf(instruction, 'n');
  if (operand.kind !== 'immediate') throw new TypeError('the number of groups is a constant');
  return Number(operand.bits);
};

const products: Readonly<Record<WgmmaProductName, Decoder>> = {
  'wgmma.f16': product('mma.f16'),
  'wgmma.bf16': product('mma.bf16'),
  'wgmma.tf32': product('mma.tf32'),
  'wgmma.fp8': product('mma.fp8'),
  'wgmma.s8': product('mma.s8'),
  'wgmma.b1': product('mma.b1'),
  'wgmma.sp.f16': product('mma.sp.f16'),
  'wgmma.sp.bf16': product('mma.sp.bf16'),
  'wgmma.sp.tf32': product('mma.sp.tf32'),
  'wgmma.sp.fp8': product('mma.sp.fp8'),
  'wgmma.sp.s8': product('mma.sp.s8'),
};

const decoders: Readonly<Record<Exclude<WgmmaRowName, 'wgmma.wait_group'>, Decoder>> = {
  ...products,
  'wgmma.fence': () => fenceRegisters,
  'wgmma.commit_group': () => commitProducts,
};

const isWarpgroupRow = (name: string): name is keyof typeof decoders => Object.hasOwn(decoders, name);

/**
 * Whether the instruction is a product of a warpgroup, whose registers follow rules of their own.
 */
export const isProduct = ({ row }: Instruction): boolean => Object.hasOwn(products, row.name);

/** Decodes an instruction of a warpgroup. Returns undefined for all others. */
export function decodeWarpgroup(instruction: Instruction, context: DecodeContext): Work | undefined {
  const { name } = instruction.row;
  if (name === 'wgmma.wait_group') return { kind: 'products', kept: keptGroups(instruction) };
  if (!isWarpgroupRow(name)) return undefined;
  const does = { kind: 'access', exec: decoders[name](instruction, context) } as const;
  const membermask = wholeWarp(context);
  return { kind: 'warp', warp: { does, key: waitKey(instruction), sources: [], destinations: [], membermask } };
}
