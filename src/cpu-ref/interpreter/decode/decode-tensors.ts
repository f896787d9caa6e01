// Decodes copies of boxes of tensors, and changes of tensor maps.
import { tensorMapAlign, tensorMapBytes } from '../../../base/tensor-map-fields.ts';
import type { TensorRowName } from '../../../isa/index.ts';
import { dimensionsOf } from '../../../isa/tensors.ts';
import type { Instruction } from '../../../ptx/ast.ts';
import { type MapField, withField } from '../../tensor/change-map.ts';
import type { Access } from '../memory/access.ts';
import { atomicUpdate } from '../memory/atomics.ts';
import { bitWidth } from '../memory/layout.ts';
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

function coordinatesOf(instruction: Instruction, { builder, reads }: DecodeContext) {
  const operand = operandOf(instruction, 'c');
  if (operand.kind !== 'vector') throw new TypeError(`${instruction.row.name} without coordinates`);
  const sources = operand.elements.map((element) => builder.source(element, 's32'));
  if (sources.length !== dimensionsOf(instruction.mods)) throw new TypeError('wrong number of coordinates');
  reads.push(...sources);
  return sources;
}

/** Returns the access of a tensor, whose address and size each row of a box determines. */
function tensorAccess({ span }: Instruction, verb: Access['verb'], { builder }: DecodeContext): Access {
  const base = builder.constant(0n, 64);
  const order = { strong: verb === 'atomic', volatile: false, releases: false };
  return { space: 'global', base, offset: 0, wraps: false, bytes: 0, span, verb, ...order };
}

function workOf(instruction: Instruction, context: DecodeContext, shared: Access, verb: Access['verb']): TensorWork {
  return {
    map: mapAccess(instruction, 'load', context),
    coordinates: coordinatesOf(instruction, context),
    shared,
    tensor: tensorAccess(instruction, verb, context),
  };
}

const load: Decoder = (instruction, context) => {
  const mask = instruction.operands.mask && readOperand(instruction, 'mask', context);
  const work = workOf(instruction, context, access(instruction, 1, 'store', context, 'to'), 'load');
  const object = { ...access(instruction, objectBytes, 'load', context, 'bar'), strong: true };
  return tensorLoad({ ...work, mask }, object);
};

const store: Decoder = (instruction, context) =>
  tensorStore(workOf(instruction, context, access(instruction, 1, 'load', context, 'from'), 'store'));

const reduce: Decoder = (instruction, context) => {
  const { op = '' } = instruction.mods;
  const work = workOf(instruction, context, access(instruction, 1, 'load', context, 'from'), 'atomic');
  return tensorStore({
    ...work,
    op,
    combineOf: (type) => ({ update: atomicUpdate(op, type), bytes: bitWidth(type) / 8 }),
  });
};

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
  'cp.async.bulk.tensor.load': load,
  'cp.async.bulk.tensor.multicast': load,
  'cp.async.bulk.tensor.store': store,
  'cp.reduce.async.bulk.tensor': reduce,
  'cp.async.bulk.prefetch.tensor': () => () => {},
  'tensormap.replace': replace,
  'tensormap.replace.dimension': replace,
  'tensormap.replace.mode': replace,
  'tensormap.cp_fenceproxy': (instruction, context) =>
    copyMap(mapAccess(instruction, 'store', context, 'to'), mapAccess(instruction, 'load', context)),
};
