// Rules about operands that depend on each other, beyond their types (`operandRule` of a row).
import type { IsaRow, Mods, OperandRule } from '../../isa/index.ts';
import { lastSelector } from '../../isa/sparsity-selectors.ts';
import type { Operand } from '../ast.ts';
import type { Demand } from './target.ts';

type Operands = Readonly<Record<string, Operand>>;
type Objection = (mods: Mods, operands: Operands) => string | undefined;

const sizes: Readonly<Record<string, readonly bigint[]>> = { ca: [4n, 8n, 16n], cg: [16n] };

const copy: Objection = ({ cop = '' }, { n, size }) => {
  if (n?.kind !== 'immediate') return undefined;
  const allowed = sizes[cop] ?? [];
  if (!allowed.includes(n.bits)) return `\`.${cop}\` copies ${allowed.join(', ')} bytes, not ${n.bits}`;
  if (size?.kind === 'immediate' && size.bits > n.bits) return `there are no ${size.bits} bytes in a copy of ${n.bits}`;
  return undefined;
};

const bulkCopy: Objection = (_, { n }) =>
  n?.kind === 'immediate' && n.bits % 16n !== 0n
    ? `bulk copies are of multiples of 16 bytes, not of ${n.bits}`
    : undefined;

const arrival: Objection = ({ space }, { d }) =>
  space === 'shared::cluster' && d !== undefined && d.kind !== 'sink'
    ? 'an arrival in the memory of the cluster tells no phase: its result is `_`'
    : undefined;

/** The signs of the factors, and whether they are transposed, if the operands are valid. */
const productConstants: Readonly<Record<string, readonly bigint[]>> = {
  signa: [1n, 0xffff_ffffn],
  signb: [1n, 0xffff_ffffn],
  transa: [0n, 1n],
  transb: [0n, 1n],
};

/** The rule of sparse products, whose selector is a constant. */
const sparseProduct: Objection = (mods, { f }) => {
  if (f?.kind !== 'immediate') return 'the sparsity selector is a constant';
  const last = lastSelector(mods);
  return f.bits <= BigInt(last)
    ? undefined
    : `the sparsity selector is ${last === 0 ? '0' : `0 to ${last}`}, not ${f.bits}`;
};

const warpgroupProduct: Objection = (mods, operands) => {
  const { d, a } = operands;
  const sparsity = operands.f && sparseProduct(mods, operands);
  if (sparsity !== undefined) return sparsity;
  if (d?.kind === 'vector' && d.elements.some(({ kind }) => kind !== 'register'))
    return 'the product reads and writes all registers of D';
  for (const [name, allowed] of Object.entries(productConstants)) {
    const operand = operands[name];
    if (operand?.kind !== 'immediate' || allowed.includes(operand.bits)) continue;
    return `${name.startsWith('sign') ? 'a sign is 1 or -1' : '0 or 1 says whether a factor is transposed'}, not ${BigInt.asIntN(32, operand.bits)}`;
  }
  if (operands.transb === undefined || (a?.kind === 'vector') === (operands.transa === undefined)) return undefined;
  return a?.kind === 'vector'
    ? 'A cannot be transposed in registers, so it has no such operand'
    : 'with A in shared memory, two operands say whether A and B are transposed';
};

const objections: Readonly<Record<Exclude<OperandRule, 'barrier'>, Objection>> = {
  copy,
  'bulk copy': bulkCopy,
  arrival,
  'sparse product': sparseProduct,
  'warpgroup product': warpgroupProduct,
};

/**
 * Returns the reason why PTX does not have an instruction with these operands, or undefined if it
 * does. The numbers of barriers have separate diagnostics.
 */
export function operandsObjection({ operandRule }: IsaRow, mods: Mods, operands: Operands): string | undefined {
  return operandRule === undefined || operandRule === 'barrier' ? undefined : objections[operandRule](mods, operands);
}

/**
 * Returns the version and target that the type of an operand requires, or undefined if the row's
 * own requirements suffice.
 */
export function operandsDemand({ operandRule }: IsaRow, { size }: Operands): Demand | undefined {
  const isPredicate = operandRule === 'copy' && size?.kind === 'register' && size.register.type === 'pred';
  return isPredicate ? { ptx: '7.5', target: 'sm_80' } : undefined;
}
