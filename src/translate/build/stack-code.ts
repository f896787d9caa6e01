// Builds the operations of calls that use the stack.
import { at } from '../../base/invariants.ts';
import type { Value } from '../ir/nodes.ts';
import { integerOf, type Type, widthOf } from '../ir/types.ts';
import { type StackCall, stackBytes } from './call-stack.ts';
import { frameRegister, stackRegister } from './function-body.ts';
import type { Registers } from './registers.ts';

const place = (offset: number) =>
  ({ root: { kind: 'address', space: 'local' }, unit: 1, offset, indexed: true }) as const;

function store(registers: Registers, address: Value, offset: number, value: Value): void {
  const attrs = { place: place(offset), type: value.type, order: 'weak', scope: undefined, count: 1 } as const;
  registers.b.emit('store', attrs, [address, value]);
}

function load(registers: Registers, address: Value, offset: number, type: Type): Value {
  return registers.b.value('load', { place: place(offset), type, order: 'weak', scope: undefined, count: 1 }, [
    address,
  ]);
}

/** Builds a test whether the stack has room for the call. */
export function hasRoom(registers: Registers, { passage, area, locals }: StackCall): Value {
  const { b } = registers;
  registers.frame = passage.caller;
  return b.icmp('ule', registers.readOwn(stackRegister), b.i32(Math.max(stackBytes - area - locals, 0)));
}

/** Saves the caller's registers, and creates the callee's part of the stack. */
export function push(registers: Registers, { passage, site, saved, area, locals }: StackCall): void {
  const { b } = registers;
  registers.frame = passage.caller;
  const end = registers.readOwn(stackRegister);
  const address = registers.stackAddress(end);
  for (const { register, type, offset } of saved) {
    const value = registers.readOwn(register);
    const bits = widthOf(value.type) < 32 ? b.resize(b.bitcast(value, integerOf(widthOf(value.type))), 'i32') : value;
    store(registers, address, offset, registers.convert(bits, type, false));
  }
  store(registers, address, area - 4, b.i32(site));
  const frame = b.iadd(end, b.i32(area));
  registers.frame = passage.callee;
  registers.writeOwn(frameRegister, frame);
  registers.writeOwn(stackRegister, b.iadd(frame, b.i32(locals)));
}

/** Restores the caller's registers. The callee's results have been read already. */
export function pop(registers: Registers, { passage, saved, area }: StackCall, frame: Value): void {
  if (saved.length === 0) return;
  const { b } = registers;
  registers.frame = passage.caller;
  const address = registers.stackAddress(b.isub(frame, b.i32(area)));
  for (const { register, type, offset } of saved) {
    const own = at(passage.caller.body.types, register, 'the type of a register');
    const bits = load(registers, address, offset, type);
    registers.writeOwn(register, registers.convert(bits, own, false));
  }
}

/** Builds a load of the call site's number from the stack. */
export function siteOf(registers: Registers): Value {
  const address = registers.stackAddress(registers.readOwn(frameRegister));
  return load(registers, address, -4, 'i32');
}
