// Decodes lane instructions, moves, loads, stores, atomics and address conversions.
import type { PtxType } from '../../../isa/index.ts';
import { typeNamed } from '../../../isa/match.ts';
import type { Instruction, Operand } from '../../../ptx/ast.ts';
import { laneFunctions } from '../../lane/index.ts';
import type { LaneFunction } from '../../types.ts';
import { atomicUpdate } from '../memory/atomics.ts';
import { placeAt } from '../memory/cluster-window.ts';
import { bitWidth, type Destination, fillPlace, type Source } from '../memory/layout.ts';
import { imageDecoders } from '../operations/image-op.ts';
import { laneExec, moveExec, packExec, unpackExec } from '../operations/lane-op.ts';
import { addressExec, atomicExec, loadExec, storeExec } from '../operations/memory-op.ts';
import { bitOperands } from '../operations/undefined-bits.ts';
import { lowestLane } from '../state/frame.ts';
import type { Exec, Work } from '../state/state.ts';
import { access, operandOf, spaceOf } from './decode-access.ts';
import { clusterDecoders } from './decode-clusters.ts';
import { type DecodeContext, readOperand, writeOperand, writeTo } from './decode-control.ts';
import { copyDecoders } from './decode-copies.ts';
import { hintDecoders } from './decode-hints.ts';
import { accessMatrix } from './decode-matrix.ts';
import { mbarrierDecoders } from './decode-mbarriers.ts';
import { tensorDecoders } from './decode-tensors.ts';
import { wmmaLoad, wmmaStore } from './decode-wmma.ts';
import { operandNames } from './operand-names.ts';

const laneByName: Readonly<Record<string, LaneFunction>> = laneFunctions;
const nothing: Exec = () => {};

const counter = /^%(clock|globaltimer)/;

/**
 * Wraps `exec` in a function that first reads the counter `a`. Returns `exec` itself if `a` is not
 * a counter.
 */
function withCounter(exec: Exec, a: Operand, source: Source): Exec {
  if (a.kind !== 'special' || !counter.test(a.name)) return exec;
  const high = a.name.endsWith('_hi');
  return (warp, frame, lanes) => {
    const ticks = warp.machine.tick();
    fillPlace(frame, source.place, high ? ticks >> 32n : ticks);
    exec(warp, frame, lanes);
  };
}

function lane(instruction: Instruction, context: DecodeContext): Exec {
  const { row, mods, operands } = instruction;
  const fn = laneByName[row.name];
  if (fn === undefined) throw new RangeError(`no reference function for ${row.name}`);
  const names = operandNames(row);
  const carryOut = row.carry?.out;
  const sources = names.sources
    .filter((name) => operands[name] !== undefined)
    .map((name) => readOperand(instruction, name, context));
  for (const source of sources.slice(0, bitOperands(row.name, mods))) context.bitReads.add(source);
  const exec = laneExec({
    row: row.name,
    mods,
    fn,
    sources,
    destinations: names.destinations.map((name) => writeOperand(instruction, name, context)),
    carryIn: row.carry?.in ?? false,
    carryOut: carryOut === true || (carryOut === 'cc' && mods.cc !== undefined),
  });
  // Only `mov` and `cvt` accept a special register. This code is for `cvt`.
  const [first] = sources;
  return first === undefined ? exec : withCounter(exec, operandOf(instruction, names.sources[0] ?? ''), first);
}

/**
 * Returns the type of each element of a vector operand. The elements are equal parts of the
 * operand's type.
 */
function elementType(type: PtxType, count: number): PtxType {
  const width = bitWidth(type) / count;
  return width === 8 ? 'b8' : width === 16 ? 'b16' : 'b32';
}

function typeSlot(instruction: Instruction): PtxType {
  const { type } = instruction.mods;
  const found = typeNamed(type ?? '');
  if (found === undefined) throw new RangeError(`${instruction.row.name} has no type`);
  return found;
}

