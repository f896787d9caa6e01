// What a kernel's parameters are for, from how they are used: which are pointers, and to what.
import type { Instruction, Operand, PtxFunction, Variable } from '../../ptx/ast.ts';
import type { ImageUse } from './draw-image.ts';

export interface ParamUse {
  readonly variable: Variable;
  readonly pointer: boolean;
  /// Type of the first access through it that is not of plain bits, or else of the first.
  readonly accessType: string | undefined;
  /// Of a handle of a texture or surface.
  readonly image: ImageUse | undefined;
}

const memoryKinds = new Set(['memory', 'atomic']);
const addressRows = new Set(['cvta', 'cvta.to']);

/// Follows each parameter through registers, and through the stack where the compiler was not optimizing, without regard to the order of
/// instructions. A register that may hold two parameters counts for both.
export function paramUses(entry: PtxFunction): ParamUse[] {
  const params = entry.params.filter((param): param is Variable => 'space' in param);
  const indexOf = new Map(params.map((param, index) => [param, index]));
  const holds = new Map<string, Set<number>>();
  const instructions = entry.body.filter((statement): statement is Instruction => statement.kind === 'instruction');
  const moves = instructions.flatMap((instruction) => flowOf(instruction, indexOf));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to, param } of moves) {
      const known = holds.get(to) ?? new Set<number>();
      const before = known.size;
      if (param !== undefined) known.add(param);
      for (const source of from) for (const index of holds.get(source) ?? []) known.add(index);
      if (known.size > before) {
        holds.set(to, known);
        changed = true;
      }
    }
  }
  const pointers = new Set<number>();
  const types = new Map<number, string>();
  const images = new Map<number, ImageUse>();
  for (const instruction of instructions) {
    const { a } = instruction.operands;
    if (a?.kind === 'image' && 'name' in a.object) {
      for (const index of holds.get(a.object.name) ?? []) images.set(index, imageUse(instruction, images.get(index)));
    }
    for (const index of holds.get(pointerOf(instruction) ?? '') ?? []) {
      pointers.add(index);
      const { type } = instruction.mods;
      if (!memoryKinds.has(instruction.row.kind) || addressRows.has(instruction.row.name) || type === undefined)
        continue;
      const known = types.get(index);
      if (known === undefined || (known.startsWith('b') && !type.startsWith('b'))) types.set(index, type);
    }
  }
  return params.map((variable, index) => ({
    variable,
    pointer: pointers.has(index) && !variable.array && !variable.type.startsWith('f'),
    accessType: types.get(index),
    image: images.get(index),
  }));
}

/// With what was known of the handle.
function imageUse({ row, mods }: Instruction, known: ImageUse | undefined): ImageUse {
  return {
    isSurface: row.name.startsWith('su'),
    geom: mods.geom ?? known?.geom,
    isInteger: mods.ctype === 's32' || known?.isInteger === true,
    type: mods.dtype ?? known?.type ?? 'f32',
  };
}

interface Flow {
  readonly from: readonly string[];
  readonly to: string;
  readonly param?: number;
}

const nameOf = (operand: Operand | undefined): string | undefined =>
  operand?.kind === 'register' ? operand.register.name : undefined;

/// A place on the stack goes by its address as written.
function cellOf(operand: Operand | undefined): string | undefined {
  if (operand?.kind !== 'address' || operand.base === null) return undefined;
  return `[${operand.base.name}+${operand.offset}]`;
}

function flowOf(instruction: Instruction, indexOf: ReadonlyMap<Variable, number>): Flow[] {
  const { row, mods, operands } = instruction;
  const to = nameOf(operands.d);
  if (row.kind === 'memory' && !addressRows.has(row.name)) {
    const { a } = operands;
    const cell = cellOf(a);
    const param = a?.kind === 'address' && a.base !== null && 'space' in a.base ? indexOf.get(a.base) : undefined;
    if (to !== undefined && param !== undefined) return [{ from: [], to, param }];
    if (mods.space === 'global' || mods.space === 'shared' || cell === undefined) return [];
    const stored = nameOf(operands.b);
    if (stored !== undefined) return [{ from: [stored], to: cell }];
    return to === undefined ? [] : [{ from: [cell], to }];
  }
  if (to === undefined || (row.kind !== 'lane' && !addressRows.has(row.name))) return [];
  const from = Object.entries(operands).flatMap(([name, operand]) => {
    return keepsAddress(instruction, name) ? (nameOf(operand) ?? []) : [];
  });
  return [{ from, to }];
}

const carriers = new Set(['mov', 'add', 'sub', 'selp', 'and', 'min', 'max']);

/// Whether what an instruction makes of an address is one still. What is scaled, cut or shifted was a number, however wide.
function keepsAddress({ row, mods }: Instruction, operand: string): boolean {
  if (operand === 'd') return false;
  if (addressRows.has(row.name) || carriers.has(row.name)) return true;
  if (row.name === 'cvt') return mods.dtype?.slice(1) === mods.atype?.slice(1);
  return row.name.startsWith('mad') && operand === 'c';
}

/// The register that an instruction takes for an address of global memory.
function pointerOf({ row, mods, operands }: Instruction): string | undefined {
  if (row.name === 'cvta.to' && mods.space === 'global') return nameOf(operands.a);
  if (!memoryKinds.has(row.kind) || addressRows.has(row.name)) return undefined;
  const inGlobal = mods.space === undefined || mods.space === 'global' || row.name === 'ld.global.nc';
  const { a } = operands;
  if (!inGlobal || a?.kind !== 'address' || a.base === null || 'space' in a.base) return undefined;
  return a.base.name;
}
