// What the operands of an asynchronous copy must be, beyond their types.
import type { IsaRow, Mods } from '../../isa/index.ts';
import type { Operand } from '../ast.ts';
import type { Demand } from './target.ts';

const sizes: Readonly<Record<string, readonly bigint[]>> = { ca: [4n, 8n, 16n], cg: [16n] };

export const isCopy = ({ name }: IsaRow): boolean => name === 'cp.async' || name === 'cp.async.policy';

/// Why PTX has no such copy, or operation on an mbarrier, if it has none.
export function copyObjection(
  row: IsaRow,
  { cop = '', space }: Mods,
  { d, n, size }: Readonly<Record<string, Operand>>,
): string | undefined {
  if (space === 'shared::cluster' && d !== undefined && d.kind !== 'sink' && row.name.startsWith('mbarrier.'))
    return 'an arrival in the memory of the cluster tells no phase: its result is `_`';
  if (n?.kind !== 'immediate') return undefined;
  if (/^cp\.(reduce\.)?async\.bulk/.test(row.name) && row.types.a === 'address' && n.bits % 16n !== 0n)
    return `bulk copies are of multiples of 16 bytes, not of ${n.bits}`;
  if (!isCopy(row)) return undefined;
  const allowed = sizes[cop] ?? [];
  if (!allowed.includes(n.bits)) return `\`.${cop}\` copies ${allowed.join(', ')} bytes, not ${n.bits}`;
  if (size?.kind === 'immediate' && size.bits > n.bits) return `there are no ${size.bits} bytes in a copy of ${n.bits}`;
  return undefined;
}

/// What a copy demands by its operands.
export function copyDemand(row: IsaRow, { size }: Readonly<Record<string, Operand>>): Demand | undefined {
  const isPredicate = isCopy(row) && size?.kind === 'register' && size.register.type === 'pred';
  return isPredicate ? { ptx: '7.5', target: 'sm_80' } : undefined;
}