function move(instruction: Instruction, context: DecodeContext): Exec {
  const type = typeSlot(instruction);
  const d = operandOf(instruction, 'd');
  const a = operandOf(instruction, 'a');
  const { builder, reads } = context;
  if (d.kind === 'vector') {
    const element = elementType(type, d.elements.length);
    const source = readOperand(instruction, 'a', context);
    context.bitReads.add(source);
    return unpackExec(
      source,
      d.elements.map((part) => writeTo(part, element, context)),
    );
  }
  const destination = writeTo(d, type, context);
  if (destination === undefined) return nothing;
  if (a.kind === 'vector') {
    const element = elementType(type, a.elements.length);
    const sources = a.elements.map((part) => builder.source(part, element));
    reads.push(...sources);
    for (const source of sources) context.bitReads.add(source);
    return packExec(sources, destination);
  }
  const source = readOperand(instruction, 'a', context);
  if (type !== 'pred') context.bitReads.add(source);
  return withCounter(moveExec(source, destination), a, source);
}

const vectorLengths: Readonly<Record<string, number>> = { v2: 2, v4: 4, v8: 8 };

function vectorBytes(instruction: Instruction): number {
  return (bitWidth(typeSlot(instruction)) / 8) * (vectorLengths[instruction.mods.vec ?? ''] ?? 1);
}

function load(instruction: Instruction, context: DecodeContext): Exec {
  const type = typeSlot(instruction);
  const d = operandOf(instruction, 'd');
  const parts: readonly Operand[] = d.kind === 'vector' ? d.elements : [d];
  const destinations: (Destination | undefined)[] = parts.map((part) => writeTo(part, type, context));
  const place = access(instruction, vectorBytes(instruction), 'load', context);
  // Programs from before sm_70 poll with weak loads that bypass the first cache.
  const { cop } = instruction.mods;
  const polls = place.strong || (instruction.row.name === 'ld' && (cop === 'cg' || cop === 'cv'));
  return loadExec(place, destinations, polls);
}

function store(instruction: Instruction, context: DecodeContext): Exec {
  const type = typeSlot(instruction);
  const b = operandOf(instruction, 'b');
  const parts: readonly Operand[] = b.kind === 'vector' ? b.elements : [b];
  const sources = parts.map((part) => context.builder.source(part, type));
  context.reads.push(...sources);
  for (const source of sources) context.bitReads.add(source);
  return storeExec(access(instruction, vectorBytes(instruction), 'store', context), sources);
}

function atomic(instruction: Instruction, context: DecodeContext): Exec {
  const { mods, operands } = instruction;
  const type = typeSlot(instruction);
  const where = access(instruction, bitWidth(type) / 8, 'atomic', context);
  const update = atomicUpdate(mods.op ?? 'cas', type);
  const c = operands.c === undefined ? undefined : readOperand(instruction, 'c', context);
  const partsOf = (operand: Operand | undefined): readonly (Operand | undefined)[] =>
    operand?.kind === 'vector' ? operand.elements : [operand];
  const destinations = partsOf(operands.d);
  // A vector atomic updates each element separately.
  const elements = partsOf(operandOf(instruction, 'b')).flatMap((operand, index) => {
    if (operand === undefined) return [];
    const b = context.builder.source(operand, type);
    context.reads.push(b);
    const destination = destinations[index];
    const offset = where.offset + index * where.bytes;
    return atomicExec({
      access: { ...where, offset },
      update,
      b,
      c,
      destination: destination && writeTo(destination, type, context),
    });
  });
  const [first = nothing, ...rest] = elements;
  if (rest.length === 0) return first;
  return (warp, frame, lanes) => {
    for (const element of elements) element(warp, frame, lanes);
  };
}

function convertAddress(instruction: Instruction, context: DecodeContext): Exec {
  const space = spaceOf(instruction);
  const destination = writeOperand(instruction, 'd', context);
  const source = readOperand(instruction, 'a', context);
  if (destination === undefined) return nothing;
  // The parameters of a function are on the stack, which is in the local window.
  const window = space === 'param' && context.builder.fn.kind === 'func' ? 'local' : space;
  const base = window === 'generic' || window === 'global' ? 0 : context.space.plan.windows[window];
  const sign = instruction.row.name === 'cvta.to' ? -1 : 1;
  return addressExec(source, destination, (address) => address + sign * base);
}

