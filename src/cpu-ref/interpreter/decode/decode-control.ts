// Decodes the instructions that change the program counter or wait: branches, calls, exits,
// barriers and warp instructions.

import { getOrInsert } from '../../../base/maps.ts';
import type { MatrixMode } from '../../../base/matrix-mode.ts';
import { type PtxType, serviceOf } from '../../../isa/index.ts';
import type { CallOperand, Instruction, Operand, PtxFunction, Register, Variable } from '../../../ptx/ast.ts';
import { type CollectiveRowName, collectiveFunctions } from '../../warp/index.ts';
import type { AddressSpace } from '../memory/address-space.ts';
import type { Destination, LayoutBuilder, Source } from '../memory/layout.ts';
import { bitWidth } from '../memory/layout.ts';
import { clusterBarrier, isClusterBarrier } from '../operations/cluster-work.ts';
import type { BarrierWork, CallWork, Passed, ServiceWork, WarpWork, Work } from '../state/state.ts';
import { operandNames, operandType } from './operand-names.ts';

export interface DecodeContext {
  readonly builder: LayoutBuilder;
  readonly space: AddressSpace;
  readonly targets: ReadonlyMap<string, number>;
  readonly functions: readonly PtxFunction[];
  readonly builders: readonly LayoutBuilder[];
  /**
   * By register: the variable to which the register's addresses point. Undefined unless the run
   * sanitizes.
   */
  readonly origins: ReadonlyMap<Register, Variable> | undefined;
  readonly matrix: MatrixMode;
  /**
   * The sources that the instruction reads. The decoders add elements to this list, to `bitReads`
   * and to `writes`.
   */
  readonly reads: Source[];
  /** The sources whose undefined bits are propagated bit by bit. */
  readonly bitReads: Set<Source>;
  readonly writes: Destination[];
}

function need(instruction: Instruction, name: string): Operand {
  const operand = instruction.operands[name];
  if (operand === undefined) throw new RangeError(`${instruction.row.name} lacks its operand '${name}'`);
  return operand;
}

export function readOperand(instruction: Instruction, name: string, context: DecodeContext): Source {
  const source = context.builder.source(need(instruction, name), operandType(instruction.row, instruction.mods, name));
  context.reads.push(source);
  return source;
}

/** Decodes a destination. Returns undefined for `_` and for an omitted destination. */
export function writeOperand(instruction: Instruction, name: string, context: DecodeContext): Destination | undefined {
  const operand = instruction.operands[name];
  if (operand === undefined) return undefined;
  return writeTo(operand, operandType(instruction.row, instruction.mods, name), context);
}

export function writeTo(operand: Operand, type: PtxType, context: DecodeContext): Destination | undefined {
  const destination = context.builder.destination(operand, type);
  if (destination !== undefined) context.writes.push(destination);
  return destination;
}

function target(name: string, context: DecodeContext): number {
  const at = context.targets.get(name);
  if (at === undefined) throw new RangeError(`no label '${name}'`);
  return at;
}

function isCollective(name: string): name is CollectiveRowName {
  return Object.hasOwn(collectiveFunctions.hopper, name);
}

const keys = new Map<string, number>();

/**
 * Returns a number that identifies the row and its qualifiers. Lanes wait together only at
 * instructions with the same key.
 */
export function waitKey({ row, mods }: Instruction): number {
  const text = [
    row.name,
    ...Object.entries(mods)
      .map(([slot, value]) => `${slot}=${value}`)
      .sort(),
  ].join(' ');
  return getOrInsert(keys, text, () => keys.size);
}

/**
 * Returns the registers of an operand with their names. The registers of an operand in braces are
 * numbered: `a.0`, `a.1`.
 */
function registersOf(
  { operands }: Instruction,
  name: string,
): readonly { readonly name: string; readonly operand: Operand }[] {
  const operand = operands[name];
  if (operand?.kind === 'vector')
    return operand.elements.map((element, index) => ({ name: `${name}.${index}`, operand: element }));
  return operand === undefined ? [] : [{ name, operand }];
}

