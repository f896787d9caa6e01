// Infers how a kernel numbers its threads, and which blocks are suitable for the kernel.
import { groupBy } from '../../base/group-by.ts';
import { at } from '../../base/invariants.ts';
import type { Dim3 } from '../../base/launch.ts';
import { effectsOf } from '../../isa/row.ts';
import type { Instruction, Module, Operand, PtxFunction, Variable } from '../../ptx/ast.ts';
import { coefficientOf, constantOf, type Polynomial, sum } from './polynomial.ts';
import type { ValueForms } from './value-forms.ts';

export interface ThreadUse {
  /**
   * The axes whose thread index the kernel reads. If there are none, all threads of a block do the
   * same work.
   */
  readonly threadAxes: readonly ('x' | 'y' | 'z')[];
  /** The axes whose block index the kernel reads. */
  readonly blockAxes: readonly ('x' | 'y' | 'z')[];
  /** Whether threads of a block synchronize or exchange values. */
  readonly hasBarrier: boolean;
  readonly hasWarpInstructions: boolean;
  readonly usesDynamicShared: boolean;
  /** The block size that the kernel's directives require. `max` is the maximum that they allow. */
  readonly required: Dim3 | undefined;
  readonly max: Dim3 | undefined;
  /** The accesses of shared arrays whose addresses use the thread's index. */
  readonly sharedRows: readonly SharedRow[];
  /** The constants with which the x index of a thread is compared. */
  readonly bounds: readonly number[];
}

/** An access of a shared array whose address depends on the thread's index. */
interface SharedRow {
  /** The array's size in bytes; 0 for dynamic memory. */
  readonly bytes: number;
  /** The increase of the address in bytes per unit of the x, y and z index. */
  readonly strides: Dim3;
  /**
   * The distance between the stores of an unrolled loop, in bytes; 0 for a single store, and for a
   * load. Threads store to different elements, so their elements fill at most this distance.
   */
  readonly gap: number;
}

const axes = ['x', 'y', 'z'] as const;

export function threadUse(
  module: Module,
  functions: readonly PtxFunction[],
  instructions: readonly Instruction[],
  forms: ValueForms,
): ThreadUse {
  const names = new Set(instructions.flatMap(({ operands }) => Object.values(operands).flatMap(specialsOf)));
  const usesLane = [...names].some((name) => /^%(laneid|warpid|lanemask)/.test(name));
  const has = (register: string, axis: string): boolean => names.has(`%${register}.${axis}`);
  const rows = instructions.map(({ row }) => row);
  const hasWarpInstructions = rows.some(({ kind }) => kind === 'warp' || kind === 'matrix');
  const [entry] = functions;
  const variables: readonly Variable[] = [...module.variables, ...functions.flatMap((fn) => fn.variables)];
  return {
    threadAxes: axes.filter((axis) =>
      axis === 'x'
        ? has('tid', axis) || usesLane || hasWarpInstructions
        : has('tid', axis) && (!has('tid', 'x') || instructions.some((one) => usesAxis(one, axis, forms))),
    ),
    blockAxes: axes.filter((axis) => has('ctaid', axis) || has('clusterid', axis)),
    hasBarrier: rows.some((row) => row.kind === 'barrier' && row.effects.collective === 'block'),
    hasWarpInstructions,
    usesDynamicShared: variables.some(({ space, bytes }) => space === 'shared' && bytes === 0),
    required: entry?.requiredThreads,
    max: entry?.maxThreads,
    sharedRows: sharedRows(instructions, forms),
    bounds: [...new Set(instructions.flatMap((instruction) => boundsOf(instruction, forms)))].sort((a, b) => a - b),
  };
}

/**
 * Rows that map polynomials to polynomials, or test an index for 0. They do not indicate the
 * purpose of the index.
 */
const neutral: ReadonlySet<string> = new Set(['mov', 'cvt', 'cvta', 'cvta.to', 'add', 'sub', 'mul', 'mul.wide', 'mad', 'mad.wide', 'mul24', 'mad24', 'shl', 'neg', 'or']); // biome-ignore format: one line

