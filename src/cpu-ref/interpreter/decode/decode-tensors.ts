// Decodes copies of boxes of tensors, and changes of tensor maps.
import type { TensorType } from '../../../base/tensor-map.ts';
import { elementBytes, type MapMode, tensorMapAlign, tensorMapBytes } from '../../../base/tensor-map-fields.ts';
import type { PtxType, TensorRowName } from '../../../isa/index.ts';
import type { Instruction, Operand } from '../../../ptx/ast.ts';
import { type MapField, withField } from '../../tensor/change-map.ts';
import type { Access } from '../memory/access.ts';
import { boxUpdate } from '../memory/box-update.ts';
import type { Source } from '../memory/layout.ts';
import { type BoxWork, tensorPrefetch } from '../operations/find-box.ts';
import { copyMap, replaceField } from '../operations/tensor-map-op.ts';
import { tensorLoad, tensorStore } from '../operations/tensor-op.ts';
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

function boxOf(mode: MapMode, instruction: Instruction, context: DecodeContext, isStore: boolean): BoxWork {
  return {
    map: mapAccess(instruction, 'load', context),
    mode,
    coordinates: sourcesOf(operandOf(instruction, 'c'), 's32', context),
    offsets: sourcesOf(instruction.operands.offsets, 'u16', context),
    isStore,
  };
}

const load =
  (mode: MapMode): Decoder =>
  (instruction, context) => {
    const mask = instruction.operands.mask && readOperand(instruction, 'mask', context);
    const shared = { ...access(instruction, 1, 'store', context, 'to'), isAsync: true } as const;
    const tensor = tensorAccess(instruction, 'load', context);
    const object = { ...access(instruction, objectBytes, 'load', context, 'bar'), strong: true };
    return tensorLoad({ ...boxOf(mode, instruction, context, false), shared, tensor, mask }, object);
  };

const store =
  (mode: MapMode): Decoder =>
  (instruction, context) => {
    const { op } = instruction.mods;
    const box = boxOf(mode, instruction, context, true);
    const shared = access(instruction, 1, 'load', context, 'from');
    const tensor = tensorAccess(instruction, op === undefined ? 'store' : 'atomic', context);
    if (op === undefined) return tensorStore({ ...box, shared, tensor });
    const combineOf = (type: TensorType) => ({ update: boxUpdate(op, type), bytes: elementBytes[type] });
    return tensorStore({ ...box, shared, tensor, op, combineOf });
  };

const prefetch =
  (mode: MapMode): Decoder =>
  (instruction, context) =>
    tensorPrefetch(boxOf(mode, instruction, context, false));

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
  'cp.reduce.async.bulk.tensor': store('tile'),
  'cp.reduce.async.bulk.tensor.im2col': store('im2col'),
  'cp.async.bulk.prefetch.tensor': prefetch('tile'),
  'cp.async.bulk.prefetch.tensor.im2col': prefetch('im2col'),
  'tensormap.replace': replace,
  'tensormap.replace.dimension': replace,
  'tensormap.replace.mode': replace,
  'tensormap.cp_fenceproxy': (instruction, context) =>
    copyMap(mapAccess(instruction, 'store', context, 'to'), mapAccess(instruction, 'load', context)),
};