function decodeWarp(instruction: Instruction, context: DecodeContext): WarpWork {
  const { row, mods } = instruction;
  if (!isCollective(row.name)) throw new RangeError(`no reference function for ${row.name}`);
  const names = operandNames(row);
  const sources = names.sources.flatMap((operand) =>
    registersOf(instruction, operand).map(({ name, operand: register }) => {
      const source = context.builder.source(register, operandType(row, mods, operand));
      context.reads.push(source);
      return { name, source };
    }),
  );
  const destinations = names.destinations.flatMap((operand) => {
    const registers = registersOf(instruction, operand);
    // Keep an omitted destination, because lanes at another instruction with the same key may write
    // their destination.
    if (registers.length === 0) return [{ name: operand, destination: undefined }];
    return registers.map(({ name, operand: register }) => ({
      name,
      destination: writeTo(register, operandType(row, mods, operand), context),
    }));
  });
  const membermask = sources.find(({ name }) => name === 'membermask')?.source;
  const isWhole = row.kind === 'matrix';
  const does = { kind: 'exchange', row: row.name, fn: collectiveFunctions[context.matrix][row.name] } as const;
  return {
    does,
    key: waitKey(instruction),
    sources,
    destinations,
    membermask: isWhole ? wholeWarp(context) : membermask,
  };
}

/**
 * Returns the mask of all lanes, for an instruction without a membermask operand: all lanes of the
 * warp participate.
 */
export const wholeWarp = ({ builder }: DecodeContext): Source => ({
  place: builder.constant(0xffff_ffffn, 32),
  width: 32,
  negated: false,
});

function decodeBarrier(instruction: Instruction, context: DecodeContext): BarrierWork {
  const { row, mods, operands } = instruction;
  const op = row.name.endsWith('.popc') ? 'popc' : mods.op === 'and' ? 'and' : 'or';
  const reduces = operands.c !== undefined;
  return {
    id: readOperand(instruction, 'a', context),
    count: operands.b === undefined ? undefined : readOperand(instruction, 'b', context),
    waits: !row.name.endsWith('.arrive'),
    aligned: row.name.startsWith('bar.') || mods.aligned !== undefined,
    reduction: reduces
      ? {
          op,
          predicate: readOperand(instruction, 'c', context),
          destination: writeOperand(instruction, op === 'popc' ? 'd' : 'p', context),
        }
      : undefined,
  };
}

type Parameter = Variable | Register;

/** Returns the location of a parameter or result in the callee. */
function formal(parameter: Parameter, builder: LayoutBuilder): Passed {
  if ('space' in parameter) return { kind: 'stack', offset: builder.stackOffset(parameter), bytes: parameter.bytes };
  return { kind: 'value', place: builder.register(parameter), bytes: Math.max(1, bitWidth(parameter.type) / 8) };
}

/**
 * Returns the location of an argument or result in the caller. Adds its registers and immediates to
 * `seen`.
 */
function actual(
  argument: CallOperandPart,
  parameter: Pick<Parameter, 'type'>,
  builder: LayoutBuilder,
  seen: Source[],
): Passed {
  if ('space' in argument) return { kind: 'stack', offset: builder.stackOffset(argument), bytes: argument.bytes };
  const source = builder.source(argument, parameter.type);
  seen.push(source);
  return { kind: 'value', place: source.place, bytes: Math.max(1, bitWidth(parameter.type) / 8) };
}

type CallOperandPart = CallOperand['args'][number];

function decodeCall(instruction: Instruction, context: DecodeContext): Work {
  const operand = need(instruction, 'callee');
  if (operand.kind !== 'call') throw new TypeError('call without a callee');
  if (operand.service !== undefined) return { kind: 'service', service: decodeService(operand, context) };
  const { indirect } = operand;
  if (indirect === undefined) return { kind: 'call', call: decodeFunction(operand, operand.callee, context) };
  const { type } = indirect.address;
  const register = { kind: 'register', register: indirect.address, negated: false, span: operand.span } as const;
  const address = context.builder.source(register, type);
  context.reads.push(address);
  const calls = new Map(
    indirect.candidates.map(({ name, address: bits }) => [BigInt(bits), decodeFunction(operand, name, context)]),
  );
  return { kind: 'indirect', address, calls };
}

