// Atomic read-modify-write operations on words and on halves of words.
import { missing } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { type AtomicOp, isMbarrierOp } from '../../ir/memory.ts';
import type { InstNamed, Value } from '../../ir/nodes.ts';
import type { Emitter } from '../values/emitter.ts';
import { genericUpdate } from './generic.ts';
import { mbarrierPart } from './mbarrier-part.ts';
import { memoryOf } from './memories.ts';
import { wordAt } from './memory.ts';
import { type UpdateOperands, updateWord, type WordUpdate } from './word-updates.ts';

type Atomic = InstNamed<'atomic' | 'half'>;

export function writeAtomic(emitter: Emitter, inst: InstNamed<'atomic'>): void {
  const { signed, noftz, op } = inst.attrs;
  if (isMbarrierOp(op)) return mbarrierPart.content.writeMbarrier(emitter, inst, op);
  const [operand, replacement] = operandsOf(inst);
  writeUpdate(emitter, inst, { op, signed, noftz }, namedOperands(emitter, { operand, replacement }));
}

export function writeHalf(emitter: Emitter, inst: InstNamed<'half'>): void {
  const [shift, operand, replacement] = operandsOf(inst);
  const how = { op: inst.attrs.op, signed: false, noftz: false };
  writeUpdate(emitter, inst, how, namedOperands(emitter, { shift, operand, replacement }));
}

/** Returns the arguments after the address. */
const operandsOf = ({ attrs, args }: Atomic): readonly Value[] => args.slice(attrs.place.indexed ? 1 : 0);

/** Writes declarations that name the operands, in the order of the instruction. */
function namedOperands(
  emitter: Emitter,
  values: { readonly [Operand in keyof UpdateOperands]?: Value | undefined },
): UpdateOperands {
  const name = (hint: keyof UpdateOperands) => {
    const value = values[hint];
    return value && emitter.name(hint, w.bitcast('u32', emitter.read(value)));
  };
  const shift = name('shift');
  const operand = name('operand') ?? missing('the operand of an atomic');
  return { shift, operand, replacement: name('replacement') };
}

interface How {
  readonly op: AtomicOp;
  readonly signed: boolean;
  readonly noftz: boolean;
}

function writeUpdate(emitter: Emitter, inst: Atomic, { op, signed, noftz }: How, operands: UpdateOperands): void {
  const { place, type } = inst.attrs;
  const { writer, uses } = emitter;
  const [result] = inst.results;
  const define = (old: Expr | undefined) => {
    if (result && old) emitter.define(result, type === 'f32' ? w.bitcast('f32', old) : old);
  };
  const update: WordUpdate = {
    op,
    type,
    signed,
    result: result !== undefined,
    float: uses.options.float.mode,
    keepsSubnormals: noftz || place.root.kind === 'array',
  };
  if (place.root.kind === 'generic') {
    const [address] = inst.args;
    if (address) define(genericUpdate(emitter, emitter.read(address), update, operands));
    return;
  }
  const memory = memoryOf(emitter, place.root);
  const word = wordAt(emitter, inst, memory, 0);
  define(updateWord(uses, writer, memory, word, update, operands));
}
