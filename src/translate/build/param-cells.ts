// `.param` variables of calls as values. Each variable becomes cells, as small as the accesses of
// caller and callee require. A variable whose address is taken stays in memory, and a call copies
// its cells.

import { get } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { PtxType } from '../../isa/row.ts';
import { builtInFunction, type ReportName, type ServiceName } from '../../isa/services.ts';
import type { AddressOperand, CallOperand, Instruction, Operand, Register, Variable } from '../../ptx/ast.ts';
import { bytesOf } from '../../ptx/types.ts';
import { integerOf, type Type, widthOf } from '../ir/types.ts';
import type { FunctionBody } from './function-body.ts';
import { ptxType, typeOf } from './types.ts';

/** A part of a parameter. */
export interface Cell {
  readonly offset: number;
  readonly bytes: number;
  readonly type: Type;
}

/** The cells of a parameter, in the function to which it belongs. */
export interface ParamCells {
  readonly cells: readonly Cell[];
  /** The register of each cell; empty if the parameter is in memory. */
  readonly registers: readonly number[];
  /** The variable in local memory, if its address is taken. */
  readonly memory: Variable | undefined;
  /** Returns the index of the cell at a place; undefined if several cells cover the place. */
  indexOf(offset: number, bytes: number): number | undefined;
}

/**
 * A node of a union-find structure. Each of its sets holds variables that pass the same values: a
 * function's parameter, and the variables from which its callers pass it.
 */
class Passing {
  above: Passing | undefined;
  /** The type of the first access to each place. */
  readonly accesses = new Map<number, Type>();
  inMemory = false;
  bytes = 0;

  root(): Passing {
    let top: Passing = this;
    while (top.above !== undefined) {
      // Halve the path, so that later searches are faster.
      if (top.above.above !== undefined) top.above = top.above.above;
      top = top.above;
    }
    return top;
  }
}

const maxBytes = 16;
const keyOf = (offset: number, bytes: number): number => offset * 2 * maxBytes + bytes;

export type ParamTable = ReadonlyMap<FunctionBody, ReadonlyMap<Variable, ParamCells>>;

/**
 * Computes the cells of all `.param` variables of these functions, except the kernel's own
 * parameters, and allocates registers for them.
 */
export function findParamCells(
  bodies: readonly FunctionBody[],
  bodiesOf: (call: CallOperand) => readonly FunctionBody[],
): ParamTable {
  const passings = new Map<FunctionBody, Map<Variable, Passing>>();
  const addressed = new Map<FunctionBody, Set<Variable>>();
  for (const body of bodies) {
    passings.set(body, new Map());
    addressed.set(body, new Set());
  }
  const passingOf = (body: FunctionBody, variable: Variable): Passing => {
    const own = get(passings, body, 'the variables of a function');
    const known = own.get(variable);
    if (known !== undefined) return known;
    const made = new Passing();
    made.bytes = variable.bytes;
    own.set(variable, made);
    return made;
  };
  for (const body of bodies) {
    if (body.fn.kind === 'func') {
      const formals: readonly (Variable | Register)[] = [...body.fn.params, ...body.fn.results];
      for (const formal of formals) if ('space' in formal) passingOf(body, formal);
    }
    const takeAddress = (variable: Variable) => {
      if (!isPassed(body, variable)) return;
      get(addressed, body, 'the variables of a function').add(variable);
      passingOf(body, variable).inMemory = true;
    };
    for (const { code, end } of body.blocks) {
      for (const instruction of code) {
        for (const name in instruction.operands) {
          const operand = instruction.operands[name];
          if (operand !== undefined) forEachSymbol(operand, takeAddress);
        }
        const address = passedAddress(body, instruction);
        if (address === undefined) continue;
        const passing = passingOf(body, address.variable);
        if (!addAccesses(passing, address.operand, instruction)) takeAddress(address.variable);
      }
      if (end.kind !== 'call') continue;
      if (end.call.service !== undefined) {
        linkService(end.call, end.call.service, (variable) => passingOf(body, variable));
        continue;
      }
      for (const callee of bodiesOf(end.call)) {
        const pairs = [
          ...end.call.args.map((given, index) => [given, callee.fn.params[index]] as const),
          ...end.call.results.map((given, index) => [given, callee.fn.results[index]] as const),
        ];
        for (const [given, formal] of pairs) {
          if (formal !== undefined)
            link(given, formal, (variable, inner) => passingOf(inner ? callee : body, variable));
        }
      }
    }
  }
  return makeTable(bodies, passings, addressed);
}

/** Whether a variable is a parameter of a call, or of a device function. */
const isPassed = (body: FunctionBody, variable: Variable): boolean =>
  variable.space === 'param' && !(body.fn.kind === 'entry' && body.fn.params.includes(variable));

export function forEachSymbol(operand: Operand, visit: (variable: Variable) => void): void {
  if (operand.kind === 'symbol') visit(operand.variable);
  else if (operand.kind === 'vector') for (const element of operand.elements) forEachSymbol(element, visit);
}

/** Returns the `.param` variable of a call that an instruction accesses by name. */
function passedAddress(
  body: FunctionBody,
  { operands }: Instruction,
): { readonly operand: AddressOperand; readonly variable: Variable } | undefined {
  const { a } = operands;
  if (a?.kind !== 'address' || a.base === null || !('space' in a.base)) return undefined;
  return isPassed(body, a.base) ? { operand: a, variable: a.base } : undefined;
}

/**
 * Adds the accesses of an instruction. Returns false if an access is unaligned or out of bounds.
 */