function isInSpace(instruction: Instruction, context: DecodeContext): Exec {
  const space = spaceOf(instruction);
  const destination = writeOperand(instruction, 'p', context);
  const source = readOperand(instruction, 'a', context);
  if (destination === undefined) return nothing;
  const isOwn = instruction.mods.space !== 'shared::cluster';
  return addressExec(source, destination, (address) => {
    const found = context.space.spaceOf(address);
    if (found === 'shared' && space === 'shared')
      return isOwn && placeAt(address - context.space.plan.windows.shared).rank !== undefined ? 0 : 1;
    // The window of kernel parameters is in global memory.
    return found === space || (found === 'param' && space === 'global') ? 1 : 0;
  });
}

/** Decodes `createpolicy`. A policy does not affect any result, and its bits are unspecified. */
function createPolicy(instruction: Instruction, context: DecodeContext): Exec {
  const destination = writeOperand(instruction, 'd', context);
  if (destination === undefined) return nothing;
  return (_warp, frame, lanes) => frame.mark(destination, lanes, -1);
}

/**
 * Decodes a fence. In the interpreter, every access is visible at once, so a fence only affects the
 * race detector.
 */
const memoryFence = ({ mods }: Instruction): Exec => fenceOf(mods.level === 'cta' || mods.scope === 'cta');
const blockFence = (): Exec => fenceOf(true);

/** Orders accesses of the block before later bulk copies and products of warpgroups. */
const asyncProxyFence: Exec = (warp, frame, lanes) => {
  const { proxyFences } = warp.block;
  for (let m = proxyFences === undefined ? 0 : lanes; m !== 0; m &= m - 1)
    proxyFences?.add(warp.firstThread + lowestLane(m));
  blockFence()(warp, frame, lanes);
};

function fenceOf(narrow: boolean): Exec {
  return (warp, _frame, lanes) => {
    const { clocks } = warp.block;
    for (let m = clocks === undefined ? 0 : lanes; m !== 0; m &= m - 1) {
      clocks?.fence(warp.firstThread + lowestLane(m), narrow);
    }
  };
}

const memoryDecoders: Readonly<Record<string, (instruction: Instruction, context: DecodeContext) => Exec | Work>> = {
  ...clusterDecoders,
  ...copyDecoders,
  ...mbarrierDecoders,
  ...hintDecoders,
  ...tensorDecoders,
  ld: load,
  'ld.volatile': load,
  'ld.global.nc': load,
  ldu: load,
  st: store,
  'st.volatile': store,
  atom: atomic,
  'atom.cas': atomic,
  red: atomic,
  cvta: convertAddress,
  'cvta.to': convertAddress,
  isspacep: isInSpace,
  prefetch: () => nothing,
  prefetchu: () => nothing,
  'prefetch.tensormap': () => nothing,
  'createpolicy.fractional': createPolicy,
  membar: memoryFence,
  fence: memoryFence,
  'fence.sync_restrict': blockFence,
  'fence.mbarrier_init': blockFence,
  // The async accesses that the interpreter checks are those of shared memory.
  'fence.proxy': ({ mods }) => (mods.kind === 'async' && mods.memory !== 'global' ? asyncProxyFence : blockFence()),
  'fence.proxy.tensormap.acquire': blockFence,
  'fence.proxy.tensormap.release': blockFence,
  'membar.proxy': blockFence,
};

/**
 * Decodes an instruction that neither branches nor waits, or one with which the whole warp accesses
 * memory. Throws `RangeError` for a row without a decoder.
 */
export function decodeInstruction(instruction: Instruction, context: DecodeContext): Work {
  const { row } = instruction;
  if (row.name === 'mov') return { kind: 'plain', exec: move(instruction, context) };
  if (row.kind === 'lane') return { kind: 'plain', exec: lane(instruction, context) };
  if (row.name === 'ldmatrix' || row.name === 'stmatrix') return accessMatrix(instruction, context);
  if (row.name === 'wmma.load') return wmmaLoad(instruction, context);
  if (row.name === 'wmma.store') return wmmaStore(instruction, context);
  const decoder = memoryDecoders[row.name] ?? imageDecoders[row.name];
  if (decoder === undefined) throw new RangeError(`the interpreter cannot run ${row.name}`);
  const work = decoder(instruction, context);
  return typeof work === 'function' ? { kind: 'plain', exec: work } : work;
}
