// Subgroup matrices, which the whole subgroup reaches together. Words move between lanes and
// matrices through shared memory, where each warp has a part of its own.
import { at, InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, MatrixWgslType } from '../../../wgsl/tree/nodes.ts';
import { fragmentPlaces } from '../../ir/matrix-fragments.ts';
import type { InstNamed, MatrixInst, Value } from '../../ir/nodes.ts';
import { isMatrixType, type MatrixType, shapeOf } from '../../ir/types.ts';
import { writeWorkgroupBarrier } from '../collectives/workgroup-barrier.ts';
import { memoryOf } from '../memory/memories.ts';
import { elementIndex } from '../memory/memory.ts';
import type { Emitter } from '../values/emitter.ts';
import { exchangeArray, exchangedWord, exchangeStart, exchangeStride, needsBarrier } from './exchanges.ts';

const majorOf = { row: 'row_major', col: 'col_major' } as const;

export function writeMatrix(emitter: Emitter, inst: MatrixInst): void {
  const { uses, writer } = emitter;
  for (const { type } of [...inst.args, ...inst.results]) if (isMatrixType(type)) uses.matrices.add(shapeOf(type).of);
  uses.subgroups = true;
  const [result] = inst.results;
  switch (inst.op) {
    case 'matrix-unpack':
      return unpack(emitter, inst);
    case 'matrix-load':
      if (result) emitter.define(result, load(emitter, inst));
      return;
    case 'matrix-fill':
      if (result) emitter.define(result, fill(inst));
      return;
    case 'matrix-multiply': {
      const [a, b, sums] = inst.args.map((arg) => emitter.read(arg));
      if (result === undefined || a === undefined || b === undefined || sums === undefined)
        throw new InternalError('a product has three operands and a result');
      return emitter.define(result, w.builtin('subgroupMatrixMultiplyAccumulate', sums.type, a, b, sums));
    }
    case 'matrix-select': {
      const [condition, a, b] = inst.args.map((arg) => emitter.read(arg));
      if (result === undefined || condition === undefined || a === undefined || b === undefined)
        throw new InternalError('a selection has three operands and a result');
      // WGSL's `select` does not accept matrices.
      const chosen = emitter.variable('chosen', b.type, b);
      writer.push(w.when(condition, [w.assign(chosen, a)]));
      return emitter.define(result, chosen);
    }
    case 'matrix-pack': {
      if (result === undefined) return;
      const { type } = inst.attrs;
      inst.args.forEach((word, register) => {
        writer.push(w.assign(exchangedWord(emitter, inst, type, register), emitter.read(word)));
      });
      writeWorkgroupBarrier(emitter);
      const { order } = fragmentPlaces(type);
      const loaded = w.templated(
        'subgroupMatrixLoad',
        typeOf(type),
        [typeOf(type), majorOf[order]],
        w.addressOf(exchangeArray(emitter)),
        exchangeStart(emitter, inst),
        exchangeStride(type),
      );
      emitter.define(result, loaded);
      if (needsBarrier(emitter, inst)) writeWorkgroupBarrier(emitter);
      return;
    }
  }
}

function typeOf(type: MatrixType): MatrixWgslType {
  return { kind: 'matrix', ...shapeOf(type) };
}

function load(emitter: Emitter, inst: InstNamed<'matrix-load'>): Expr {
  const { place, type, order, stride } = inst.attrs;
  const memory = memoryOf(emitter, place.root);
  if (memory.atomic) throw new InternalError('a matrix cannot be loaded from atomics');
  const step = w.u32(stride / (4 * memory.granule));
  const first = elementIndex(emitter, inst, memory.granule, 0);
  const own = typeOf(type);
  return w.templated('subgroupMatrixLoad', own, [own, majorOf[order]], w.addressOf(memory.array), first, step);
}

/**
 * Returns a matrix whose elements all have the same value. An f16 matrix can only be filled with
 * zeros.
 */
function fill({ attrs: { type, bits } }: InstNamed<'matrix-fill'>): Expr {
  const own = typeOf(type);
  if (bits === 0) return w.construct(own);
  if (own.of === 'f32') return w.construct(own, w.f32(BigInt(bits)));
  if (own.of === 'i32') return w.construct(own, w.i32(bits));
  if (own.of === 'u32') return w.construct(own, w.u32(bits));
  throw new InternalError(`no matrix of ${own.of} is filled`);
}

function unpack(emitter: Emitter, inst: InstNamed<'matrix-unpack'>): void {
  const matrix = at(inst.args, 0, 'a matrix');
  const type = matrixTypeOf(matrix);
  const { order } = fragmentPlaces(type);
  const [array, start] = [w.addressOf(exchangeArray(emitter)), exchangeStart(emitter, inst)];
  const operands = [array, start, emitter.read(matrix), exchangeStride(type)];
  emitter.writer.push(w.perform(w.templated('subgroupMatrixStore', 'u32', [majorOf[order]], ...operands)));
  writeWorkgroupBarrier(emitter);
  inst.results.forEach((result, register) => {
    if (emitter.isRead(result)) emitter.define(result, exchangedWord(emitter, inst, type, register));
  });
  if (needsBarrier(emitter, inst)) writeWorkgroupBarrier(emitter);
}

function matrixTypeOf({ type }: Value): MatrixType {
  if (!isMatrixType(type)) throw new InternalError(`${type} is not a matrix`);
  return type;
}
