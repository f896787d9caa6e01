// Instructions whose operands are known. Their own lowering says what they give, so that what is folded in passes is what WGSL would compute.
import type { PtxType } from '../isa/index.ts';
import type { ImmediateOperand, Instruction, RegisterOperand } from '../ptx/ast.ts';
import { literal } from '../wgsl/cast.ts';
import type { Expr, LowerContext } from '../wgsl/expr.ts';
import { laneLoweringOf } from '../wgsl/lane/index.ts';
import { isDestination } from './ir.ts';
import { bitsOf, operandType } from './operand-types.ts';

export interface Evaluated {
  readonly d: RegisterOperand;
  readonly value: ImmediateOperand;
}

/// The only register that an unguarded instruction on known integers and predicates writes, and its value. Undefined for everything else,
/// and for what the lowering leaves to a function of the prelude.
export function evaluate(instruction: Instruction): Evaluated | undefined {
  const { row, guard, operands, span } = instruction;
  if (row.kind !== 'lane' || guard || row.carry) return undefined;
  const sources: Expr[] = [];
  let results = 0;
  let written: { d: RegisterOperand; name: string; index: number } | undefined;
  for (const name in row.types) {
    const operand = operands[name];
    if (isDestination(instruction, name)) {
      if (operand?.kind === 'register') {
        if (written) return undefined;
        written = { d: operand, name, index: results };
      }
      results += 1;
    } else if (operand) {
      const source = operand.kind === 'immediate' ? literalOf(operand.bits, operandType(instruction, name)) : undefined;
      if (source === undefined) return undefined;
      sources.push(source);
    }
  }
  if (written === undefined) return undefined;
  const { d, name, index } = written;
  const type = operandType(instruction, name);
  // A register that is wider than the result is extended by its own rules.
  if (!isInteger(type) || !isInteger(d.register.type) || bitsOf(type) !== bitsOf(d.register.type)) return undefined;
  const bits = resultsOf(instruction, sources)[index];
  if (bits === undefined) return undefined;
  return { d, value: { kind: 'immediate', bits: BigInt.asUintN(bitsOf(type), bits), type: d.register.type, span } };
}

/// What an instruction gives for known sources, in the order of its row's destinations; undefined what its lowering leaves to a function of the
/// prelude.
export function resultsOf({ row, mods }: Instruction, sources: readonly Expr[]): readonly (bigint | undefined)[] {
  return laneLoweringOf(row.name)?.(context, mods, sources).map(({ constant }) => constant) ?? [];
}

/// The table of lop3 has no type of its own.
const isInteger = (type: PtxType): boolean => /^(pred|immediate|[bus](8|16|32|64))$/.test(type);

/// A known integer or predicate as an operand of `type`; undefined for other types.
export function literalOf(bits: bigint, type: PtxType): Expr | undefined {
  if (!isInteger(type)) return undefined;
  if (type === 'pred') return literal('bool', bits);
  return literal(bitsOf(type) === 64 ? 'vec2<u32>' : 'u32', BigInt.asUintN(bitsOf(type), bits));
}

/// Text that lowerings write beside known values is dropped with them.
const context: LowerContext = {
  float: { mode: 'exact', denormals: 'kept', fma: 'fused', contracts: false, div: 'exact', sqrt: 'exact' },
  use: (helper) => helper,
  name: (expr) => expr,
};
