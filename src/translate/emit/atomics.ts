// Atomic read-modify-write of words.
import * as w from '../../wgsl/tree/build.ts';
import type { Expr } from '../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../ir/nodes.ts';
import type { Emitter } from './emitter.ts';
import { genericUpdate } from './generic.ts';
import { memoryOf } from './memories.ts';
import { wordAt } from './memory.ts';
import { updateAtomic, updatePrivate, type WordUpdate } from './word-updates.ts';

type Atomic = InstNamed<'atomic'>;

export function writeAtomic(emitter: Emitter, inst: Atomic): void {
  const { place, op, type, signed } = inst.attrs;
  const { writer, uses } = emitter;
  const [result] = inst.results;
  const [operand, replacement] = inst.args
    .slice(place.indexed ? 1 : 0)
    .map((arg, index) => emitter.name(index === 0 ? 'operand' : 'replacement', w.bitcast('u32', emitter.read(arg))));
  if (operand === undefined) throw new Error('an atomic without an operand');
  const define = (old: Expr | undefined) => {
    if (result && old) emitter.define(result, type === 'f32' ? w.bitcast('f32', old) : old);
  };
  const isShared = place.root.kind === 'array';
  const update: WordUpdate = {
    op,
    type,
    signed,
    result: result !== undefined,
    float: uses.options.float.mode,
    isShared,
  };
  if (place.root.kind === 'generic') {
    const [address] = inst.args;
    if (address) define(genericUpdate(emitter, emitter.read(address), update, operand, replacement));
    return;
  }
  const memory = memoryOf(emitter, place.root);
  const word = wordAt(emitter, inst, memory, 0);
  define((memory.atomic ? updateAtomic : updatePrivate)(writer, word, update, operand, replacement));
}
