// Resolves the addresses of instructions to places.
import type { AddressOperand } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { Place, Space } from '../ir/memory.ts';
import type { Value } from '../ir/nodes.ts';
import type { Registers } from './registers.ts';

export interface Location {
  readonly place: Place;
  readonly index: readonly Value[];
}

/** Returns the place of an address, and the index of its access. */
export function locate(registers: Registers, { base, offset, span }: AddressOperand, space: Space): Location {
  const { body } = registers.frame;
  if (base === null) return { place: { root: { kind: 'address', space }, unit: 1, offset, indexed: false }, index: [] };
  if (!('space' in base)) {
    // A parameter has an address only if it is copied to local memory.
    const root = { kind: 'address', space: space === 'param' ? 'local' : space } as const;
    return { place: { root, unit: 1, offset, indexed: true }, index: [registers.readRegister(base)] };
  }
  if (base.space === 'param') {
    const memory = registers.cellsOf(base)?.memory;
    if (memory !== undefined) {
      const root = { kind: 'address', space: 'local' } as const;
      return { place: { root, unit: 1, offset, indexed: true }, index: [registers.symbol(memory, 0)] };
    }
    const param = body.fn.params.filter((candidate) => 'space' in candidate).indexOf(base);
    if (param === -1) return refuse(compileDiagnostics.notSupported(`parameter \`${base.name}\` here`), span);
    return { place: { root: { kind: 'param', param }, unit: 1, offset, indexed: false }, index: [] };
  }
  // An access without a state space is generic through a register. Through a name, it is in the
  // variable's own space.
  const root = { kind: 'address', space: space === 'generic' ? base.space : space } as const;
  return { place: { root, unit: 1, offset, indexed: true }, index: [registers.symbol(base, 0)] };
}
