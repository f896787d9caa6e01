// Passes the values of calls between caller and callee: reads registers, constants and `.param`
// variables of one, and writes those of the other.
import { get, missing } from '../../base/invariants.ts';
import type { Operand, Register, Variable } from '../../ptx/ast.ts';
import { bytesOf } from '../../ptx/types.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { constant, type Value } from '../ir/nodes.ts';
import { integerOf, type Type, widthOf } from '../ir/types.ts';
import type { CallGraph } from './call-graph.ts';
import type { FunctionBody } from './function-body.ts';
import type { ParamCells } from './param-cells.ts';
import type { Registers } from './registers.ts';
import { isSigned, typeOf } from './types.ts';

/** A part of a passed value. */
export interface Place {
  readonly offset: number;
  readonly type: Type;
}

/** A passed value: an operand of a call, or a function's parameter or result. */
export type Passed = Variable | Register | Operand;

/**
 * Returns the parts of a function's parameters or results, in order: the single part of a register,
 * or the cells of a variable.
 */
export function passedPlaces(
  graph: CallGraph,
  body: FunctionBody,
  which: 'params' | 'results',
): readonly (readonly Place[])[] {
  return body.fn[which].map((item) =>
    'space' in item
      ? get(get(graph.params, body, 'the parameters of a function'), item, 'a parameter').cells
      : [{ offset: 0, type: typeOf(item.type) }],
  );
}

const bitsOf = ({ b }: Registers, value: Value): Value => b.bitcast(value, integerOf(widthOf(value.type)));

function cellsOf(registers: Registers, variable: Variable): ParamCells {
  return registers.cellsOf(variable) ?? missing('the cells of a parameter', variable);
}

/** Reads the parts of a passed value. */
export function readPassed(registers: Registers, item: Passed, places: readonly Place[]): readonly Value[] {
  const { b } = registers;
  if ('space' in item) {
    const cells = cellsOf(registers, item);
    return places.map(({ offset, type }) =>
      cells.memory
        ? loadLocal(registers, cells.memory, offset, type)
        : registers.convert(registers.readCell(cells, offset, widthOf(type) / 8), type, false),
    );
  }
  const whole = readWhole(registers, item);
  return places.map(({ offset, type }) => {
    const moved = offset === 0 ? whole : b.lshrw(bitsOf(registers, whole), b.i32(8 * offset));
    return registers.convert(moved, type, false);
  });
}

function readWhole(registers: Registers, item: Register | Operand): Value {
  if (!('kind' in item)) return registers.readRegister(item);
  if (item.kind === 'immediate') return constant(typeOf(item.type), item.bits);
  if (item.kind === 'register') return registers.readRegister(item.register);
  return refuse(compileDiagnostics.notSupported(`an argument of kind ${item.kind}`), item.span);
}

/** Writes the parts of a passed value. */
export function writePassed(
  registers: Registers,
  item: Passed,
  places: readonly Place[],
  values: readonly Value[],
): void {
  if ('space' in item) {
    const cells = cellsOf(registers, item);
    places.forEach(({ offset, type }, index) => {
      const value = values[index];
      if (value === undefined) return;
      if (cells.memory) storeLocal(registers, cells.memory, offset, value);
      else registers.writeCell(cells, offset, widthOf(type) / 8, value);
    });
    return;
  }
  const register = !('kind' in item) ? item : item.kind === 'register' ? item.register : undefined;
  if (register === undefined) return;
  const whole = places.length === 1 && values[0] ? values[0] : joinPieces(registers, register, places, values);
  registers.writeRegister(register, whole, isSigned(register.type));
}

function joinPieces(
  registers: Registers,
  { type }: Register,
  places: readonly Place[],
  values: readonly Value[],
): Value {
  const { b } = registers;
  const wide = integerOf(8 * bytesOf(type));
  let whole: Value = b.int(wide, 0);
  places.forEach(({ offset }, index) => {
    const value = values[index];
    if (value === undefined) return;
    const piece = registers.convert(bitsOf(registers, value), wide, false);
    whole = b.or(whole, b.shlw(piece, b.i32(8 * offset)));
  });
  return whole;
}

const localPlace = (offset: number) =>
  ({ root: { kind: 'address', space: 'local' }, unit: 1, offset, indexed: true }) as const;

function loadLocal(registers: Registers, variable: Variable, offset: number, type: Type): Value {
  const attrs = { place: localPlace(offset), type, order: 'weak', scope: undefined, count: 1 } as const;
  return registers.b.value('load', attrs, [registers.symbol(variable, 0)]);
}

function storeLocal(registers: Registers, variable: Variable, offset: number, value: Value): void {
  const attrs = { place: localPlace(offset), type: value.type, order: 'weak', scope: undefined, count: 1 } as const;
  registers.b.emit('store', attrs, [registers.symbol(variable, 0), value]);
}
