// Gives variables of shared and local memory arrays of their own, as far as each access is known to stay with one of them. So one variable's
// atomics or vectors say nothing of the others, and the sizes are small that indexes are kept below.
import type { AddressOperand, Instruction, Variable } from '../ptx/ast.ts';
import type { Buffers, Target } from './find-buffers.ts';
import { findOrigins, type Origin } from './find-origins.ts';
import type { Kernel } from './ir.ts';
import { alignUp, type Grouping, inSpace, isDynamic, type Layout, layOut, type MemoryArray } from './layout.ts';
import { accessWords, addressOperand, type Granule, needsAtomics } from './memory-access.ts';

type Space = MemoryArray['space'];

export interface SplitArrays {
  readonly layout: Layout;
  /// The array an access reaches; undefined where it reaches other memory, or may.
  readonly arrayOf: (instruction: Instruction, address: AddressOperand) => MemoryArray | undefined;
}

export function splitArrays(kernel: Kernel, buffers: Buffers, dynamicShared: number): SplitArrays {
  let origins: ((address: AddressOperand) => Origin) | undefined;
  const originOf = (address: AddressOperand): Origin => {
    origins ??= findOrigins(kernel.blocks);
    return origins(address);
  };
  const accesses = kernel.blocks.flatMap(({ code }) =>
    code.flatMap((instruction): Access[] => {
      const address = addressOperand(instruction);
      return address ? [{ instruction, address, target: buffers.targetOf(instruction, address) }] : [];
    }),
  );
  // A generic access finds shared memory as a whole.
  const generic = accesses.some(({ target }) => target === 'generic');
  const groupsOf = (space: Space): Variable[][] =>
    generic
      ? [inSpace(kernel.variables, space)]
      : groupVariables(
          inSpace(kernel.variables, space),
          accesses.filter(({ target }) => target === space),
          originOf,
        );
  const split = layOutWithin(kernel.variables, dynamicShared, { shared: groupsOf('shared'), local: groupsOf('local') });
  const keyOf = ({ address, target }: Access): string | undefined => {
    const candidates = split.arrays.filter(
      ({ space }) => space === target || (target === 'generic' && space === 'shared'),
    );
    if (candidates.length < 2) return candidates[0]?.key;
    const origin = originOf(address);
    return candidates.find(({ variables }) => variables.some(({ name }) => origin !== 'any' && origin.has(name)))?.key;
  };
  const layout = { ...split, arrays: withTraits(kernel, split.arrays, accesses, keyOf) };
  const arrays = new Map(layout.arrays.map((array) => [array.key, array]));
  return {
    layout,
    arrayOf: (instruction, address) => {
      const target = buffers.targetOf(instruction, address);
      return target === 'generic' ? undefined : arrays.get(keyOf({ instruction, address, target }) ?? '');
    },
  };
}

interface Access {
  readonly instruction: Instruction;
  readonly address: AddressOperand;
  readonly target: Target;
}

/// Sets of variables that some access may reach any of; all of them where an access may reach anything.
function groupVariables(
  variables: Variable[],
  accesses: readonly Access[],
  originOf: (address: AddressOperand) => Origin,
): Variable[][] {
  if (variables.length < 2) return [variables];
  const named = new Map(variables.map((variable) => [variable.name, variable]));
  const groups = new Map(variables.map((variable) => [variable.name, [variable]]));
  const unite = (names: readonly string[]) => {
    const [first, ...rest] = [...new Set(names.map((name) => groups.get(name) ?? []))];
    for (const variable of rest.flat()) {
      first?.push(variable);
      if (first) groups.set(variable.name, first);
    }
  };
  // All of these begin at one place.
  unite(variables.filter(isDynamic).map(({ name }) => name));
  for (const { address } of accesses) {
    const origin = originOf(address);
    if (origin === 'any' || origin.size === 0 || ![...origin].every((name) => named.has(name))) return [variables];
    const { base, offset } = address;
    // A neighbour named by its distance.
    if (base !== null && 'space' in base && !isDynamic(base) && (offset < 0 || offset >= base.bytes))
      return [variables];
    unite([...origin]);
  }
  return [...new Set(groups.values())];
}

/// WebGPU counts each array of shared memory in steps of 16 bytes, and limits are multiples of 16 KiB: arrays stay together where it takes
/// them apart over such a multiple.
function layOutWithin(variables: readonly Variable[], dynamicShared: number, grouping: Grouping): Layout {
  const split = layOut(variables, dynamicShared, grouping);
  if (grouping.shared.length < 2) return split;
  const steps = (layout: Layout) => Math.ceil(alignUp(layout.sharedBytes, 16) / 16384);
  const together = layOut(variables, dynamicShared, { ...grouping, shared: [inSpace(variables, 'shared')] });
  return steps(split) > steps(together) ? together : split;
}

const fences = new Set(['membar', 'fence']);
const orders = (instruction: Instruction) =>
  fences.has(instruction.row.name) || /^(acquire|release|acq_rel)$/.test(instruction.mods.sem ?? '');

/// Which arrays have atomic elements, and which have vectors.
function withTraits(
  kernel: Kernel,
  arrays: readonly MemoryArray[],
  accesses: readonly Access[],
  keyOf: (access: Access) => string | undefined,
): readonly MemoryArray[] {
  const instructions = kernel.blocks.flatMap(({ code }) => code);
  const shared = arrays.filter(({ space }) => space === 'shared').map(({ key }) => key);
  // WGSL orders the accesses of a warp's lanes only where they are atomic.
  const atomic = new Set(instructions.some(({ row }) => row.name === 'bar.warp.sync') ? shared : []);
  const granules = new Map<string, Granule>();
  for (const access of accesses) {
    const key = keyOf(access);
    if (key === undefined || !shared.includes(key)) continue;
    if (needsAtomics(access.instruction)) atomic.add(key);
    const words = accessWords(access.instruction);
    if (words > (granules.get(key) ?? 1)) granules.set(key, words);
  }
  // What a fence orders may lie in different arrays.
  if (atomic.size > 0 && instructions.some(orders)) for (const key of shared) atomic.add(key);
  // Generic accesses go by words, wherever they go.
  const wordwise = accesses.some(({ target }) => target === 'generic');
  return arrays.map((array) => ({
    ...array,
    atomic: atomic.has(array.key),
    granule: wordwise || atomic.has(array.key) ? 1 : (granules.get(array.key) ?? 1),
  }));
}
