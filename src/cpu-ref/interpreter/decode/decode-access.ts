// Decodes the address of a load, store, atomic or copy.
import type { AddressOperand, Instruction, Operand, StateSpace } from '../../../ptx/ast.ts';
import type { Access, AccessOrigin, AccessSpace } from '../memory/access.ts';
import type { DecodeContext } from './decode-control.ts';
import { isOrigin } from './origins.ts';

export function operandOf(instruction: Instruction, name: string): Operand {
  const operand = instruction.operands[name];
  if (operand === undefined) throw new RangeError(`${instruction.row.name} lacks its operand '${name}'`);
  return operand;
}

/** Returns the state space of the address operand `name`. */
export function spaceOf(instruction: Instruction, name = 'a'): AccessSpace {
  const text = (instruction.row.spaces?.[name] ?? instruction.mods.space ?? '').replace(/::.*/, '');
  const spaces: readonly StateSpace[] = ['global', 'shared', 'local', 'const', 'param'];
  return spaces.find((space) => space === text) ?? 'generic';
}

export function access(
  instruction: Instruction,
  bytes: number,
  verb: Access['verb'],
  context: DecodeContext,
  name = 'a',
): Access {
  const operand = operandOf(instruction, name);
  if (operand.kind !== 'address') throw new TypeError(`${instruction.row.name} without an address`);
  const { builder } = context;
  const place = basePlace(operand, context);
  const { base } = operand;
  let space = spaceOf(instruction, name);
  if (base !== null && 'space' in base) {
    // The variable determines the state space, even if the instruction is generic.
    space = builder.onStack(base) ? 'local' : base.space;
  } else if (space === 'param' && builder.fn.kind === 'func') space = 'local';
  const { sem } = instruction.mods;
  const order = {
    strong: verb === 'atomic' || sem !== undefined,
    volatile: sem === 'volatile',
    releases: sem === 'release' || sem === 'acq_rel',
  };
  const offset = base === null || 'space' in base ? 0 : operand.offset;
  const origin = originOf(base, context);
  const { span } = instruction;
  // The modifier of an instruction with several addresses does not apply to all of them.
  const isOwn = instruction.row.spaces === undefined && /^shared(::cta)?$/.test(instruction.mods.space ?? '');
  const own = isOwn ? ({ own: true } as const) : {};
  return { ...own, space, base: place, offset, wraps: place.width === 32, bytes, span, ...origin, verb, ...order };
}

function originOf(base: AddressOperand['base'], { builder, space, origins }: DecodeContext): { origin?: AccessOrigin } {
  if (base === null || origins === undefined) return {};
  const variable = 'space' in base ? base : origins.get(base);
  if (variable === undefined || !isOrigin(variable)) return {};
  const start = space.addressOf(variable) ?? builder.stackOffset(variable);
  const bytes = space.sharedParts.find(({ variable: part }) => part === variable)?.bytes ?? variable.bytes;
  return { origin: { variable, start, bytes } };
}

function basePlace({ base, offset }: AddressOperand, { builder, reads }: DecodeContext) {
  if (base === null) return builder.constant(BigInt.asUintN(64, BigInt(offset)), 64);
  if ('space' in base) return builder.symbol(base, offset, 64);
  const place = builder.register(base);
  reads.push({ place, width: place.width, negated: false });
  return place;
}
