// Places a module's variables of global and constant memory, and writes their initial values.
import { alignUp } from '../../../base/align.ts';
import type { Image } from '../../../base/image.ts';
import { encodeScalar } from '../../../base/scalars.ts';
import type { Module, StateSpace, Variable } from '../../../ptx/ast.ts';
import { LaunchError } from '../../launch-error.ts';
import { Region, type RegionPart } from './region.ts';

/** The variables of a module in memory. */
export interface PlacedVariables {
  /** The variables in global memory, each in a region of its own. */
  readonly globals: readonly Region[];
  readonly constant: Region;
  /** The address of each variable in the variable's state space. */
  readonly addresses: ReadonlyMap<Variable, number>;
}

/** A texture or surface of a launch. Its texels do not have addresses. */
export interface BoundImage {
  readonly image: Image;
  readonly region: Region;
}

/**
 * Memory that outlives a launch: allocations, and the variables of a module. Addresses have 32 bits.
 */
export interface KeptMemory {
  readonly allocations: readonly Region[];
  readonly variables: PlacedVariables;
  /** The textures and surfaces, by handle. */
  readonly images: ReadonlyMap<number, BoundImage>;
}

interface Placement {
  /** Returns the region of a variable in global memory. */
  readonly addGlobal: (variable: Variable) => Region;
  /** Converts an address in a state space to a generic address. */
  readonly toGeneric: (space: StateSpace, address: number) => number;
}

const isStatic = ({ space }: Variable): boolean => space === 'global' || space === 'const';

/** Returns the variables of a module and of its functions that are in global or constant memory. */
export const staticsOf = ({ variables, functions }: Pick<Module, 'variables' | 'functions'>): readonly Variable[] =>
  [...variables, ...functions.flatMap((fn) => fn.variables)].filter(isStatic);

/**
 * Places variables and writes their initial values. An initializer may contain the address of a
 * variable of the module. Throws `LaunchError` if that variable has no address.
 */
export function placeVariables(
  statics: readonly Variable[],
  { variables }: Pick<Module, 'variables'>,
  { addGlobal, toGeneric }: Placement,
): PlacedVariables {
  const addresses = new Map<Variable, number>();
  const regions = new Map<Variable, Region>();
  const parts: RegionPart[] = [];
  let end = 0;
  for (const variable of statics) {
    if (variable.space === 'global') {
      const region = addGlobal(variable);
      regions.set(variable, region);
      addresses.set(variable, region.base);
      continue;
    }
    const start = alignUp(end, variable.align);
    addresses.set(variable, start);
    parts.push({ name: variable.name, variable, start, bytes: variable.bytes });
    end = start + variable.bytes;
  }
  const constant = new Region('constant memory', 'const', 0, end, { parts });
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const addressNamed = (name: string, isGeneric: boolean, user: Variable): number => {
    const target = byName.get(name);
    const own = target && addresses.get(target);
    if (target === undefined || own === undefined)
      throw new LaunchError(`'${user.name}' is initialized of '${name}', which has no address`);
    return isGeneric ? toGeneric(target.space, own) : own;
  };
  for (const [variable, address] of addresses) {
    const region = regions.get(variable) ?? constant;
    const at = address - region.base;
    for (const part of variable.initializers) {
      if (part.kind === 'bytes') region.bytes.set(part.bytes, at + part.offset);
      else {
        const value = addressNamed(part.symbol, part.generic, variable) + part.addend;
        region.bytes.set(encodeScalar('u64', BigInt(value)).subarray(0, part.bytes), at + part.offset);
      }
    }
  }
  return { globals: [...regions.values()], constant, addresses };
}
