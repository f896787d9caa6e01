// Decodes copies of boxes of tensors, and changes of tensor maps.
import { type MapMode, tensorMapAlign, tensorMapBytes } from '../../../base/tensor-map-fields.ts';
import type { PtxType, TensorRowName } from '../../../isa/index.ts';
import type { Instruction, Operand } from '../../../ptx/ast.ts';
import { type MapField, withField } from '../../tensor/change-map.ts';
import type { Access } from '../memory/access.ts';
import { atomicUpdate } from '../memory/atomics.ts';
import { bitWidth, type Source } from '../memory/layout.ts';
import { copyMap, replaceField } from '../operations/tensor-map-op.ts';
import { type TensorWork, tensorLoad, tensorStore } from '../operations/tensor-op.ts';
import type { Exec } from '../state/state.ts';
import { access, operandOf } from './decode-access.ts';
import { type DecodeContext, readOperand } from './decode-control.ts';

type Decoder = (instruction: Instruction, context: DecodeContext) => Exec;

const objectBytes = 8;

const mapAccess = (instruction: Instruction, verb: Access['verb'], context: DecodeContext, name = 'a'): Access => ({
  ...access(instruction, tensorMapBytes, verb, context, name),
  align: tensorMapAlign,
});

/** Returns the sources of a vector of coordinates, or of offsets. */
function sourcesOf(operand: Operand | undefined, type: PtxType, { builder, reads }: DecodeContext): readonly Source[] {
  if (operand === undefined) return [];
  if (operand.kind !== 'vector') throw new TypeError('expected a vector');
  const sources = operand.elements.map((element) => builder.source(element, type));
  reads.push(...sources);
  return sources;
}

/** Returns the access of a tensor, whose address and size each row of a box determines. */
function tensorAccess({ span }: Instruction, verb: Access['verb'], { builder }: DecodeContext): Access {
  const base = builder.constant(0n, 64);
  const order = { strong: verb === 'atomic', volatile: false, releases: false };
  return { space: 'global', base, offset: 0, wraps: false, bytes: 0, span, verb, ...order };
}

function workOf(
  mode: MapMode,
  instruction: Instruction,
  context: DecodeContext,
  shared: Access,
  verb: Access['verb'],
): TensorWork {
  return {
    map: mapAccess(instruction, 'load', context),
    mode,
    coordinates: sourcesOf(operandOf(instruction, 'c'), 's32', context),
    offsets: sourcesOf(instruction.operands.offsets, 'u16', context),
    shared,
    tensor: tensorAccess(instruction, verb, context),
  };
}

const load =
  (mode: MapMode): Decoder =>
  (instruction, context) => {
    const mask = instruction.operands.mask && readOperand(instruction, 'mask', context);
    const work = workOf(mode, instruction, context, access(instruction, 1, 'store', context, 'to'), 'load');
    const object = { ...access(instruction, objectBytes, 'load', context, 'bar'), strong: true };
    return tensorLoad({ ...work, mask }, object);
  };

const store =
  (mode: MapMode): Decoder =>
  (instruction, context) =>
    tensorStore(workOf(mode, instruction, context, access(instruction, 1, 'load', context, 'from'), 'store'));

const reduce =
  (mode: MapMode): Decoder =>
  (instruction, context) => {
    const { op = '' } = instruction.mods;
    const work = workOf(mode, instruction, context, access(instruction, 1, 'load', context, 'from'), 'atomic');
    return tensorStore({
      ...work,
      op,
      combineOf: (type) => ({ update: atomicUpdate(op, type), bytes: bitWidth(type) / 8 }),
    });
  };

const prefetch: Decoder = () => () => {};

const replace: Decoder = (instruction, context) => {
  const { mods, operands } = instruction;
  const { dimension, value } = operands;
  const field: MapField = {
    name: mods.field ?? '',
    dimension: dimension?.kind === 'immediate' ? Number(dimension.bits) : 0,
  };
  const mode =
    instruction.row.name === 'tensormap.replace.mode' && value?.kind === 'immediate' ? value.bits : undefined;
  const source = mode === undefined ? readOperand(instruction, 'value', context) : mode;
  return replaceField(mapAccess(instruction, 'store', context), source, (map, bits) => withField(map, field, bits));
};

export const tensorDecoders: Readonly<Record<TensorRowName, Decoder>> = {
  'cp.async.bulk.tensor.load': load('tile'),
  'cp.async.bulk.tensor.load.im2col': load('im2col'),
  'cp.async.bulk.tensor.multicast': load('tile'),
  'cp.async.bulk.tensor.multicast.im2col': load('im2col'),
  'cp.async.bulk.tensor.store': store('tile'),
  'cp.async.bulk.tensor.store.im2col': store('im2col'),
  'cp.reduce.async.bulk.tensor': reduce('tile'),
  'cp.reduce.async.bulk.tensor.im2col': reduce('im2col'),
  'cp.async.bulk.prefetch.tensor': prefetch,
  'cp.async.bulk.prefetch.tensor.im2col': prefetch,
  'tensormap.replace': replace,
  'tensormap.replace.dimension': replace,
  'tensormap.replace.mode': replace,
  'tensormap.cp_fenceproxy': (instruction, context) =>
    copyMap(mapAccess(instruction, 'store', context, 'to'), mapAccess(instruction, 'load', context)),
};