/** Decodes a call of a runtime function, which reads the arguments and writes the results. */
function decodeService(operand: CallOperand, context: DecodeContext): ServiceWork {
  const service = serviceOf(operand.callee);
  if (service === undefined) throw new RangeError(`no service '${operand.callee}'`);
  const pass = (parts: readonly CallOperandPart[], types: readonly PtxType[], seen: Source[]) =>
    parts.map((part, i): Passed => {
      const type = types[i];
      if (type === undefined) throw new RangeError(`${service.name} has no parameter ${i}`);
      return actual(part, { type }, context.builder, seen);
    });
  const written: Source[] = [];
  const args = pass(operand.args, service.params, context.reads);
  const results = pass(operand.results, service.results, written);
  for (const { place, width } of written) context.writes.push({ place, width, signed: false });
  return { service: service.name, args, results };
}

function decodeFunction(operand: CallOperand, name: string, context: DecodeContext): CallWork {
  const callee = context.functions.findIndex((fn) => fn.name === name);
  const fn = context.functions[callee];
  const builder = context.builders[callee];
  if (fn === undefined || builder === undefined) throw new RangeError(`no function '${name}'`);
  const pair = (parts: readonly CallOperandPart[], parameters: readonly Parameter[], seen: Source[]) =>
    parameters.flatMap((parameter, i) => {
      const part = parts[i];
      return part === undefined
        ? []
        : [[actual(part, parameter, context.builder, seen), formal(parameter, builder)] as const];
    });
  const written: Source[] = [];
  const passed: Source[] = [];
  const args = pair(operand.args, fn.params, passed);
  for (const source of passed) context.bitReads.add(source);
  context.reads.push(...passed);
  const results = pair(operand.results, fn.results, written);
  for (const { place, width } of written) context.writes.push({ place, width, signed: false });
  return { callee, args, results };
}

/**
 * Decodes an instruction that branches or waits. Returns undefined for all other instructions and
 * for those that access memory.
 */
export function decodeControl(instruction: Instruction, context: DecodeContext): Work | undefined {
  const { row } = instruction;
  if ((row.kind === 'warp' || row.kind === 'matrix') && row.effects.memory === 'none')
    return { kind: 'warp', warp: decodeWarp(instruction, context) };
  // Only barriers have a number as their operand; the operand of a fence is an address.
  if (row.kind === 'barrier' && row.types.a === 'u32' && instruction.operands.a !== undefined) {
    return { kind: 'barrier', barrier: decodeBarrier(instruction, context) };
  }
  if (isClusterBarrier(instruction)) return { kind: 'cluster', barrier: clusterBarrier(instruction) };
  if (row.kind !== 'control') return undefined;
  return decodeBranch(instruction, context);
}

const controlDecoders: Readonly<Record<string, (instruction: Instruction, context: DecodeContext) => Work>> = {
  bra(instruction, context) {
    const operand = need(instruction, 'target');
    if (operand.kind !== 'label') throw new TypeError('bra without a label');
    return { kind: 'branch', target: target(operand.target, context) };
  },
  'brx.idx'(instruction, context) {
    const list = need(instruction, 'list');
    if (list.kind !== 'labels') throw new TypeError('brx.idx without a list');
    const targets = list.targets.map((name) => target(name, context));
    return { kind: 'indexed', index: readOperand(instruction, 'a', context), targets };
  },
  call: decodeCall,
  ret: () => ({ kind: 'return' }),
  exit: () => ({ kind: 'exit' }),
  trap: () => ({ kind: 'trap' }),
  // Without a debugger, a breakpoint aborts the kernel.
  brkpt: () => ({ kind: 'trap' }),
  pmevent: () => ({ kind: 'plain', exec: () => {} }),
  nanosleep: () => ({ kind: 'plain', exec: () => {} }),
};

function decodeBranch(instruction: Instruction, context: DecodeContext): Work {
  const decoder = controlDecoders[instruction.row.name];
  if (decoder === undefined) throw new RangeError(`the interpreter cannot run ${instruction.row.name}`);
  return decoder(instruction, context);
}