function addAccesses(passing: Passing, { offset }: AddressOperand, { mods }: Instruction): boolean {
  const type = ptxType(mods.type);
  const bytes = bytesOf(type);
  const count = vectorLength(mods.vec);
  for (let at = offset; at < offset + bytes * count; at += bytes) {
    if (at % bytes !== 0 || at < 0) return false;
    const key = keyOf(at, bytes);
    if (!passing.accesses.has(key)) passing.accesses.set(key, typeOf(type));
  }
  return true;
}

const vectorLengths: ReadonlyMap<string, number> = new Map([
  ['v2', 2],
  ['v4', 4],
]);

/** Returns the number of elements of a vector access; 1 without `.vec`. */
export const vectorLength = (vec: string | undefined): number =>
  vec === undefined ? 1 : get(vectorLengths, vec, 'the length of a vector');

type Given = CallOperand['args'][number];

/** Adds the accesses of a run-time function, which accesses each value as a whole. */
function linkService(
  call: CallOperand,
  name: ServiceName | ReportName,
  passingOf: (variable: Variable) => Passing,
): void {
  const service = builtInFunction(name);
  const touch = (given: readonly Given[], types: readonly PtxType[]) =>
    given.forEach((item, index) => {
      const type = types[index];
      if ('space' in item && type !== undefined) addWhole(passingOf(item).root(), type);
    });
  touch(call.args, service.params);
  touch(call.results, service.results);
}

function addWhole({ accesses }: Passing, type: PtxType): void {
  const key = keyOf(0, bytesOf(type));
  if (!accesses.has(key)) accesses.set(key, typeOf(type));
}

/**
 * Unites a caller's value with the callee's parameter. A value in a register counts as one access.
 */
function link(
  given: Given,
  formal: Variable | Register,
  passingOf: (variable: Variable, inner: boolean) => Passing,
): void {
  const outer = 'space' in given ? passingOf(given, false).root() : undefined;
  const inner = 'space' in formal ? passingOf(formal, true).root() : undefined;
  if (outer !== undefined && inner !== undefined) {
    if (outer === inner) return;
    for (const [key, type] of outer.accesses) if (!inner.accesses.has(key)) inner.accesses.set(key, type);
    inner.inMemory ||= outer.inMemory;
    inner.bytes = Math.max(inner.bytes, outer.bytes);
    outer.above = inner;
  } else if (outer !== undefined) addWhole(outer, formal.type);
  else if (inner !== undefined && 'space' in formal) addWhole(inner, formal.type);
}

function makeTable(
  bodies: readonly FunctionBody[],
  passings: ReadonlyMap<FunctionBody, ReadonlyMap<Variable, Passing>>,
  addressed: ReadonlyMap<FunctionBody, ReadonlySet<Variable>>,
): ParamTable {
  // Copy to the root the accesses that were added after a union.
  for (const own of passings.values()) {
    for (const passing of own.values()) {
      const root = passing.root();
      if (root === passing) continue;
      for (const [key, type] of passing.accesses) if (!root.accesses.has(key)) root.accesses.set(key, type);
      root.inMemory ||= passing.inMemory;
    }
  }
  const cellsOf = new Map<Passing, Cells>();
  const table = new Map<FunctionBody, Map<Variable, ParamCells>>();
  for (const body of bodies) {
    const own = new Map<Variable, ParamCells>();
    for (const [variable, passing] of get(passings, body, 'the variables of a function')) {
      const root = passing.root();
      const cells = getOrInsert(cellsOf, root, () => findCells(root));
      const inMemory = get(addressed, body, 'the variables of a function').has(variable);
      own.set(variable, {
        ...cells,
        memory: inMemory ? { ...variable, space: 'local' } : undefined,
        registers: inMemory ? [] : cells.cells.map(({ type }) => body.addRegister(type, variable.name)),
      });
    }
    table.set(body, own);
  }
  return table;
}

type Cells = Pick<ParamCells, 'cells' | 'indexOf'>;

/**
 * Returns a cell for each access that contains no smaller access. Larger accesses are split into
 * halves.
 */
function findCells({ accesses, inMemory, bytes }: Passing): Cells {
  const places = [...accesses.keys()].map((key) => ({
    offset: Math.floor(key / (2 * maxBytes)),
    bytes: key % (2 * maxBytes),
  }));
  if (inMemory) {
    // The address of the variable is taken, so any word or byte of it may be accessed.
    for (let at = 0; at < bytes; at += 4) {
      for (let piece = at; piece < Math.min(at + 4, bytes); piece += bytes - at >= 4 ? 4 : 1) {
        places.push({ offset: piece, bytes: bytes - at >= 4 ? 4 : 1 });
      }
    }
  }
  const split = new Set<number>();
  for (const place of places) {
    for (let size = place.bytes * 2; size <= maxBytes; size *= 2) {
      split.add(keyOf(place.offset - (place.offset % size), size));
    }
  }
  const found = new Map<number, Cell>();
  const visit = (offset: number, size: number): void => {
    const key = keyOf(offset, size);
    if (split.has(key)) {
      visit(offset, size / 2);
      visit(offset + size / 2, size / 2);
    } else if (!found.has(key)) {
      const type = accesses.get(key) ?? integerOf(8 * size);
      found.set(key, { offset, bytes: size, type: widthOf(type) === 8 * size ? type : integerOf(8 * size) });
    }
  };
  for (const place of places) visit(place.offset, place.bytes);
  const cells = [...found.values()].sort((a, b) => a.offset - b.offset);
  const indexes = new Map(cells.map(({ offset, bytes: size }, index) => [keyOf(offset, size), index]));
  return { cells, indexOf: (offset, size) => indexes.get(keyOf(offset, size)) };
}