/**
 * Whether an instruction uses the index of an axis directly, and not as a part of the thread's
 * linear number in its block.
 */
function usesAxis({ row, mods, operands }: Instruction, axis: 'y' | 'z', forms: ValueForms): boolean {
  if (neutral.has(row.name)) return false;
  const isTest = mods.cmp === 'eq' || mods.cmp === 'ne';
  if (isTest && Object.values(operands).some((one) => one.kind === 'immediate' && one.bits === 0n)) return false;
  const factors = axis === 'y' ? ['%ntid.x'] : ['%ntid.x', '%ntid.y'];
  return Object.entries(operands).some(([name, operand]) => {
    const form = row.writes.includes(name) ? undefined : forms.ofOperand(operand);
    return [...(form?.values() ?? [])].some(({ atoms }) => {
      const keys = atoms.map(({ key }) => key);
      return keys.includes(`%tid.${axis}`) && !factors.every((factor) => keys.includes(factor));
    });
  });
}

function specialsOf(operand: Operand): string[] {
  if (operand.kind === 'special') return [operand.name];
  if (operand.kind !== 'vector') return [];
  return operand.elements.flatMap((element) => (element.kind === 'special' ? [element.name] : []));
}

function sharedRows(instructions: readonly Instruction[], forms: ValueForms): SharedRow[] {
  const rows = instructions.flatMap(({ row, mods, operands }) => {
    const { memory } = effectsOf(row, mods);
    return Object.values(operands).flatMap((operand) => {
      const address = operand.kind === 'address' ? forms.ofAddress(operand) : undefined;
      if (address === undefined) return [];
      const base = forms.bases(address).find((atom) => atom.kind === 'variable' && atom.variable.space === 'shared');
      if (base?.kind !== 'variable') return [];
      // A loop over the elements may start at the thread's index.
      const form = forms.initial(address);
      const strides: Dim3 = [stride(form, 'x'), stride(form, 'y'), stride(form, 'z')];
      if (strides.every((bytes) => bytes === 0)) return [];
      return [{ bytes: base.variable.bytes, strides, form, stores: memory === 'writes' }];
    });
  });
  const groups = groupBy(rows, ({ form, stores }) => `${stores} ${variablePart(form)}`);
  return [...groups.values()].flatMap((group) => {
    const places = group.map(({ form }) => form.get('')?.coefficient ?? 0); // The form may have no constant.
    const gap = greatestDivisor(places.map((place) => Math.abs(place - at(places, 0, 'the stores of a group'))));
    return group.slice(0, 1).map(({ bytes, strides, stores }) => ({ bytes, strides, gap: stores ? gap : 0 }));
  });
}

/** Returns the terms without the constant, as text. */
const variablePart = (form: Polynomial): string =>
  [...form]
    .flatMap(([key, { coefficient }]) => (key === '' ? [] : [`${coefficient}*${key}`]))
    .sort()
    .join('+');

const greatestDivisor = (numbers: readonly number[]): number =>
  numbers.reduce((a, b) => {
    let [large, small] = [a, b];
    while (small !== 0) [large, small] = [small, large % small];
    return large;
  }, 0);

const stride = (form: Polynomial, axis: string): number => coefficientOf(form, `%tid.${axis}`);

/**
 * Returns the constant with which a `setp` compares the thread's index, if any: a likely block
 * size.
 */
function boundsOf({ row, mods, operands }: Instruction, forms: ValueForms): number[] {
  if (!row.name.startsWith('setp') || mods.type?.startsWith('f') === true) return [];
  const a = forms.ofOperand(operands.a);
  const b = forms.ofOperand(operands.b);
  const difference = a && b && sum(a, b, -1);
  if (difference === undefined || Math.abs(coefficientOf(difference, '%tid.x')) !== 1) return [];
  const rest = constantOf(new Map([...difference].filter(([key]) => key !== '%tid.x')));
  return rest === undefined ? [] : [Math.abs(rest)];
}
